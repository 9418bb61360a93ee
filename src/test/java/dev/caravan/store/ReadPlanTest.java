package dev.caravan.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.outbox.TestOutbox;
import dev.caravan.progress.Read;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Set;
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
    void the_read_of_one_of_several_lanes_does_so_too_and_inlines_the_function() throws Exception {
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
        return plan("", LaneId.only("plan"), position, gaps);
    }

    private String planOfLane(long position, String gaps) throws SQLException {
        return plan("verbose, ", new LaneId("plan", 0, 4), position, gaps);
    }

    private String plan(String more, LaneId lane, long position, String gaps) throws SQLException {
        ReadStatement read = new ReadStatement(lane);
        try (var explain =
                session.prepareStatement("explain (" + more + "analyze, costs off, timing off) " + read.text())) {
            read.bind(explain, new String[] {"%"}, new Read(position, gaps, Set.of(), Long.MAX_VALUE, 1000, 4 << 20));
            return plan(explain);
        }
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
