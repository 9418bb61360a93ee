package dev.caravan.camel.outbox;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
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

    /** The values of parameters that have the same in each statement. */
    private static final Map<String, Object> VALUES = Map.ofEntries(
            entry("subscription", "s3"),
            entry("subscriptions", new String[] {"s3", "s4"}),
            entry("ended_sessions", new Long[] {7L}),
            entry("lane", 0),
            entry("lanes", 4),
            entry("relay", "relay-7"),
            entry("lease_millis", 1_000L),
            entry("session", 7L),
            entry("taken", new long[] {7, 8}),
            entry("limit", 1_000),
            entry("bytes", 4L << 20),
            entry("max_message_bytes", 4L << 20),
            entry("key_types", new String[] {"order", "order"}),
            entry("key_ids", new String[] {"busy", "k7"}),
            entry("dead_letters_block", true),
            entry("entries", new long[] {5, 6}),
            entry("attempts", new int[] {1, 2}),
            entry("delays", new long[] {1_000, 2_000}),
            entry("error_classes", new String[] {"text", "text"}),
            entry("error_texts", new String[] {"text", "text"}),
            entry("answers", new String[] {"answer", ""}),
            entry("millis", new int[] {230, 231}));

    /** The lanes of a survey. */
    private static final Map<String, Object> LANES = Map.of(
            "subscriptions", new String[] {"s3", "s4", "s400"},
            "lanes", new int[] {0, 0, 3},
            "dead_letters_block", new boolean[] {true, false, true},
            "strict", new boolean[] {true, false, false});

    /** The reports of two lanes, of which one has nothing to report. */
    private static final Map<String, Object> REPORTS = Map.ofEntries(
            entry("subscriptions", new String[] {"s3", "s400"}),
            entry("lanes", new int[] {0, 3}),
            entry("epochs", new long[] {1, 0}),
            entry("strict", new boolean[] {true, false}),
            entry("follow", new boolean[] {true, false}),
            entry("in_flight", new int[] {5, 0}),
            entry("latency_millis", new Integer[] {20, null}),
            entry("unavailable_millis", new Long[] {1_000L, null}),
            entry("errors", new String[] {"refused", null}),
            entry("probe_millis", new Long[] {1_000L, null}),
            entry("rates", new String[] {"50/s", null}),
            entry("attempts_per_second", new Double[] {23.0, null}),
            entry("waits_for_rate", new Boolean[] {false, null}),
            entry("unused_millis", new Long[] {1_000L, null}));

    /** A statement, the index that must serve it, and the values that only it has. */
    record Planned(String statement, String index, Map<String, Object> values) {
        @Override
        public String toString() {
            return statement;
        }

        PreparedStatement explained(Connection connection) throws SQLException {
            Sql sql = Sql.text("explain (analyze, costs off, timing off) " + SqlFile.file("engine/" + statement))
                    .withKnown(VALUES);
            values.forEach(sql::with);
            return sql.prepared(connection);
        }
    }

    static Stream<Planned> statements() {
        long[] fresh = {15_001, 15_002};
        long[] stored = {5, 6};
        String[] text = {"text"};
        return Stream.of(
                new Planned("report", "outbox_subscription_pkey", REPORTS),
                new Planned("retry_due", "outbox_retry_due", Map.of()),
                new Planned("free_lanes", "outbox_subscription_pkey", Map.of("lanes", new int[] {4, 4})),
                new Planned("free_lanes", "outbox_relay_pkey", Map.of("lanes", new int[] {4, 4})),
                new Planned("show_relay", "outbox_relay_pkey", Map.of("lanes", new int[] {4, 4})),
                new Planned("leave_relays", "outbox_relay_pkey", Map.of()),
                new Planned("retry_followers", "outbox_retry_key", Map.of()),
                new Planned("survey", "outbox_retry_key", LANES),
                new Planned("survey", "outbox_retry_due", LANES),
                new Planned("survey", "outbox_dead_letter_key", LANES),
                new Planned("survey", "outbox_dead_letter_pkey", LANES),
                new Planned("retry_keys", "outbox_dead_letter_key", Map.of()),
                new Planned("unblock", "outbox_retry_key", Map.of("lanes", new int[] {0, 0})),
                new Planned("block_behind", "outbox_retry_key", Map.of("ids", new long[] {100_001, 100_002})),
                new Planned("vanished", "outbox_retry_pkey", Map.of("ids", new long[] {5, 15_001})),
                new Planned("retry_store", "outbox_dead_letter_pkey", Map.of("ids", fresh)),
                new Planned("retry_store_again", "outbox_retry_pkey", Map.of("ids", stored)),
                new Planned("retry_block", "outbox_dead_letter_pkey", Map.of("ids", fresh)),
                new Planned("retry_block_again", "outbox_retry_pkey", Map.of("ids", stored)),
                new Planned("retry_remove", "outbox_retry_pkey", Map.of("ids", stored)),
                new Planned(
                        "dead_letter_store",
                        "outbox_retry_pkey",
                        Map.of(
                                "ids",
                                new long[] {5, 15_001}, // from outbox_retry and from the outbox
                                "fresh",
                                new long[] {15_001},
                                "entries",
                                new long[] {5, 0},
                                "errors",
                                new long[] {1, 1},
                                "error_classes",
                                text,
                                "error_texts",
                                text,
                                "error_stacks",
                                text,
                                "steps",
                                text)));
    }

    @BeforeAll
    static void fill() throws Exception {
        empty = TestOutbox.create();
        large = filled();
        large.execute("analyze");
        emptyPool = empty.pool();
        largePool = large.pool();
    }

    private static TestOutbox filled() throws Exception {
        TestOutbox large = TestOutbox.create();
        large.insertMany(20_000, 1_000);
        large.execute("insert into outbox_subscription (name, lane, lanes, position)"
                + " select 's' || s, lane, 4, 0 from generate_series(1, 500) s, generate_series(0, 3) lane;"
                + " insert into outbox_relay (subscription, relay, lanes, until) select 's' || s, 'relay-' || n, 4, now()"
                + " from generate_series(1, 500) s, generate_series(1, 10) n");
        // Of each of five subscriptions: a key with 10,000 messages whose head is due, and 1,000 keys with one or two.
        large.execute("insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                + " payload, created_at, blocked, next_attempt_at) select 's' || s, n, gen_random_uuid(), 'order',"
                + " case when n <= 10000 then 'busy' else 'k' || n % 1000 end, 'order.created', '{}', now(),"
                + " n between 2 and 10000 or n > 11000, case when n between 2 and 10000 or n > 11000 then null"
                + " else now() + (n - 10100) * interval '1 second' end"
                + " from generate_series(1, 5) s, generate_series(1, 12000) n");
        large.execute("insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id,"
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
            try (var explain = statement.explained(connection);
                    var rows = explain.executeQuery()) {
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
            connection.rollback();
            return plan.toString();
        }
    }
}
