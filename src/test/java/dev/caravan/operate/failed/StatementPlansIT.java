package dev.caravan.operate.failed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import dev.caravan.database.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
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

    /** Statements with named parameters; those with a word after the name are variants. */
    private static final Map<String, Map<String, Object>> STATEMENTS = new LinkedHashMap<>();

    private static FailureTables empty;
    private static FailureTables large;

    static {
        STATEMENTS.put("operate/dead_letter_subscriptions", Map.of());
        STATEMENTS.put("operate/discarded_subscriptions", Map.of());
        STATEMENTS.put("operate/delete_discarded", Map.of("name", "s3"));
        STATEMENTS.put("operate/waiting_subscriptions", Map.of());
        STATEMENTS.put("operate/latest_audit", Map.of("before", Long.MAX_VALUE, "limit", 50));
        STATEMENTS.put(
                "operate/audit_of_subscription", Map.of("subscription", "s3", "before", Long.MAX_VALUE, "limit", 50));
        STATEMENTS.put("operate/audit_of_message", Map.of("subscriptions", new String[] {"s3", "s4"}, "id", 7L));
        STATEMENTS.put("operate/prune_audit", Map.of("limit", 1_000, "seconds", 86_400L));
        STATEMENTS.put("operate/update_audit", Map.of("detail", "{}", "id", 7L));
        STATEMENTS.put("operate/subscription_stored", Map.of("name", "s3"));
        STATEMENTS.put("operate/subscription_content", Map.of("name", "s3"));
        STATEMENTS.put("operate/delete_retries", Map.of("name", "s3"));
        STATEMENTS.put("operate/delete_dead_letters", Map.of("name", "s3"));
        STATEMENTS.put("operate/change_lanes", Map.of("name", "s3", "lanes", 4));
        STATEMENTS.put("operate/move_retries", Map.of("name", "s3", "lanes", 4));
        STATEMENTS.put("operate/move_dead_letters", Map.of("name", "s3", "lanes", 4));
        STATEMENTS.put("routes/recent_types", Map.of("messages", 10_000));
        Map<String, Object> list = values("subscription", "s3", "rows", 2_000, "types", RARE, "error", "broken");
        Map<String, Object> dead = with(list, "group", null, "since", Instant.MIN, "until", Instant.MAX);
        Map<String, Object> newest = with(dead, "time", Instant.MAX, "id", Long.MIN_VALUE, "bound", Instant.MIN);
        Map<String, Object> ofGroup = with(dead, "id", Long.MAX_VALUE);
        ofGroup.put("group", 7L);
        STATEMENTS.put("operate/dead_letter_page_newest", newest);
        STATEMENTS.put(
                "operate/dead_letter_page_oldest",
                with(dead, "time", Instant.MIN, "id", Long.MIN_VALUE, "bound", Instant.MAX));
        STATEMENTS.put("operate/dead_letter_page_lowest_id", with(dead, "id", Long.MIN_VALUE));
        STATEMENTS.put("operate/dead_letter_page_highest_id", with(dead, "id", Long.MAX_VALUE));
        STATEMENTS.put("operate/dead_letter_page_newest of a key", with(newest, "keyType", "order", "keyId", "7"));
        STATEMENTS.put(
                "operate/dead_letter_page_newest of a group", with(ofGroup, "time", Instant.MAX, "bound", Instant.MIN));
        STATEMENTS.put("operate/dead_letter_page_highest_id of a group", ofGroup);
        Map<String, Object> byId = values("subscription", "s3", "ids", IDS);
        STATEMENTS.put("operate/dead_letters_by_id", with(byId, "most", 1L << 24));
        STATEMENTS.put("operate/waiting_by_id", with(byId, "most", 1L << 24));
        STATEMENTS.put("operate/discarded_by_id", byId);
        STATEMENTS.put("operate/dead_letters_of_message", values("messageId", new UUID(1, 2)));
        Map<String, Object> discarded = with(
                list,
                "time",
                Instant.MAX,
                "id",
                Long.MIN_VALUE,
                "since",
                Instant.MIN,
                "keyType",
                null,
                "keyId",
                null,
                "group",
                null,
                "discard",
                new UUID(1, 2));
        STATEMENTS.put("operate/discarded_page", discarded);
        STATEMENTS.put("operate/prune_discarded", values("subscription", "s3", "seconds", 7L, "rows", 1_000));
        STATEMENTS.put(
                "operate/retry_edited_dead_letter",
                values(
                        "subscription",
                        "s3",
                        "id",
                        7L,
                        "micros",
                        7L,
                        "headers",
                        "{}",
                        "payload",
                        null,
                        "payloadBytes",
                        new byte[1],
                        "who",
                        "anna",
                        "via",
                        "command",
                        "reason",
                        null));
        Map<String, Object> due = with(list, "blocked", false, "failingSince", Instant.MAX, "id", Long.MIN_VALUE);
        STATEMENTS.put("operate/waiting_page_soonest", with(due, "time", Instant.MIN));
        STATEMENTS.put("operate/waiting_page_latest", with(due, "time", Instant.MAX));
        Map<String, Object> blocked =
                with(list, "blocked", true, "failingSince", Instant.MAX, "keyType", null, "keyId", null);
        STATEMENTS.put("operate/waiting_page_lowest_id", with(blocked, "id", Long.MIN_VALUE));
        STATEMENTS.put("operate/waiting_page_highest_id", with(blocked, "id", Long.MAX_VALUE));
        STATEMENTS.put(
                "operate/blockers",
                values("subscription", "s3", "keyTypes", new String[] {"order", "order"}, "keyIds", new String[] {
                    "7", "busy"
                }));
        Map<String, Object> change = values(
                "subscription",
                "s3",
                "ids",
                IDS,
                "micros",
                IDS,
                "action",
                "retry",
                "who",
                "anna",
                "via",
                "command",
                "reason",
                "why");
        STATEMENTS.put("operate/retry_dead_letters", change);
        STATEMENTS.put("operate/discard_dead_letters", with(change, "discard", new UUID(1, 2), "stored", true));
        STATEMENTS.put("operate/undo_discard", change);
        STATEMENTS.put("operate/retry_waiting", change);
        STATEMENTS.put("operate/give_up", change);
        STATEMENTS.put("operate/retry_outcome", values("ids", IDS, "subscription", "s3", "startedAt", Instant.MIN));
        Map<String, Object> page = values(
                "subscription",
                "s3",
                "after",
                7L,
                "rows",
                2_000,
                "since",
                Instant.MIN,
                "until",
                Instant.MAX,
                "types",
                RARE,
                "keyType",
                null,
                "keyId",
                null,
                "error",
                "broken");
        STATEMENTS.put("operate/job_page_of_dead_letters", with(page, "ids", null, "group", null));
        STATEMENTS.put("operate/job_page_of_dead_letters of selected ones", with(page, "ids", IDS, "group", 7L));
        STATEMENTS.put("operate/job_page_of_waiting", with(page, "ids", null, "failingSince", Instant.MAX));
        STATEMENTS.put("operate/job_page_of_waiting of selected ones", with(page, "ids", IDS, "failingSince", null));
        STATEMENTS.put("operate/job_page_of_discarded", with(page, "ids", null, "discard", new UUID(1, 2)));
        STATEMENTS.put("operate/job_page_of_discarded of selected ones", with(page, "ids", IDS, "discard", null));
        Map<String, Object> replay = values(
                "after",
                5L,
                "upTo",
                90_000L,
                "examined",
                5_000,
                "subscription",
                "s3",
                "selected",
                ALL_TYPES,
                "types",
                ALL_TYPES,
                "keyType",
                null,
                "keyId",
                null,
                "since",
                Instant.MIN,
                "until",
                Instant.MAX,
                "wanted",
                1_000);
        STATEMENTS.put("operate/count_replay", replay);
        STATEMENTS.put("operate/replay", with(replay, "forget", true));
    }

    static Map<String, Object> values(Object... namesAndValues) {
        Map<String, Object> values = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return values;
    }

    static Map<String, Object> with(Map<String, Object> values, Object... more) {
        Map<String, Object> all = values(more);
        all.putAll(values);
        return all;
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
        large.database.execute(
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
        try (Connection connection = large.database.dataSource().getConnection()) {
            assertIndexed(plan(connection, statement));
        }
    }

    @ParameterizedTest
    @MethodSource("statements")
    void on_an_empty_table_an_index_serves_as_soon_as_scans_are_off_as_in_each_transaction(String statement)
            throws SQLException {
        try (Connection connection = empty.database.dataSource().getConnection();
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
        var settings = Transaction.run(empty.database.dataSource(), connection -> {
            try (var statement = connection.createStatement();
                    var row = statement.executeQuery("show enable_seqscan")) {
                row.next();
                return row.getString(1);
            }
        });
        assertThat(settings).isEqualTo("off");
        assertThat(empty.database.text("show enable_seqscan")).isEqualTo("on");
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
        Sql explained = Sql.text("explain " + sql).withKnown(STATEMENTS.get(statement));
        return String.join("\n", explained.query(connection, row -> row.getString(1)));
    }
}
