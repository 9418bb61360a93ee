package dev.caravan.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SubscriptionStatusTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void a_subscription_that_delivered_all_has_neither_backlog_nor_lag() throws SQLException {
        OutboxDatabase database = OutboxDatabase.withTables();
        database.insert(10);
        database.execute("insert into outbox_subscription (name, position) values ('idle', 10)");

        SubscriptionStatus status = only(database);

        assertThat(status.backlog()).isZero();
        assertThat(status.lag()).isZero();
        assertThat(status.owner()).isEmpty();
        assertThat(status.leaseLeft()).isEmpty();
    }

    @Test
    void lag_is_the_age_of_the_first_message_after_the_position() throws SQLException {
        OutboxDatabase database = OutboxDatabase.withTables();
        database.insert(10);
        database.execute("update outbox set created_at = clock_timestamp() - interval '1 hour' where id = 5");
        database.execute("insert into outbox_subscription (name, position) values ('behind', 4)");

        SubscriptionStatus status = only(database);

        assertThat(status.backlog()).isEqualTo(6);
        assertThat(status.lag()).isBetween(HOUR, HOUR.plusMinutes(1));
    }

    @Test
    void messages_in_gaps_count_and_missing_ids_have_no_age() throws SQLException {
        OutboxDatabase database = OutboxDatabase.withTables();
        database.insert(10);
        database.execute("delete from outbox where id in (2, 3)");
        database.execute("update outbox set created_at = clock_timestamp() - interval '1 hour' where id = 4");
        database.execute("insert into outbox_subscription (name, position, gaps, owner, epoch, lease_until)"
                + " values ('gappy', 10, '{[2,5), [7,8)}', 'relay-1', 3, clock_timestamp() + interval '10 s')");

        SubscriptionStatus status = only(database);

        assertThat(status.gaps()).isEqualTo(4);
        assertThat(status.backlog()).isEqualTo(4);
        assertThat(status.lag()).isBetween(HOUR, HOUR.plusMinutes(1));
        assertThat(status.owner()).contains("relay-1");
        assertThat(status.epoch()).isEqualTo(3);
        assertThat(status.leaseLeft().orElseThrow()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
    }

    @Test
    void a_large_outbox_is_never_scanned() throws SQLException {
        OutboxDatabase database = OutboxDatabase.withTables();
        database.insert(50_000);
        database.execute("analyze outbox");
        database.execute(
                "insert into outbox_subscription (name, position, gaps) values ('a', 100, '{[1,50), [60,70)}')");

        StringBuilder plan = new StringBuilder();
        try (var connection = database.dataSource.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("explain " + Sql.file("list_subscriptions"))) {
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
        }
        assertThat(plan.toString()).doesNotContain("Seq Scan on outbox_from").contains("outbox_from_0_pkey");
    }

    private static SubscriptionStatus only(OutboxDatabase database) throws SQLException {
        var all = SubscriptionStatus.all(database.dataSource);
        assertThat(all).hasSize(1);
        return all.get(0);
    }
}
