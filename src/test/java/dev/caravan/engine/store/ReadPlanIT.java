package dev.caravan.engine.store;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.caravan.base.message.Key;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.schedule.Order;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

class ReadPlanIT {
    private static final String MOST = "16777216, 16777216, ";

    /** The sequence is one row without an index. */
    private static final String SEQUENCE =
            " +-> +Seq Scan on (public\\.)?outbox_id_seq.*\\n( +Output: .*\\n)?( +Disabled: true\\n)?";

    private final TestOutbox outbox = TestOutbox.create();
    private Connection session;

    @BeforeEach
    void connect() throws Exception {
        outbox.jdbc()
                .execute("create table outbox_from_1000000 partition of outbox for values from (1000000) to (2000000)");
        session = outbox.pool().getConnection();
    }

    @AfterEach
    void close() throws Exception {
        session.close();
    }

    @Test
    void the_read_walks_the_primary_key_on_an_empty_table() throws Exception {
        assertThat(planOf(0, "{}")).satisfies(ReadPlanIT::walksThePrimaryKey);
    }

    @Test
    void the_read_walks_the_primary_key_when_the_table_was_filled_after_it_was_prepared() throws Exception {
        for (int i = 0; i < 10; i++) {
            planOf(0, "{}"); // made for an empty table, and kept
        }
        outbox.insertMany(50_000, 100);
        assertThat(planOf(25_000, "{}")).satisfies(ReadPlanIT::walksThePrimaryKey);

        outbox.jdbc().execute("analyze outbox");

        assertThat(planOf(25_000, "{}")).satisfies(ReadPlanIT::walksThePrimaryKey);
    }

    @Test
    void the_read_walks_the_primary_key_for_gaps_too() throws Exception {
        outbox.insertMany(50_000, 100);
        outbox.jdbc().execute("analyze outbox");
        StringBuilder gaps = new StringBuilder("{[1,2)");
        for (int id = 10; id < 5_000; id += 10) {
            gaps.append(",[").append(id).append(',').append(id + 2).append(')');
        }

        String plan = planOf(49_990, gaps.append('}').toString());

        assertThat(plan).satisfies(ReadPlanIT::walksThePrimaryKey);
    }

    /** A read of a table with 300 partitions that opens all of them takes five times as long. */
    @Test
    void the_read_opens_no_partition_below_the_gaps_and_the_position() throws Exception {
        for (String gaps : List.of("{}", "{[1000400,1000405),[1000410,1000411)}")) {
            assertThat(planOf(1_000_500, gaps))
                    .contains("outbox_from_1000000_pkey")
                    .doesNotContain("outbox_from_0");
        }
        assertThat(planOf(1_000_500, "{[999999,1000001)}")).contains("outbox_from_0_pkey", "outbox_from_1000000_pkey");
    }

    @Test
    void the_read_of_one_of_several_lanes_does_so_too_and_inlines_the_function() throws Exception {
        assertThat(planOfLane(0, "{}")).satisfies(ReadPlanIT::walksThePrimaryKey);
        outbox.insertMany(50_000, 100);
        assertThat(planOfLane(25_000, "{[1,5)}")).satisfies(ReadPlanIT::walksThePrimaryKey);

        outbox.jdbc().execute("analyze outbox");

        assertThat(planOfLane(25_000, "{[1,5)}"))
                .satisfies(ReadPlanIT::walksThePrimaryKey)
                .contains("hashtextextended")
                .doesNotContain("outbox_lane");
    }

    /** Postgres then estimates many rows for a plan that it keeps, whatever the limit of a read. */
    @Test
    void the_read_of_a_huge_table_is_neither_parallel_nor_compiled() throws Exception {
        outbox.insertMany(50_000, 100);
        outbox.execute("analyze outbox");
        outbox.execute("update pg_class set reltuples = 2e9 where relname like 'outbox_from_0%'");

        for (String plan : List.of(planOf(0, "{[1,5)}"), planOfLane(0, "{[1,5)}"))) {
            assertThat(plan).satisfies(ReadPlanIT::walksThePrimaryKey).doesNotContain("Gather", "JIT");
        }
        assertThat(first("show jit")).isEqualTo("off");
    }

    @Test
    void a_session_plans_the_read_once() throws Exception {
        Sql read = statement(LaneId.only("plan")).of(new Read(0, "{}", Set.of(), Long.MAX_VALUE, 1000, 4 << 20));
        for (int i = 0; i < 20; i++) {
            read.query(session, row -> row);
        }

        assertThat(first("select generic_plans > 10 and custom_plans = 0 from pg_prepared_statements"
                        + " where statement like '%Reads the messages%'"))
                .isEqualTo("t");
    }

    /** A kept plan locks all partitions: with many of them and many lanes, the locks of the server would be used up. */
    @Test
    void a_read_of_many_partitions_locks_only_those_that_it_needs() throws Exception {
        for (int partition = 2; partition < 40; partition++) {
            outbox.execute(
                    "create table outbox_from_%1$d000000 partition of outbox for values from (%1$d000000) to (%2$d000000)"
                            .formatted(partition, partition + 1));
        }
        try (Connection later = outbox.pool().getConnection()) {
            later.setAutoCommit(false);
            Read read = new Read(38_000_500, "{[38000100,38000101)}", Set.of(), Long.MAX_VALUE, 1000, 4 << 20);
            try (var statement = statement(LaneId.only("plan")).of(read).prepared(later)) {
                for (int i = 0; i < 10; i++) {
                    statement.executeQuery().close();
                    later.commit();
                }
                statement.executeQuery().close();
            }
            assertThat(Sql.rows(
                            later,
                            "select relname from pg_locks join pg_class on pg_class.oid = relation"
                                    + " where pid = pg_backend_pid() and relname ~ '^outbox_(from_\\d+|default)$' order by relname",
                            row -> row.getString(1)))
                    .containsExactly("outbox_default", "outbox_from_38000000", "outbox_from_39000000");
            later.commit();
        }
    }

    /** TRUNCATE … RESTART IDENTITY locks the outbox first: in the other order, the two would lock each other out. */
    @Test
    void a_read_locks_the_outbox_before_its_sequence() throws Exception {
        int reader = Integer.parseInt(first("select pg_backend_pid()"));
        for (boolean planned : new boolean[] {false, true}) {
            try (Connection truncating = outbox.pool().getConnection()) {
                truncating.setAutoCommit(false);
                Sql.execute(truncating, "lock table outbox in access exclusive mode");
                var read = CompletableFuture.runAsync(
                        () -> assertThatCode(() -> planOf(0, "{}")).doesNotThrowAnyException());
                eventually(() -> assertThat(locks(truncating, reader)).contains("outbox false"));
                assertThat(locks(truncating, reader)).as("planned %s", planned).doesNotContain("outbox_id_seq true");
                truncating.commit();
                read.join();
            }
        }
    }

    private static List<String> locks(Connection connection, int session) throws SQLException {
        return Sql.rows(
                connection,
                "select relation::regclass || ' ' || granted from pg_locks where pid = " + session
                        + " and relation is not null",
                row -> row.getString(1));
    }

    /** They have several indexes to choose from, and none of them is right for tables of every size. */
    @Test
    void statements_on_tables_of_failures_are_planned_at_each_execution() throws Exception {
        JdbcTemplate jdbc = new JdbcTemplate(new SingleConnectionDataSource(session, true));
        RetryStore retries = new RetryStore(jdbc, LaneId.only("plan"), true);
        List<Key> keys = List.of(new Key("order", "a"));
        for (int i = 0; i < 20; i++) {
            retries.survey(Order.strict);
            retries.waiting(keys);
            retries.walk(0, 10);
            retries.due(new long[0], 10, 1000, 1 << 24);
            retries.followers(keys, 10, 1000, 1 << 24);
        }

        assertThat(first("select count(*) || ' of ' || count(*) filter (where custom_plans > 10 and generic_plans = 0)"
                        + " from pg_prepared_statements where statement ~ 'outbox_(retry|dead_letter)'"))
                .isEqualTo("4 of 4");
        assertThat(first("select count(*) from pg_prepared_statements where statement ~ 'Surveys'"))
                .as("the server keeps no plan of the survey")
                .isEqualTo("0");
        session.setAutoCommit(false);
        Sql.file("engine/begin_save").with("idle_timeout", "1000").query(jdbc, row -> row);
        assertThat(first("show plan_cache_mode")).isEqualTo("force_custom_plan");
        session.commit();
        assertThat(first("show plan_cache_mode")).isEqualTo("force_generic_plan");
    }

    private String first(String query) throws SQLException {
        return Sql.rows(session, query, row -> row.getString(1)).get(0);
    }

    private static void walksThePrimaryKey(String plan) {
        assertThat(plan)
                .contains("outbox_from_0_pkey")
                .contains("outbox_from_1000000_pkey")
                .contains("outbox_default_pkey")
                .startsWith("Merge Append") // no sort of all rows
                .doesNotContain("Seq Scan")
                .doesNotContain("Bitmap")
                .doesNotContain("Disabled");
    }

    private String planOf(long position, String gaps) throws SQLException {
        return plan("", LaneId.only("plan"), MOST + "'{%}', " + limits(position, gaps, "'{%}', " + position));
    }

    private String planOfLane(long position, String gaps) throws SQLException {
        String types = "'{%}', 4, 0, ";
        return plan(
                "verbose, ",
                new LaneId("plan", 0, 4),
                MOST + types + limits(position, gaps, types + position + ", " + Long.MAX_VALUE));
    }

    private static String limits(long position, String gaps, String range) {
        Read read = new Read(position, gaps, Set.of(), Long.MAX_VALUE, 1000, 4 << 20);
        return "'" + gaps + "', " + read.lowestMissing() + ", " + read.endOfMissing() + ", 1000, " + range
                + ", 1000, 1000, " + (4 << 20);
    }

    /** The plan that the session keeps from its first execution until Postgres learns of a change of the tables. */
    private String plan(String more, LaneId lane, String parameters) throws SQLException {
        String name = "read_of_" + lane.lanes();
        if (first("select count(*) from pg_prepared_statements where name = '" + name + "'")
                .equals("0")) {
            Sql.execute(
                    session,
                    "prepare " + name + " as " + numbered(statement(lane).all().text()));
        }
        String explain =
                "explain (" + more + "analyze, costs off, timing off) execute " + name + "(" + parameters + ")";
        return Sql.rows(session, explain, row -> row.getString(1) + "\n").stream()
                .collect(Collectors.joining())
                .replaceFirst(SEQUENCE, "");
    }

    private static ReadStatement statement(LaneId lane) {
        return new ReadStatement(lane, new String[] {"%"}, 1 << 24);
    }

    private static String numbered(String statement) {
        AtomicInteger number = new AtomicInteger();
        return Pattern.compile("\\?").matcher(statement).replaceAll(any -> "\\$" + number.incrementAndGet());
    }
}
