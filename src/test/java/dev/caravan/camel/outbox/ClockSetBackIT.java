package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of the database is set back by an hour: every lease seems to last an hour longer. */
class ClockSetBackIT {
    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void the_lane_of_a_relay_that_died_is_taken_over_after_its_lease() throws Exception {
        holdOnce("orders");
        outbox.execute("update outbox_subscription set owner = 'dead', lease_until = clock_timestamp()");
        setClockBack();
        long id = outbox.insert("a");

        try (var relay = start("other", 10_000, "orders")) {
            eventually(() -> assertThat(destination.ids()).containsExactly(id));
        }
    }

    @Tag("long")
    @Test
    void all_lanes_of_a_relay_that_died_are_taken_over_though_it_seems_to_run() throws Exception {
        holdOnce("orders?lanes=4");
        outbox.execute("update outbox_subscription set owner = 'dead', lease_until = clock_timestamp();"
                + " insert into outbox_relay (subscription, relay, lanes, until, lease_millis)"
                + " values ('orders', 'dead', 4, clock_timestamp(), 1000)");
        setClockBack();
        outbox.insertMany(40, 40);

        try (var relay = start("other", 1_000, "orders?lanes=4")) {
            eventually(() -> assertThat(destination.ids()).hasSize(40));
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"orders", "orders?lanes=4"})
    void a_barrier_whose_command_died_keeps_no_relay_from_the_lanes(String uri) throws Exception {
        holdOnce(uri);
        outbox.insertMany(40, 40);
        setBarrier();
        setClockBack();

        try (var relay = start("other", 1_000, uri)) {
            eventually(() -> assertThat(destination.ids()).hasSize(40));
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"orders", "orders?lanes=4"})
    void a_barrier_whose_command_died_takes_no_lane_from_its_relay(String uri) throws Exception {
        try (var relay = start("owner", 5_000, uri)) {
            eventually(() -> assertThat(count("owner = 'owner'"))
                    .isEqualTo(count("true"))
                    .isPositive());
            outbox.execute("update outbox_subscription set barrier = position,"
                    + " barrier_until = clock_timestamp() + interval '1 hour'");
            long saves = saves();
            eventually(() -> assertThat(saves()).isGreaterThan(saves));
            outbox.insertMany(40, 40);

            eventually(() -> assertThat(destination.ids()).hasSize(40));
            assertThat(count("epoch > 1")).isZero();
        }
    }

    /** The other relay is configured with a shorter lease, which must not count. */
    @Tag("long")
    @Test
    void a_relay_that_runs_and_renews_keeps_its_lane() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        destination.before(arrival -> answer.await(120, TimeUnit.SECONDS));
        try (var owner = start("owner", 8_000, "orders")) {
            long id = outbox.insert("a");
            eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(id));
            try (var other = start("other", 300, "orders")) {
                setClockBack();
                eventually(() -> assertThat(count("lease_until < clock_timestamp() + interval '1 minute'"))
                        .isEqualTo(1));
                long saves = saves();
                eventually(() -> assertThat(saves()).isGreaterThan(saves + 1));

                assertThat(outbox.saved("orders"))
                        .extracting(TestOutbox.Saved::owner, TestOutbox.Saved::epoch)
                        .containsExactly("owner", 1L);
                answer.countDown();
                eventually(() -> assertThat(destination.ids()).containsExactly(id));
            }
        }
    }

    @Tag("long")
    @Test
    void messages_that_failed_before_wait_no_longer_than_after_their_failure() throws Exception {
        holdOnce("orders");
        long[] ids = {outbox.insert("a"), outbox.insert("b")};
        outbox.execute(
                "with passed as (update outbox_subscription set position = ?)"
                        + " insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, payload, created_at,"
                        + " blocked, attempts, first_failed_at, last_failed_at, next_attempt_at)"
                        + " select 'orders', id, message_id, aggregate_type, aggregate_id, type, payload, created_at, false, 1, failed, failed,"
                        + " failed + case aggregate_id when 'a' then interval '1 millisecond' else interval '30 minutes' end"
                        + " from outbox, (select clock_timestamp() + interval '1 hour') clock (failed)",
                ids[1]);

        try (var relay = start("other", 1_000, "orders")) {
            eventually(() -> assertThat(destination.ids()).containsExactly(ids[0]));
            assertThat(outbox.number("select extract(epoch from next_attempt_at - clock_timestamp())::integer / 60"
                            + " from outbox_retry where aggregate_id = 'b'"))
                    .isBetween(28L, 30L);
        }
    }

    private void holdOnce(String uri) throws Exception {
        try (var relay = start("dead", 1_000, uri)) {
            eventually(() ->
                    assertThat(count("owner = 'dead'")).isEqualTo(count("true")).isPositive());
        }
    }

    private TestRelay start(String name, long leaseMillis, String uri) throws Exception {
        return TestRelay.start(outbox.pool(), uri, destination, component -> {
            component.setRelay(name);
            component.setLeaseDuration(leaseMillis);
        });
    }

    private void setBarrier() {
        outbox.execute("update outbox_subscription set barrier = position, barrier_until = clock_timestamp()");
    }

    private void setClockBack() {
        outbox.execute("update outbox_subscription set lease_until = lease_until + interval '1 hour',"
                + " barrier_until = barrier_until + interval '1 hour';"
                + " update outbox_relay set until = until + interval '1 hour'");
    }

    private long count(String condition) {
        return outbox.number("select count(*) from outbox_subscription where " + condition);
    }

    private long saves() {
        return outbox.number("select min(saves) from outbox_subscription");
    }
}
