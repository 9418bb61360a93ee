package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.RetryStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** How much a relay reads of the tables of failures depends on the query, not on the number of keys that wait there. */
class ManyKeysIT {
    private static final int KEYS = 30_000;
    /** Rows of a node of a plan, for each time that it ran. */
    private static final Pattern ROWS = Pattern.compile("actual rows=(\\d+)(?:\\.\\d+)? loops=(\\d+)");

    private final TestOutbox outbox = TestOutbox.create();
    private RetryStore store;

    @BeforeEach
    void create() throws Exception {
        store = new RetryStore(new JdbcTemplate(outbox.pool()), LaneId.only("orders"), true);
        manyWait();
    }

    /** For each key, a message that failed and is due tomorrow, and one that waits behind it. */
    private void manyWait() {
        outbox.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at,"
                        + " blocked, attempts, next_attempt_at, first_failed_at) select 'orders', n, gen_random_uuid(), 'order', 'k' || n % "
                        + KEYS + ", 't', now(), n >= " + KEYS + ", 0, case when n < " + KEYS
                        + " then now() + interval '1 day' end, now() from generate_series(0, 2 * " + KEYS
                        + " - 1) n");
    }

    @Test
    void a_relay_reads_no_more_than_what_it_looks_for() throws Exception {
        assertThat(store.survey(Order.key).waits()).isTrue();
        theCheckEachSecondReadsAlmostNothing();
        theStepOfTheWalkEachSecondReadsNoMoreKeysThanItMay();
        nothingIsReadToFindThatNothingIsDue();
        toFindWhichKeysOfABatchWaitOnlyTheseAreRead();
        toLetTheNextOfAKeyContinueOnlyItsFirstIsRead();

        outbox.execute("delete from outbox_retry");
        assertThat(store.survey(Order.key).waits()).isFalse();
    }

    private void theCheckEachSecondReadsAlmostNothing() throws Exception {
        assertThat(rowsRead(
                        "engine/survey",
                        Map.of(
                                "subscriptions", new String[] {"orders", "others"},
                                "lanes", new int[] {0, 0},
                                "dead_letters_block", new boolean[] {true, true},
                                "strict", new boolean[] {true, true})))
                .isLessThan(10);
    }

    private void theStepOfTheWalkEachSecondReadsNoMoreKeysThanItMay() throws Exception {
        assertThat(rowsRead(
                        "engine/retry_walk", Map.of("first", Long.MIN_VALUE, "keys", 100, "dead_letters_block", true)))
                .isLessThan(1_000);
    }

    private void nothingIsReadToFindThatNothingIsDue() throws Exception {
        assertThat(rowsRead(
                        "engine/retry_due",
                        Map.of("taken", new long[0], "limit", 1_000, "bytes", 1L << 20, "max_message_bytes", 1L << 20)))
                .isLessThan(10);
    }

    private void toFindWhichKeysOfABatchWaitOnlyTheseAreRead() throws Exception {
        String[] types = IntStream.range(0, 200).mapToObj(n -> "order").toArray(String[]::new);
        String[] ids =
                IntStream.range(0, 200).mapToObj(n -> "k" + (KEYS - 100 + n)).toArray(String[]::new);

        assertThat(rowsRead(
                        "engine/retry_keys", Map.of("key_types", types, "key_ids", ids, "dead_letters_block", true)))
                .isLessThan(2_000);
        assertThat(store.waiting(IntStream.range(0, 200)
                        .mapToObj(n -> new Key("order", ids[n]))
                        .toList()))
                .hasSize(100);
    }

    private void toLetTheNextOfAKeyContinueOnlyItsFirstIsRead() throws Exception {
        outbox.execute("insert into outbox_subscription (name, position) values ('orders', 0)");
        outbox.execute("delete from outbox_retry where id = 7");

        assertThat(rowsRead(
                        "engine/unblock",
                        Map.of(
                                "key_types", new String[] {"order"},
                                "key_ids", new String[] {"k7"},
                                "lanes", new int[] {0})))
                .isLessThan(20);
        assertThat(outbox.holds("select blocked from outbox_retry where id = ?", KEYS + 7))
                .isFalse();
    }

    @Tag("long")
    @Test
    void the_walk_lets_messages_continue_that_wait_for_nothing_and_comes_to_an_end() {
        outbox.execute("delete from outbox_retry where id % 1000 = 3 and not blocked");

        int steps = 1;
        for (var next = store.walk(Long.MIN_VALUE, 1_000); next.isPresent(); next = store.walk(next.get(), 1_000)) {
            steps++;
        }

        assertThat(steps).isEqualTo(KEYS / 1_000);
        assertThat(outbox.jdbc().queryForList("select id from outbox_retry where next_attempt_at <= now()", Long.class))
                .hasSize(KEYS / 1_000)
                .allMatch(id -> id % 1_000 == 3 && id >= KEYS);
    }

    @Tag("long")
    @Test
    void a_fresh_message_of_one_of_them_waits_and_others_are_delivered() throws Exception {
        TestDestination destination = new TestDestination();
        outbox.execute("select setval('outbox_id_seq', " + 2 * KEYS + ")");
        outbox.execute("insert into outbox_subscription (name, position) values ('orders', " + 2 * KEYS + ")");
        long waits = outbox.insert("k17");
        long goes = outbox.insert("other");
        try (TestRelay relay = TestRelay.start(outbox, "orders", destination)) {
            outbox.awaitPassed("orders", goes);

            assertThat(destination.ids()).containsExactly(goes);
            assertThat(outbox.holds("select blocked from outbox_retry where id = ?", waits))
                    .isTrue();
        }
    }

    /** How many rows the nodes of the plan of a statement returned together, as a session of a relay runs it. */
    private long rowsRead(String file, Map<String, Object> values) throws SQLException {
        Sql explain = Sql.text("explain (analyze, costs off, timing off, summary off) " + SqlFile.file(file))
                .withKnown(Map.of("subscription", "orders", "lane", 0));
        values.forEach(explain::with);
        try (Connection session = outbox.pool().getConnection()) {
            long rows = 0;
            String plan = String.join("\n", explain.query(session, row -> row.getString(1)));
            List<MatchResult> nodes = ROWS.matcher(plan).results().toList();
            assertThat(nodes).as(plan).isNotEmpty();
            for (MatchResult node : nodes) {
                rows += Long.parseLong(node.group(1)) * Long.parseLong(node.group(2));
            }
            return rows;
        }
    }
}
