package dev.caravan.operate.failed;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import dev.caravan.database.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every statement on the tables of failures uses an index, on an empty and on a large table. */
class StatementPlansIT {
    private static final long[] IDS =
            LongStream.rangeClosed(1, 1_000).map(n -> n * 3).toArray();
    private static final String[] ALL_TYPES = {"%"};
    private static final String[] RARE = {"rare%"};

    private static final String DISCARDED =
            " insert into outbox_discarded (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                    + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack,"
                    + " edited, error_group, discard, discarded_at, who, reason) select subscription, id + 2000000,"
                    + " message_id, aggregate_type, aggregate_id, type, created_at, attempts, first_failed_at,"
                    + " last_failed_at, error_class, error_text, error_stack, edited, error_group, message_id, now(),"
                    + " 'anna', 'why' from outbox_dead_letter;";

    /** The values of all parameters, by name. A statement has those that it needs, unless it names others. */
    private static final Map<String, Object> VALUES = new HashMap<>(Map.ofEntries(
            entry("action", "retry"),
            entry("after", 7L),
            entry("before", Long.MAX_VALUE),
            entry("blocked", false),
            entry("bound", Instant.MIN),
            entry("detail", "{}"),
            entry("discard", new UUID(1, 2)),
            entry("error", "broken"),
            entry("examined", 5_000),
            entry("failingSince", Instant.MAX),
            entry("forget", true),
            entry("headers", "{}"),
            entry("id", 7L),
            entry("ids", IDS),
            entry("keyIds", new String[] {"7", "busy"}),
            entry("keyTypes", new String[] {"order", "order"}),
            entry("lanes", 4),
            entry("limit", 1_000),
            entry("messageId", new UUID(1, 2)),
            entry("messages", 10_000),
            entry("micros", IDS),
            entry("most", 1L << 24),
            entry("name", "s3"),
            entry("payloadBytes", new byte[1]),
            entry("reason", "why"),
            entry("rows", 2_000),
            entry("seconds", 86_400L),
            entry("selected", ALL_TYPES),
            entry("since", Instant.MIN),
            entry("startedAt", Instant.MIN),
            entry("stored", true),
            entry("subscription", "s3"),
            entry("subscriptions", new String[] {"s3", "s4"}),
            entry("time", Instant.MAX),
            entry("types", RARE),
            entry("until", Instant.MAX),
            entry("upTo", 90_000L),
            entry("via", "command"),
            entry("wanted", 1_000),
            entry("who", "anna")));

    /** Other values of statements; those with a word after the name are variants. */
    private static final Map<String, Map<String, Object>> STATEMENTS = new LinkedHashMap<>();

    private static FailureTables empty;
    private static FailureTables large;

    static {
        List.of("group", "keyId", "keyType", "payload").forEach(name -> VALUES.put(name, null));
        List.of(
                        "operate/dead_letter_subscriptions",
                        "operate/discarded_subscriptions",
                        "operate/delete_discarded",
                        "operate/waiting_subscriptions",
                        "operate/latest_audit",
                        "operate/audit_of_subscription",
                        "operate/audit_of_message",
                        "operate/prune_audit",
                        "operate/update_audit",
                        "operate/subscription_stored",
                        "operate/subscription_content",
                        "operate/delete_retries",
                        "operate/delete_dead_letters",
                        "operate/change_lanes",
                        "operate/move_retries",
                        "operate/move_dead_letters",
                        "routes/recent_types",
                        "operate/dead_letters_by_id",
                        "operate/waiting_by_id",
                        "operate/discarded_by_id",
                        "operate/dead_letters_of_message",
                        "operate/prune_discarded",
                        "operate/blockers",
                        "operate/retry_dead_letters",
                        "operate/discard_dead_letters",
                        "operate/undo_discard",
                        "operate/retry_waiting",
                        "operate/give_up",
                        "operate/retry_outcome")
                .forEach(StatementPlansIT::statement);
        statement("operate/dead_letter_page_newest", "id", Long.MIN_VALUE);
        statement("operate/dead_letter_page_oldest", "time", Instant.MIN, "id", Long.MIN_VALUE, "bound", Instant.MAX);
        statement("operate/dead_letter_page_lowest_id", "id", Long.MIN_VALUE);
        statement("operate/dead_letter_page_highest_id", "id", Long.MAX_VALUE);
        statement("operate/dead_letter_page_newest of a key", "id", Long.MIN_VALUE, "keyType", "order", "keyId", "7");
        statement("operate/dead_letter_page_newest of a group", "id", Long.MAX_VALUE, "group", 7L);
        statement("operate/dead_letter_page_highest_id of a group", "id", Long.MAX_VALUE, "group", 7L);
        statement("operate/discarded_page", "id", Long.MIN_VALUE);
        statement("operate/retry_edited_dead_letter", "micros", 7L, "reason", null);
        statement("operate/waiting_page_soonest", "id", Long.MIN_VALUE, "time", Instant.MIN);
        statement("operate/waiting_page_latest", "id", Long.MIN_VALUE);
        statement("operate/waiting_page_lowest_id", "id", Long.MIN_VALUE, "blocked", true);
        statement("operate/waiting_page_highest_id", "id", Long.MAX_VALUE, "blocked", true);
        statement("operate/job_page_of_dead_letters", "ids", null);
        statement("operate/job_page_of_dead_letters of selected ones", "group", 7L);
        statement("operate/job_page_of_waiting", "ids", null);
        statement("operate/job_page_of_waiting of selected ones", "failingSince", null);
        statement("operate/job_page_of_discarded", "ids", null);
        statement("operate/job_page_of_discarded of selected ones", "discard", null);
        statement("operate/count_replay", "types", ALL_TYPES);
        statement("operate/replay", "types", ALL_TYPES);
    }

    private static void statement(String name, Object... namesAndValues) {
        STATEMENTS.put(name, values(namesAndValues));
    }

    static Map<String, Object> values(Object... namesAndValues) {
        Map<String, Object> values = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return values;
    }

    static Stream<String> statements() {
        return STATEMENTS.keySet().stream();
    }

    @BeforeAll
    static void start() throws SQLException {
        empty = new FailureTables();
        large = new FailureTables();
        for (int subscription = 1; subscription <= 5; subscription++) {
            large.deadMany("s" + subscription, 20_000);
        }
        large.database.insert(100_000);
        large.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, payload,"
                        + " created_at, blocked, attempts, next_attempt_at) select subscription, id + 1000000, message_id,"
                        + " aggregate_type, aggregate_id, type, payload, created_at, false, 1, now() from"
                        + " outbox_dead_letter;"
                        + DISCARDED
                        + " insert into outbox_audit (who, action, subscription, message) select 'anna', 'retry',"
                        + " subscription, id from outbox_dead_letter; insert into outbox_idempotent select"
                        + " subscription, message_id::text from outbox_dead_letter; insert into outbox_subscription"
                        + " (name, position) select 's' || n, 100000 from generate_series(1, 5) n; analyze");
    }

    @ParameterizedTest
    @MethodSource("statements")
    void on_a_large_table_no_table_is_scanned(String statement) throws SQLException {
        try (Connection connection = large.dataSource().getConnection()) {
            assertIndexed(plan(connection, statement));
        }
    }

    @ParameterizedTest
    @MethodSource("statements")
    void on_an_empty_table_an_index_serves_as_soon_as_scans_are_off_as_in_each_transaction(String statement)
            throws SQLException {
        try (Connection connection = empty.dataSource().getConnection();
                var settings = connection.createStatement()) {
            connection.setAutoCommit(false);
            settings.execute("set local enable_seqscan = off");
            String plan = plan(connection, statement);
            assertIndexed(plan);
            assertThat(plan).doesNotContain("Seq Scan on outbox_default");
        }
    }

    @Test
    void a_transaction_of_an_operation_turns_scans_off_and_leaves_them_on_afterwards() throws SQLException {
        var settings = Transaction.run(
                empty.dataSource(), connection -> Sql.rows(connection, "show enable_seqscan", row -> row.getString(1)));
        assertThat(settings).containsExactly("off");
        assertThat(empty.text("show enable_seqscan")).isEqualTo("on");
    }

    /** The default partition of the outbox stays empty: reading its zero pages is as good as its index. */
    private static void assertIndexed(String plan) {
        assertThat(plan)
                .doesNotContain(
                        "Seq Scan on outbox_dead_letter",
                        "Seq Scan on outbox_discarded",
                        "Seq Scan on outbox_retry",
                        "Seq Scan on outbox_audit",
                        "Seq Scan on outbox_idempotent",
                        "Seq Scan on outbox_from")
                .contains("Index");
    }

    private static String plan(Connection connection, String statement) throws SQLException {
        String page = SqlFile.file(statement.replaceAll(" .*", ""));
        String sql = statement.endsWith(" of a key")
                ? DeadLetterSearch.OF_KEY + page
                : statement.endsWith(" of a group") ? DeadLetterSearch.OF_GROUP + page : page;
        Sql explained = Sql.text("explain " + sql).withKnown(VALUES).withKnown(STATEMENTS.get(statement));
        return String.join("\n", explained.query(connection, row -> row.getString(1)));
    }
}
