package dev.caravan.component;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReadPlanTest {
    private TestOutbox outbox;
    private Connection session;

    @BeforeEach
    void connect() throws Exception {
        outbox = TestOutbox.create();
        outbox.jdbc()
                .execute("create table outbox_from_1000000 partition of outbox for values from (1000000) to (2000000)");
        session = outbox.pool().getConnection();
    }

    @AfterEach
    void close() throws Exception {
        session.close();
        outbox.close();
    }

    @Test
    void the_read_walks_the_primary_key_on_an_empty_table() throws Exception {
        assertThat(planOf(0, "{}")).satisfies(ReadPlanTest::walksThePrimaryKey);
    }

    @Test
    void the_read_walks_the_primary_key_when_the_table_was_filled_after_it_was_prepared() throws Exception {
        for (int i = 0; i < 10; i++) {
            planOf(0, "{}"); // a plan made now and kept would be for an empty table
        }
        outbox.insertMany(50_000, 100);
        assertThat(planOf(25_000, "{}")).satisfies(ReadPlanTest::walksThePrimaryKey);

        outbox.jdbc().execute("analyze outbox");

        assertThat(planOf(25_000, "{}")).satisfies(ReadPlanTest::walksThePrimaryKey);
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

        assertThat(plan).satisfies(ReadPlanTest::walksThePrimaryKey);
    }

    @Test
    void the_read_of_one_of_several_lanes_does_so_too_and_the_function_is_no_call() throws Exception {
        assertThat(planOfLane(0, "{}")).satisfies(ReadPlanTest::walksThePrimaryKey);
        outbox.insertMany(50_000, 100);
        assertThat(planOfLane(25_000, "{[1,5)}")).satisfies(ReadPlanTest::walksThePrimaryKey);

        outbox.jdbc().execute("analyze outbox");

        assertThat(planOfLane(25_000, "{[1,5)}"))
                .satisfies(ReadPlanTest::walksThePrimaryKey)
                .contains("hashtextextended")
                .doesNotContain("outbox_lane");
    }

    private static void walksThePrimaryKey(String plan) {
        assertThat(plan)
                .contains("outbox_from_0_pkey")
                .contains("outbox_from_1000000_pkey")
                .contains("outbox_default_pkey")
                .doesNotContain("Seq Scan")
                .doesNotContain("Bitmap")
                .doesNotContain("Disabled");
    }

    private String planOf(long position, String gaps) throws SQLException {
        try (var explain = explain("", Sql.READ)) {
            Array types = session.createArrayOf("text", new String[] {"%"});
            explain.setArray(1, types);
            explain.setString(2, gaps);
            explain.setInt(3, 1000);
            explain.setArray(4, types);
            explain.setLong(5, position);
            explain.setInt(6, 1000);
            explain.setInt(7, 1000);
            explain.setLong(8, 4 << 20);
            return plan(explain);
        }
    }

    private String planOfLane(long position, String gaps) throws SQLException {
        try (var explain = explain("verbose, ", Sql.READ_LANE)) {
            Array types = session.createArrayOf("text", new String[] {"%"});
            explain.setArray(1, types);
            explain.setInt(2, 4);
            explain.setInt(3, 0);
            explain.setString(4, gaps);
            explain.setInt(5, 1000);
            explain.setArray(6, types);
            explain.setInt(7, 4);
            explain.setInt(8, 0);
            explain.setLong(9, position);
            explain.setLong(10, Long.MAX_VALUE);
            explain.setInt(11, 1000);
            explain.setInt(12, 1000);
            explain.setLong(13, 4 << 20);
            return plan(explain);
        }
    }

    private PreparedStatement explain(String more, Sql sql) throws SQLException {
        return session.prepareStatement("explain (" + more + "analyze, costs off, timing off) " + sql.text());
    }

    private static String plan(PreparedStatement explain) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (var rows = explain.executeQuery()) {
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }
}
