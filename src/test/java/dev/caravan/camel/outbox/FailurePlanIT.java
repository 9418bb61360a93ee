package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.engine.store.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The statements of a relay on waiting and dead messages, and for sharing lanes, use the intended index. */
class FailurePlanIT {
    private static TestOutbox empty;
    private static TestOutbox large;
    private static HikariDataSource emptyPool;
    private static HikariDataSource largePool;

    /** A statement, the index that must serve it, and its parameters. */
    record Planned(Sql sql, String index, List<Object> parameters) {
        @Override
        public String toString() {
            return sql.name();
        }
    }

    static Stream<Planned> statements() {
        String[] types = {"order", "order"};
        String[] ids = {"busy", "k7"};
        return Stream.of(
                new Planned(
                        Sql.REPORT,
                        "outbox_subscription_pkey",
                        List.of(true, 5, 20, 1_000L, "refused", 1_000L, "50/s", 23.0, false, 1_000L, "s3", 0, 1L)),
                new Planned(
                        Sql.RETRY_DUE,
                        "outbox_retry_due",
                        List.of("s3", 0, new long[] {7, 8}, 100, 4L << 20, 4L << 20)),
                new Planned(Sql.FAIR_SHARE, "outbox_relay_pkey", List.of("s3", 4, "relay-7", "relay-7", "s3")),
                new Planned(
                        Sql.SHOW_RELAY,
                        "outbox_relay_pkey",
                        List.of("s3", "relay-7", "s3", "relay-7", "s3", "relay-7", 4, 1_000L, 1_000L, 7L)),
                new Planned(Sql.LEAVE_RELAYS, "outbox_relay_pkey", List.of("s3", "relay-7")),
                new Planned(
                        Sql.RETRY_FOLLOWERS,
                        "outbox_retry_key",
                        List.of(types, ids, "s3", 0, 1_000, 4L << 20, 4L << 20)),
                new Planned(Sql.SURVEY, "outbox_retry_key", survey(false)),
                new Planned(Sql.SURVEY, "outbox_dead_letter_key", survey(true)),
                new Planned(Sql.RETRY_KEYS, "outbox_dead_letter_key", List.of(types, ids, "s3", 0, true, "s3", 0)),
                new Planned(Sql.UNBLOCK, "outbox_retry_key", List.of("s3", types, ids, new int[] {0, 0}, "s3")),
                new Planned(Sql.BLOCK_BEHIND, "outbox_retry_key", List.of("s3", "s3", new long[] {100_001, 100_002})),
                new Planned(Sql.VANISHED, "outbox_retry_pkey", List.of(new long[] {5, 15_001}, "s3", "s3")),
                new Planned(Sql.RETRY_LOWEST, "outbox_dead_letter_pkey", List.of("s3", "s3")),
                new Planned(Sql.RETRY_STORE, "outbox_dead_letter_pkey", retry()),
                new Planned(Sql.RETRY_STORE_AGAIN, "outbox_retry_pkey", retryAgain()),
                new Planned(
                        Sql.RETRY_BLOCK,
                        "outbox_dead_letter_pkey",
                        List.of("s3", 0, new long[] {15_001, 15_002}, "s3")),
                new Planned(Sql.RETRY_BLOCK_AGAIN, "outbox_retry_pkey", entries()),
                new Planned(Sql.RETRY_REMOVE, "outbox_retry_pkey", entries()),
                new Planned(Sql.DEAD_LETTER_STORE, "outbox_retry_pkey", dead()));
    }

    private static List<Object> with(List<? extends Object> first, Object... more) {
        List<Object> all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return all;
    }

    private static List<Object> survey(boolean deadLettersBlock) {
        return List.of("s3", 0, deadLettersBlock, "s3", 0);
    }

    private static List<Object> retry() {
        long[] ids = {15_001, 15_002};
        return with(with(List.of("s3", 0, "relay-1", ids), failed().toArray()), ids, "s3");
    }

    private static List<Object> retryAgain() {
        long[] ids = {5, 6};
        return with(with(List.of("relay-1", ids, ids), failed().toArray()), "s3", ids);
    }

    private static List<Object> failed() {
        String[] texts = {"text", "text"};
        return List.of(new int[] {1, 2}, new long[] {1_000, 2_000}, texts, texts, texts, new int[] {230, 231});
    }

    private static List<Object> entries() {
        long[] ids = {5, 6};
        return List.of(ids, ids, "s3", ids);
    }

    /** One from outbox_retry and one from the outbox. */
    private static List<Object> dead() {
        long[] ids = {5, 15_001};
        String[] text = {"text"};
        return List.of(
                ids,
                new long[] {5, 0},
                new int[] {1, 1},
                new String[] {"answer", ""},
                new int[] {230, 231},
                new long[] {1, 1},
                text,
                text,
                text,
                text,
                "s3",
                ids,
                new long[] {15_001},
                "s3",
                0,
                "relay-1");
    }

    @BeforeAll
    static void fill() throws Exception {
        empty = TestOutbox.create();
        large = filled();
        large.jdbc().execute("analyze");
        emptyPool = empty.pool();
        largePool = large.pool();
    }

    private static TestOutbox filled() throws Exception {
        TestOutbox large = TestOutbox.create();
        large.insertMany(20_000, 1_000);
        large.jdbc()
                .execute("insert into outbox_subscription (name, lane, lanes, position)"
                        + " select 's' || s, lane, 4, 0 from generate_series(1, 500) s, generate_series(0, 3) lane;"
                        + " insert into outbox_relay (subscription, relay, lanes, until) select 's' || s, 'relay-' || n, 4, now()"
                        + " from generate_series(1, 500) s, generate_series(1, 10) n");
        // Of each of five subscriptions: a key with 10,000 messages whose head is due, and 1,000 keys with one or two.
        large.jdbc()
                .execute("insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " payload, created_at, blocked, next_attempt_at) select 's' || s, n, gen_random_uuid(), 'order',"
                        + " case when n <= 10000 then 'busy' else 'k' || n % 1000 end, 'order.created', '{}', now(),"
                        + " n between 2 and 10000 or n > 11000, case when n between 2 and 10000 or n > 11000 then null"
                        + " else now() + (n - 10100) * interval '1 second' end"
                        + " from generate_series(1, 5) s, generate_series(1, 12000) n");
        large.jdbc()
                .execute("insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id,"
                        + " type, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,"
                        + " error_stack) select 's' || s, 100000 + n, gen_random_uuid(), 'order', 'k' || n % 100, 't', now(),"
                        + " 1, now(), now(), 'c', 't', 's' from generate_series(1, 5) s, generate_series(1, 10000) n");
        return large;
    }

    @AfterAll
    static void close() throws Exception {
        empty.close();
        large.close();
    }

    /** Without statistics, the planner may use any index until there are rows. */
    @ParameterizedTest
    @MethodSource("statements")
    void on_an_empty_table_with_the_session_of_a_relay_an_index_serves(Planned statement) throws SQLException {
        assertThat(plan(emptyPool, statement)).contains("Index").satisfies(FailurePlanIT::isNotScanned);
    }

    @Tag("long")
    @Test
    void on_a_table_that_was_just_filled_with_the_session_of_a_relay() throws Exception {
        HikariDataSource pool = filled().pool();

        for (Planned statement : statements().toList()) {
            assertThat(plan(pool, statement))
                    .as(statement.toString())
                    .contains(statement.index())
                    .satisfies(FailurePlanIT::isNotScanned)
                    .satisfies(FailurePlanIT::readsOnlyWhatItNeeds);
        }
    }

    @ParameterizedTest
    @MethodSource("statements")
    void on_a_large_table_with_the_session_of_a_relay(Planned statement) throws SQLException {
        assertThat(plan(largePool, statement))
                .contains(statement.index())
                .satisfies(FailurePlanIT::isNotScanned)
                .satisfies(FailurePlanIT::readsOnlyWhatItNeeds);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("statements")
    void on_a_large_table_with_any_session(Planned statement) throws SQLException {
        assertThat(plan(large.dataSource(), statement))
                .contains(statement.index())
                .doesNotContain("Seq Scan")
                .satisfies(FailurePlanIT::readsOnlyWhatItNeeds);
    }

    private static void isNotScanned(String plan) {
        assertThat(plan).doesNotContain("Seq Scan", "Bitmap");
    }

    private static void readsOnlyWhatItNeeds(String plan) {
        assertThat(plan).doesNotContainPattern("Rows Removed by Filter: \\d{3,}");
    }

    private static String plan(DataSource source, Planned statement) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            StringBuilder plan = new StringBuilder();
            try (var explain = connection.prepareStatement("explain (analyze, costs off, timing off) "
                    + statement.sql().text())) {
                for (int i = 0; i < statement.parameters().size(); i++) {
                    explain.setObject(i + 1, statement.parameters().get(i));
                }
                try (var rows = explain.executeQuery()) {
                    while (rows.next()) {
                        plan.append(rows.getString(1)).append('\n');
                    }
                }
            }
            connection.rollback();
            return plan.toString();
        }
    }
}
