package dev.caravan.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.database.SqlFile;
import dev.caravan.outbox.TestOutbox;
import dev.caravan.subscription.SubscriptionStatus;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Relays list the partitions every few seconds, which must not read their content. */
class PartitionPlanIT {
    @Test
    void partitions_are_read_at_their_ends_only() throws SQLException {
        TestOutbox database = TestOutbox.create();
        database.insert(50_000);
        database.execute(
                "insert into outbox_subscription (name, position, gaps) values ('a', 100, '{[1,50), [60,70)}')");
        String justFilled = plan(database);
        database.execute("analyze");

        for (String plan : new String[] {justFilled, plan(database)}) {
            assertThat(plan)
                    .contains("outbox_from_0_pkey")
                    .doesNotContain("Seq Scan on outbox_from", "Seq Scan on outbox_default")
                    .doesNotContainPattern("rows=[1-9]\\d{3}")
                    .doesNotContainPattern("Rows Removed by Filter: \\d{4,}");
        }
    }

    private static String plan(TestOutbox database) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (var connection = database.unpooled().getConnection()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute(SubscriptionStatus.PLANS);
            try (var statement = connection.prepareStatement(
                    "explain (analyze, costs off, timing off) " + SqlFile.file("partition/partitions"))) {
                statement.setDouble(1, 86_400);
                statement.setBoolean(2, true);
                try (var rows = statement.executeQuery()) {
                    while (rows.next()) {
                        plan.append(rows.getString(1)).append('\n');
                    }
                }
            }
        }
        return plan.toString();
    }
}
