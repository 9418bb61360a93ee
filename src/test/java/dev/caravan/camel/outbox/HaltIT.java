package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.WrittenLog;
import dev.caravan.engine.loop.LaneFailures;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.HaltedSubscription;
import dev.caravan.operate.subscription.LaneChange;
import dev.caravan.operate.subscription.Refusal;
import dev.caravan.operate.subscription.Subscriptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The outbox was truncated, restored, or its sequence set back: ids that a subscription has passed are assigned again. */
class HaltIT {
    private static final Actor BY = new Actor("tester", Optional.of("the outbox was truncated"));

    private final TestDestination destination = new TestDestination();
    private final WrittenLog log = WrittenLog.of(LaneFailures.class);
    private final TestOutbox outbox = TestOutbox.create();
    private final HaltedSubscription halted = new HaltedSubscription(outbox.dataSource(), "orders");
    private final AtomicInteger looks = new AtomicInteger();

    @Test
    void a_position_ahead_of_the_sequence_halts_until_a_person_sets_where_to_resume() throws Exception {
        deliver(5);
        outbox.execute("truncate outbox restart identity");
        outbox.insertMany(3, 1);

        try (var relay = start("orders")) {
            eventually(() -> assertThat(log.lines()).anySatisfy(line -> assertThat(line)
                    .contains("position 5 of lane 0 was ahead of the sequence outbox_id_seq")
                    .contains("up to 3")
                    .contains("./caravan subscriptions resume orders --after ID")));
            outbox.insertMany(7, 1); // passes the position
            staysHalted();

            halted.resume(0, BY);

            eventually(() -> assertThat(
                            destination.ids().subList(5, destination.ids().size()))
                    .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L));
        }
    }

    @Test
    void a_relay_that_starts_after_the_sequence_has_passed_the_position_still_finds_it_halted() throws Exception {
        halt();
        outbox.insertMany(10, 1);

        try (var relay = start("orders")) {
            staysHalted();
        }
    }

    @Test
    void a_sequence_that_is_set_back_while_a_relay_works_halts_all_lanes_of_all_relays() throws Exception {
        try (var relay = start("orders?lanes=3");
                var other = start("orders?lanes=3")) {
            outbox.insertMany(50, 20);
            eventually(() -> assertThat(destination.ids()).hasSize(50));
            eventually(() -> assertThat(outbox.number("select min(position) from outbox_subscription"))
                    .isEqualTo(50));

            outbox.execute("select setval('outbox_id_seq', 40)");

            eventually(this::isHalted);
            outbox.execute("select setval('outbox_id_seq', 50)");
            outbox.insertMany(20, 20);
            eventually(() -> assertThat(outbox.number("select count(*) from outbox_subscription where owner is null"))
                    .isEqualTo(3));
            int given = destination.ids().size();
            assertThat(given).isLessThanOrEqualTo(70);

            halted.resume(50, BY);

            eventually(() -> assertThat(destination.ids()).contains(51L, 60L, 70L));
        }
    }

    /** A save, which compares too, is not due before 20 minutes. */
    @Test
    void each_read_notices_that_the_sequence_was_set_back() throws Exception {
        try (var relay = start("orders", 3_600_000)) {
            outbox.insertMany(20, 1);
            outbox.awaitPassed("orders", 20);

            outbox.execute("delete from outbox; select setval('outbox_id_seq', 1, false)");

            eventually(this::isHalted);
            outbox.insertMany(30, 1);
            assertThat(destination.ids()).hasSize(20);
        }
    }

    @Test
    void a_restart_of_the_sequence_that_has_passed_the_position_again_halts_too() throws Exception {
        try (var relay = start("orders?lanes=2")) {
            outbox.insertMany(40, 4);
            eventually(() -> assertThat(destination.ids()).hasSize(40));
            outbox.awaitPassed("orders", 40);

            truncateAndInsert(90);

            eventually(this::isHalted);
            assertThat(outbox.jdbc()
                            .queryForList("select distinct halted_reason from outbox_subscription", String.class))
                    .singleElement()
                    .asString()
                    .contains("the sequence outbox_id_seq was restarted or altered", "had read ids up to 40");
            assertThat(destination.ids()).hasSize(40);

            halted.resume(0, BY);

            eventually(() -> assertThat(destination.ids()).hasSize(130));
            outbox.awaitPassed("orders", 90);
        }
    }

    @Test
    void a_restart_of_the_sequence_while_no_relay_runs_halts_too() throws Exception {
        deliver(5);
        truncateAndInsert(10);

        try (var relay = start("orders")) {
            eventually(() -> assertThat(log.lines()).anySatisfy(line -> assertThat(line)
                    .contains("the sequence outbox_id_seq was restarted or altered", "had read ids up to 5")
                    .contains("--after ID (or --where-it-stopped, if the sequence was only altered)")));
        }

        assertThat(destination.ids()).hasSize(5);
    }

    @Test
    void a_restart_of_the_sequence_before_anything_was_read_does_not_halt() throws Exception {
        try (var relay = start("orders")) {
            eventually(() -> assertThat(outbox.saved("orders").epoch()).isEqualTo(1));

            truncateAndInsert(3);

            eventually(() -> assertThat(destination.ids()).containsExactlyInAnyOrder(1L, 2L, 3L));
        }
    }

    @Test
    void one_whose_sequence_was_only_altered_resumes_where_it_stopped_with_its_gaps() throws Exception {
        deliver(5);
        outbox.execute("alter sequence outbox_id_seq cache 1");
        outbox.execute("update outbox_subscription set gaps = '{[2,3)}'");
        try (var relay = start("orders")) {
            eventually(this::isHalted);

            halted.resumeWhereItStopped(BY);
            outbox.insertMany(2, 1);

            eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L, 3L, 4L, 5L, 2L, 6L, 7L));
        }
    }

    @Test
    void one_ahead_of_the_sequence_does_not_resume_where_it_stopped() throws Exception {
        halt();

        assertThatThrownBy(() -> halted.resumeWhereItStopped(BY))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("position 5 is ahead of the sequence, whose last id is 0");
        isHalted();
    }

    /** The table of subscriptions and the sequence are new after a dump was restored; rows of older versions have no file. */
    @Test
    void a_restored_dump_and_a_row_without_a_file_continue() throws Exception {
        deliver(5);
        outbox.execute(
                "alter sequence outbox_id_seq cache 1; create table copied (like outbox_subscription including all);"
                        + " insert into copied select * from outbox_subscription; drop table outbox_subscription;"
                        + " alter table copied rename to outbox_subscription");
        deliver(3);
        outbox.execute("alter sequence outbox_id_seq cache 1");
        outbox.execute("update outbox_subscription set sequence_file = null, stored_in = null");
        deliver(2);

        assertThat(destination.ids()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
        outbox.execute("truncate outbox restart identity");
        outbox.insertMany(20, 1);
        try (var relay = start("orders")) {
            eventually(this::isHalted);
        }
    }

    /** Every role that may insert can choose ids. A position above the sequence could not be saved, and the lane would be claimed anew for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"orders", "orders?lanes=2", "orders?start=latest"})
    void a_message_with_an_id_above_the_sequence_waits_for_the_sequence_and_delays_no_other(String uri)
            throws Exception {
        outbox.execute("insert into outbox (id, aggregate_type, aggregate_id, type) overriding system value values"
                + " (8, 'order', 'k1', 'order.created'), (9223372036854775807, 'order', 'k1', 'order.created')");
        try (var relay = start(uri)) {
            eventually(() -> assertThat(outbox.saved("orders").epoch()).isEqualTo(1));
            outbox.insertMany(7, 2);
            outbox.awaitPassed("orders", 7);
            outbox.execute("select setval('outbox_id_seq', 8)");
            outbox.insertMany(1, 1);
            outbox.awaitPassed("orders", 9);

            assertThat(destination.ids()).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
            assertThat(outbox.jdbc().queryForList("select distinct epoch from outbox_subscription", Long.class))
                    .as("claimed once")
                    .containsExactly(1L);
        }
    }

    @Tag("long")
    @Test
    void what_a_lane_has_in_memory_alone_is_dropped_and_read_anew_without_a_halt() throws Exception {
        try (var relay = start("orders?saveInterval=60000ms")) {
            outbox.insert("a");
            eventually(() -> assertThat(destination.ids()).hasSize(1));
            eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(1));
            outbox.insertMany(3, 1);
            eventually(() -> assertThat(destination.ids()).hasSize(4));

            outbox.execute("truncate outbox; select setval('outbox_id_seq', 2)");

            eventually(() -> assertThat(outbox.saved("orders").epoch()).isEqualTo(2));
            outbox.insert("a");
            eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L, 3L, 4L, 3L));
        }
    }

    @Test
    void a_resume_without_an_id_or_where_new_messages_would_be_confused_with_old_ones_is_refused() throws Exception {
        halt();
        outbox.insertMany(2, 1);
        var subscriptions = new Subscriptions(outbox.dataSource());

        assertThatThrownBy(() -> subscriptions.resume("orders", BY))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("it is halted, because position 5");
        assertThatThrownBy(() -> halted.resume(3, BY))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("the last id of the sequence is 2");
        outbox.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at,"
                        + " blocked, next_attempt_at) values ('orders', 4, gen_random_uuid(), 'order', 'a', 'x', now(), false, now())");
        assertThatThrownBy(() -> halted.resume(0, BY))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("with ids up to 4");
        isHalted();
    }

    @Test
    void it_stays_halted_when_it_is_paused_resumed_or_gets_other_lanes() throws Exception {
        halt();

        new Subscriptions(outbox.dataSource()).pause("orders", BY);
        assertThat(new LaneChange(outbox.dataSource(), "orders", 2, BY)
                        .advance()
                        .done())
                .isTrue();

        assertThat(outbox.jdbc().queryForList("select halted_reason from outbox_subscription", String.class))
                .hasSize(2)
                .doesNotContainNull();
    }

    /** Checks that it stays halted while its relay looks at least four times. */
    private void staysHalted() throws Exception {
        int delivered = destination.ids().size();
        int before = looks.get();
        eventually(() -> assertThat(looks.get()).isGreaterThanOrEqualTo(before + 4));
        isHalted();
        assertThat(destination.ids()).hasSize(delivered);
    }

    /** Truncates the outbox behind the position, and stops the relay that finds it so. */
    private void halt() throws Exception {
        deliver(5);
        outbox.execute("truncate outbox restart identity");
        try (var relay = start("orders")) {
            eventually(this::isHalted);
        }
    }

    private void isHalted() {
        assertThat(outbox.jdbc()
                        .queryForList("select distinct halted_at is not null from outbox_subscription", Boolean.class))
                .isEqualTo(List.of(true));
    }

    private void truncateAndInsert(int count) {
        outbox.execute(
                "begin; truncate outbox restart identity; insert into outbox (aggregate_type, aggregate_id, type, payload)"
                        + " select 'order', n::text, 'order.created', '{}' from generate_series(1, %d) n; commit"
                                .formatted(count));
    }

    private TestRelay start(String uri) throws Exception {
        return start(uri, 3_000);
    }

    private TestRelay start(String uri, int leaseMillis) throws Exception {
        HookedStatement source = new HookedStatement(outbox.pool(), "engine/free_lanes");
        source.before(connection -> looks.incrementAndGet());
        return TestRelay.start(source, uri, destination, component -> {
            component.setLeaseDuration(leaseMillis);
            component.setFirstWait(Duration.ofMillis(100));
        });
    }

    private void deliver(int count) throws Exception {
        try (var relay = start("orders")) {
            int before = destination.ids().size();
            outbox.insertMany(count, 1);
            outbox.awaitPassed("orders", before + count);
            assertThat(destination.ids()).hasSize(before + count);
        }
    }
}
