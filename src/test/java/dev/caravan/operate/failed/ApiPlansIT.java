package dev.caravan.operate.failed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
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
    private static final Map<String, Object[]> STATEMENTS = new LinkedHashMap<>();

    private static FailureTables empty;
    private static FailureTables large;

    static {
        STATEMENTS.put("operate/keys_blocked_by_waiting", new Object[] {"s3", 10_000, Instant.MAX, 1_001, 20});
        STATEMENTS.put("operate/keys_blocked_by_dead", new Object[] {"s3", 9_999, Instant.MAX, 20, 1_001});
        STATEMENTS.put(
                "operate/delivered_since",
                new Object[] {new String[] {"s3"}, new String[] {"2026-01-31T10:00:00Z"}, false});
        STATEMENTS.put("operate/dead_letter_groups", new Object[] {
            new String[] {"s2", "s3"}, Instant.MIN, Instant.MAX, Instant.EPOCH, 7_200L, 200_000L, 500, 201
        });
        STATEMENTS.put("operate/dead_letter_many_groups", new Object[] {
            new String[] {"s2", "s3"}, Instant.MIN, Instant.MAX, 200_000, 201, Instant.EPOCH, 7_200L
        });
        STATEMENTS.put(
                "operate/group_marks",
                new Object[] {new String[] {"s2"}, new long[] {7}, new String[] {"broken pipe 7"}});
        STATEMENTS.put("operate/recent_dead_letters", new Object[] {new String[] {"s2", "s3"}, Instant.EPOCH, 1_001});
        STATEMENTS.put("operate/gaps", new Object[] {"s3", 10_000, 100_000, 100});
        STATEMENTS.put("console/outbox_ends", new Object[] {});
        STATEMENTS.put(
                "console/find_messages",
                new Object[] {90_000L, 89_000L, "order", "order", "89500", null, null, ALL_TYPES, 100});
        STATEMENTS.put("operate/by_id", new Object[] {7L, 7L, 7L});
        STATEMENTS.put("operate/newest_of_key", new Object[] {9_000, "order", "89500", 50});
        STATEMENTS.put("console/message_by_id", new Object[] {1L << 24, 7L, 7L, 7L, 7L});
        STATEMENTS.put("console/message_states", new Object[] {"order.created", "order", "7", 7L});
    }

    /** The parameters of each statement that reads a page, by its name; each key has 30 messages, all but the first blocked. */
    private static final Map<String, Object[]> PAGES = Map.of(
            "operate/waiting_page_soonest of those that are tried",
            new Object[] {"s3", Instant.MIN, Instant.MIN, Long.MIN_VALUE, 200, 200, false, ALL_TYPES, null, null},
            "operate/waiting_page_latest of those that are tried",
            new Object[] {"s3", Instant.MAX, Instant.MAX, Long.MIN_VALUE, 200, 200, false, ALL_TYPES, null, null},
            "operate/waiting_page_highest_id of what is blocked",
            new Object[] {
                "s3", Long.MAX_VALUE, null, null, null, null, null, null, null, "s3", 200, true, ALL_TYPES, null, null
            },
            "operate/waiting_page_lowest_id of what is blocked",
            new Object[] {
                "s3", Long.MIN_VALUE, null, null, null, null, null, null, null, "s3", 200, true, ALL_TYPES, null, null
            },
            "operate/waiting_page_lowest_id of a key",
            new Object[] {
                "s3",
                Long.MIN_VALUE,
                "order",
                "order",
                "7",
                "order",
                "7",
                "order",
                "7",
                "s3",
                200,
                true,
                ALL_TYPES,
                null,
                null
            },
            "operate/dead_letter_page_newest of all",
            new Object[] {
                "s3", Instant.MAX, Long.MIN_VALUE, Instant.MIN, 200, ALL_TYPES, null, null, Instant.MIN, Instant.MAX
            },
            "operate/dead_letter_page_oldest of all",
            new Object[] {
                "s3", Instant.MIN, Long.MIN_VALUE, Instant.MAX, 200, ALL_TYPES, null, null, Instant.MIN, Instant.MAX
            },
            "operate/dead_letter_page_lowest_id of all",
            new Object[] {"s3", Long.MIN_VALUE, 200, ALL_TYPES, null, null, Instant.MIN, Instant.MAX},
            "operate/dead_letter_page_highest_id of all",
            new Object[] {"s3", Long.MAX_VALUE, 200, ALL_TYPES, null, null, Instant.MIN, Instant.MAX},
            "operate/blockers of keys",
            new Object[] {"s3", new String[] {"order", "order"}, new String[] {"7", "8"}});

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
        large.database.execute(
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

    private static String plan(FailureTables tables, String explain, String statement, Object[] parameters)
            throws SQLException {
        try (Connection connection = tables.database.dataSource().getConnection();
                var settings = connection.createStatement()) {
            connection.setAutoCommit(false);
            settings.execute(Transaction.PLANS);
            if (statement.endsWith("_groups") || statement.endsWith("keys_blocked_by_dead")) {
                settings.execute(DeadLetterGroups.ORDER);
            }
            StringBuilder plan = new StringBuilder();
            try (var explained =
                    connection.prepareStatement(explain + Sql.file(statement).text())) {
                for (int i = 0; i < parameters.length; i++) {
                    explained.setObject(i + 1, jdbc(parameters[i]));
                }
                var rows = explained.executeQuery();
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
            return plan.toString();
        }
    }

    private static Object jdbc(Object value) {
        if (value instanceof Instant time) {
            return time.equals(Instant.MIN)
                    ? OffsetDateTime.MIN
                    : time.equals(Instant.MAX) ? OffsetDateTime.MAX : time.atOffset(ZoneOffset.UTC);
        }
        return value;
    }
}
