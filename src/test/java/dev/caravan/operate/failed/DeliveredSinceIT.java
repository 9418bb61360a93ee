package dev.caravan.operate.failed;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeliveredSinceIT {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    private final FailureTables tables = new FailureTables();

    private List<DeliveredSince> find() throws SQLException {
        return DeliveredSince.of(tables.dataSource(), DeadLetterGroups.of(tables.dataSource(), MessageFilter.ALL));
    }

    private void fail(String subscription, String... times) throws SQLException {
        tables.deadMany(subscription, times.length);
        for (int i = 0; i < times.length; i++) {
            tables.execute("update outbox_dead_letter set last_failed_at = '2026-01-31T" + times[i]
                    + "Z' where id = (select id from outbox_dead_letter where subscription = '" + subscription
                    + "' order by id limit 1 offset " + i + ")");
        }
    }

    @Test
    void deliveries_are_counted_from_the_first_period_after_the_last_failure() throws SQLException {
        fail("sms", "10:00", "10:31");
        tables.execute(
                "insert into outbox_subscription (name, lane, lanes, position, delivered, owner, lease_until)"
                        + " values ('sms', 0, 2, 10, 700, 'r1', now() + interval '1 hour'), ('sms', 1, 2, 10, 300, 'r1', now() + interval '1 hour')");
        tables.execute("insert into outbox_history (at, subscription, delivered, lag_seconds, backlog, last_id)"
                + " values ('2026-01-31T10:30Z', 'sms', 100, 0, 0, 0), ('2026-01-31T10:35Z', 'sms', 400, 0, 0, 0),"
                + " ('2026-01-31T10:35Z', 'mail', 9, 0, 0, 0), ('2026-01-31T10:40Z', 'sms', 600, 0, 0, 0)");

        assertThat(find()).singleElement().satisfies(since -> assertThat(since.text(NOW))
                .isEqualTo(
                        "sms has delivered 600 messages in the last 1h 25m, after these failures, the last delivery at most 1h 20m ago;"
                                + " no outage of its destination is known."));
    }

    @Test
    void what_became_dead_since_is_reported() throws SQLException {
        fail("sms", "10:00", "10:31", "10:32", "10:33");
        MessageFilter first = MessageFilter.of(Optional.of("sms"), Optional.empty(), Optional.empty(), Optional.empty())
                .between(Optional.empty(), Optional.of(Instant.parse("2026-01-31T10:30:00Z")));
        DeadLetterGroups groups = DeadLetterGroups.of(tables.dataSource(), first);

        assertThat(DeliveredSince.of(tables.dataSource(), groups).get(0).text(NOW))
                .contains("; 3 other messages became dead since; ");
        assertThat(DeliveredSince.of(tables.dataSource(), new DeadLetterGroups(groups.largest(), false)))
                .as("another one may have failed last")
                .extracting(DeliveredSince::died)
                .containsExactly(0L);
    }

    @Test
    void what_is_not_known_and_what_prevents_a_delivery_is_reported() throws SQLException {
        fail("mail", "11:59");
        fail("sms", "11:59");
        tables.execute("insert into outbox_subscription (name, position, delivered, owner, lease_until,"
                + " destination_unavailable_since, destination_error, next_probe_at)"
                + " values ('mail', 10, 700, 'r1', now() + interval '1 hour', '2026-01-31T11:00Z', 'refused', now())");

        assertThat(find())
                .extracting(since -> since.text(NOW))
                .containsExactly(
                        "The last of these of mail failed in the last 5m: what was delivered since is not known yet;"
                                + " its destination has been unavailable for 1h.",
                        "The last of these of sms failed in the last 5m: what was delivered since is not known yet;"
                                + " no relay works it.");
    }
}
