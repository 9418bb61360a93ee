package dev.caravan.component;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
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
    void with_one_lane_no_key_is_hashed_and_with_several_the_function_is_no_call() throws Exception {
        outbox.insertMany(1_000, 100);

        assertThat(plan(1, 10, "{}", "verbose, "))
                .satisfies(ReadPlanTest::walksThePrimaryKey)
                .doesNotContain("hash", "outbox_lane");
        assertThat(plan(4, 10, "{[1,5)}", "verbose, "))
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
        return plan(1, position, gaps, "");
    }

    private String plan(int lanes, long position, String gaps, String more) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (var explain =
                session.prepareStatement("explain (" + more + "analyze, costs off, timing off) " + Sql.READ.text())) {
            var types = session.createArrayOf("text", new String[] {"%"});
            explain.setArray(1, types);
            explain.setInt(2, lanes);
            explain.setInt(3, 0);
            explain.setString(4, gaps);
            explain.setInt(5, 1000);
            explain.setArray(6, types);
            explain.setInt(7, lanes);
            explain.setInt(8, 0);
            explain.setLong(9, position);
            explain.setLong(10, Long.MAX_VALUE);
            explain.setInt(11, 1000);
            explain.setInt(12, 1000);
            explain.setLong(13, 4 << 20);
            try (var rows = explain.executeQuery()) {
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
        }
        return plan.toString();
    }
}
