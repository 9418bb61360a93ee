package dev.caravan.operate.failed;

import static dev.caravan.operate.failed.StatementPlansIT.values;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import dev.caravan.database.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The queries of the HTTP API, and the pages of the lists, use an index in each transaction, on an empty table and on large ones that were
 * just filled.
 */
class ApiPlansIT {
    private static final String[] ALL_TYPES = {"%"};
    private static final Map<String, Map<String, Object>> STATEMENTS = new LinkedHashMap<>();

    /** Values of the statements that read a page, by name; each key has 30 messages, all but the first blocked. */
    private static final Map<String, Map<String, Object>> PAGES = new LinkedHashMap<>();

    private static FailureTables empty;
    private static FailureTables large;

    static {
        String[] some = {"s2", "s3"};
        Map<String, Object> blocked = values("subscription", "s3", "since", Instant.MAX, "counted", 1_001, "limit", 20);
        STATEMENTS.put("operate/keys_blocked_by_waiting", with(blocked, "examined", 10_000));
        STATEMENTS.put("operate/keys_blocked_by_dead", with(blocked, "examined", 9_999));
        STATEMENTS.put(
                "operate/delivered_since",
                values(
                        "subscriptions",
                        new String[] {"s3"},
                        "since",
                        new String[] {"2026-01-31T10:00:00Z"},
                        "complete",
                        false));
        Map<String, Object> ever = values("subscriptions", some, "since", Instant.MIN, "until", Instant.MAX);
        Map<String, Object> groups = with(ever, "trendFrom", Instant.EPOCH, "trendSeconds", 7_200L, "largest", 201);
        STATEMENTS.put("operate/dead_letter_groups", with(groups, "counted", 200_000L, "few", 500));
        STATEMENTS.put("operate/dead_letter_many_groups", with(groups, "counted", 200_000));
        STATEMENTS.put(
                "operate/group_marks",
                values("subscriptions", new String[] {"s2"}, "groups", new long[] {7}, "errors", new String[] {
                    "broken pipe 7"
                }));
        STATEMENTS.put(
                "operate/recent_dead_letters", values("subscriptions", some, "since", Instant.EPOCH, "limit", 1_001));
        STATEMENTS.put(
                "operate/gaps", values("subscription", "s3", "ranges", 10_000, "messages", 100_000, "shown", 100));
        STATEMENTS.put("console/end_of_window", values("highest", 90_000L, "window", 1_000));
        Map<String, Object> ofKey = values("keyType", "order", "keyId", "89500");
        STATEMENTS.put(
                "console/find_messages",
                with(
                        with(ofKey, "highest", 90_000L, "window", 1_000, "messageId", null),
                        "types",
                        ALL_TYPES,
                        "limit",
                        100));
        STATEMENTS.put("operate/by_id", Map.of("id", 7L));
        STATEMENTS.put("operate/newest_of_key", with(ofKey, "examined", 9_000, "limit", 50));
        STATEMENTS.put("console/message_by_id", Map.of("id", 7L, "mostBytes", 1L << 24));
        STATEMENTS.put(
                "console/message_states",
                values("type", "order.created", "keyType", "order", "keyId", "7", "id", 7L, "intake", null));

        Map<String, Object> list = values("subscription", "s3", "rows", 200, "types", ALL_TYPES, "error", null);
        Map<String, Object> waiting = with(list, "failingSince", null);
        Map<String, Object> tried = with(waiting, "id", Long.MIN_VALUE, "blocked", false);
        Map<String, Object> highest = with(waiting, "id", Long.MAX_VALUE, "blocked", true);
        Map<String, Object> lowest = with(waiting, "id", Long.MIN_VALUE, "blocked", true);
        PAGES.put("operate/waiting_page_soonest of those that are tried", with(tried, "time", Instant.MIN));
        PAGES.put("operate/waiting_page_latest of those that are tried", with(tried, "time", Instant.MAX));
        PAGES.put("operate/waiting_page_highest_id of what is blocked", with(highest, "keyType", null, "keyId", null));
        PAGES.put("operate/waiting_page_lowest_id of what is blocked", with(lowest, "keyType", null, "keyId", null));
        PAGES.put("operate/waiting_page_lowest_id of a key", with(lowest, "keyType", "order", "keyId", "7"));
        Map<String, Object> dead = with(list, "group", null, "since", Instant.MIN, "until", Instant.MAX);
        Map<String, Object> deadFromLowest = with(dead, "id", Long.MIN_VALUE);
        PAGES.put(
                "operate/dead_letter_page_newest of all",
                with(deadFromLowest, "time", Instant.MAX, "bound", Instant.MIN));
        PAGES.put(
                "operate/dead_letter_page_oldest of all",
                with(deadFromLowest, "time", Instant.MIN, "bound", Instant.MAX));
        PAGES.put("operate/dead_letter_page_lowest_id of all", deadFromLowest);
        PAGES.put("operate/dead_letter_page_highest_id of all", with(dead, "id", Long.MAX_VALUE));
        PAGES.put(
                "operate/blockers of keys",
                values("subscription", "s3", "keyTypes", new String[] {"order", "order"}, "keyIds", new String[] {
                    "7", "8"
                }));
    }

    private static Map<String, Object> with(Map<String, Object> values, Object... more) {
        Map<String, Object> all = values(more);
        all.putAll(values);
        return all;
    }

    static Stream<String> statements() {
        return STATEMENTS.keySet().stream();
    }

    @BeforeAll
    static void fill() throws SQLException {
        empty = new FailureTables();
        large = new FailureTables();
        large.deadMany("s2", 20_000);
        large.deadMany("s3", 20_000);
        large.database.insert(100_000);
        large.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, blocked,"
                        + " next_attempt_at, first_failed_at) select 's3', n, gen_random_uuid(), 'order', (n % 1000)::text, 't', now(),"
                        + " n > 1000, case when n <= 1000 then now() + n * interval '1 s' end, now()"
                        + " from generate_series(1, 30000) n;"
                        + " insert into outbox_subscription (name, position, gaps)"
                        + " select 's' || n, 100000, '{[5,6),[70,80)}' from generate_series(1, 5) n");
    }

    @ParameterizedTest
    @MethodSource("statements")
    void on_a_large_table_no_table_is_scanned(String statement) throws SQLException {
        String plan = plan(large, "explain ", statement);

        assertThat(plan)
                .contains("Index")
                .doesNotContain("Seq Scan on outbox_dead", "Seq Scan on outbox_retry", "Seq Scan on outbox_from");
    }

    @ParameterizedTest
    @MethodSource("statements")
    void on_an_empty_table_too(String statement) throws SQLException {
        assertThat(plan(empty, "explain ", statement))
                .doesNotContain("Seq Scan on outbox_dead", "Seq Scan on outbox_retry", "Seq Scan on outbox_from");
    }

    /** Except for the heads of keys, which are sorted, and the groups, a query reads only a page. */
    @ParameterizedTest
    @MethodSource("statements")
    void only_what_is_requested_is_read(String statement) throws SQLException {
        String plan = plan(large, "explain (analyze, costs off, timing off) ", statement);

        if (statement.endsWith("_groups")) {
            assertThat(plan).contains("outbox_dead_letter_group").doesNotContain("outbox_dead_letter_time");
        } else {
            assertThat(plan).doesNotContainPattern("rows=\\d{5,}\\b");
        }
    }

    static Stream<String> pages() {
        return PAGES.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void a_page_is_all_that_is_read_of_a_table_that_was_just_filled(String page) throws SQLException {
        String file = page.substring(0, page.indexOf(' '));

        assertThat(plan(large, "explain (analyze, costs off, timing off) ", file, PAGES.get(page)))
                .contains("Index")
                .doesNotContain("Seq Scan on outbox_dead", "Seq Scan on outbox_retry")
                .doesNotContainPattern("rows=([3-9]\\d\\d|[1-9]\\d{3,})\\b")
                .doesNotContainPattern("Rows Removed by Filter: [3-9]\\d{2,}");
    }

    private static String plan(FailureTables tables, String explain, String statement) throws SQLException {
        return plan(tables, explain, statement, STATEMENTS.get(statement));
    }

    private static String plan(FailureTables tables, String explain, String statement, Map<String, Object> values)
            throws SQLException {
        try (Connection connection = tables.dataSource().getConnection();
                var settings = connection.createStatement()) {
            connection.setAutoCommit(false);
            settings.execute(Transaction.PLANS);
            if (statement.endsWith("_groups") || statement.endsWith("keys_blocked_by_dead")) {
                settings.execute(DeadLetterGroups.ORDER);
            }
            Sql explained = Sql.text(explain + SqlFile.file(statement)).withKnown(values);
            return String.join("\n", explained.query(connection, row -> row.getString(1)));
        }
    }
}
