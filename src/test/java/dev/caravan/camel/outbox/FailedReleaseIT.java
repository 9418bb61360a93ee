package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.engine.loop.LaneFailures;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.LaneChange;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A message fails while a relay releases its lane, and the last save fails too. */
class FailedReleaseIT {
    private final TestDestination destination = new TestDestination();
    private final CountDownLatch answer = new CountDownLatch(1);
    private final TestOutbox outbox = TestOutbox.create();
    private final Person person = new Person(outbox);

    @BeforeEach
    void create() throws Exception {
        destination.before(arrival -> {
            if (arrival.id() == 1 && arrival.attempt() == 1) {
                answer.await(120, TimeUnit.SECONDS);
                throw new IllegalStateException("told to fail");
            }
        });
    }

    @Tag("long")
    @Test
    void what_could_not_be_stored_during_a_pause_is_stored_after_the_grant_and_delivered_after_the_resume()
            throws Exception {
        try (HikariDataSource pool = outbox.poolOfRoleWithGrants()) {
            FailingSaves saves = new FailingSaves(pool, FailingSaves.Point.STORE);
            try (var relay = start(saves)) {
                String role = new JdbcTemplate(pool).queryForObject("select session_user", String.class);
                takeOne();
                outbox.execute("revoke insert on outbox_retry from " + role);

                pauseAndAnswer();
                eventually(() -> assertThat(saves.reached()).isPositive());
                eventually(() -> assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                        .isZero());
                outbox.execute("grant insert on outbox_retry to " + role);

                eventually(() -> assertThat(outbox.saved("orders").owner()).isNull());
                assertThat(outbox.waiting("orders"))
                        .extracting(TestOutbox.Waiting::id)
                        .containsExactly(1L);
                person.resume("orders");
                everythingArrives();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "STORE")
    void a_pause_whose_last_save_failed_is_tried_again(FailingSaves.Point point) throws Exception {
        FailingSaves saves = new FailingSaves(outbox.pool(), point);
        try (var relay = start(saves)) {
            takeOne();
            saves.fail(1);

            pauseAndAnswer();
            eventually(() -> assertThat(saves.left()).isZero());

            eventually(() -> assertThat(outbox.saved("orders").owner()).isNull());
            person.resume("orders");
            everythingArrives();
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = "STORE", mode = EnumSource.Mode.EXCLUDE)
    void a_pause_whose_last_save_failed_at_another_point_is_tried_again(FailingSaves.Point point) throws Exception {
        a_pause_whose_last_save_failed_is_tried_again(point);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void a_resume_before_a_failed_release_is_repeated_goes_on_with_the_same_lane(FailingSaves.Point point)
            throws Exception {
        FailingSaves saves = new FailingSaves(outbox.pool(), point);
        try (var relay = startWithDefaultWait(saves)) {
            takeOne();
            long epoch = outbox.saved("orders").epoch();
            saves.fail(2);

            pauseAndAnswer();
            eventually(() -> assertThat(saves.left()).isLessThan(2));
            person.resume("orders");

            everythingArrives();
            assertThat(outbox.saved("orders").epoch()).isEqualTo(epoch);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void a_lane_that_is_given_back_for_another_number_of_lanes_loses_nothing(FailingSaves.Point point)
            throws Exception {
        FailingSaves saves = new FailingSaves(outbox.pool(), point);
        LaneChange change = new LaneChange(outbox.dataSource(), "orders", 2, new Actor("anna", Optional.empty()));
        try (var relay = start(saves)) {
            takeOne();
            saves.fail(1);

            change.advance();
            awaitNextSave();
            answer.countDown();
            eventually(() -> assertThat(saves.left()).isZero());
            eventually(() -> assertThat(change.advance().done()).isTrue());
        }
        try (var relay = TestRelay.start(outbox, "orders?lanes=2&backoff=10ms", destination)) {
            everythingArrives();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "COMMIT")
    void a_relay_that_stops_leaves_what_it_could_not_save_for_the_next_one(FailingSaves.Point point) throws Exception {
        FailingSaves saves = new FailingSaves(outbox.pool(), point);
        var relay = start(saves);
        takeOne();
        saves.fail(10);
        Thread stop = new Thread(() -> {
            try (relay) {
                answer.countDown();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        stop.start();
        stop.join(60_000);
        assertThat(saves.left()).isLessThan(10);

        try (var next = start(outbox.pool())) {
            everythingArrives();
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = "COMMIT", mode = EnumSource.Mode.EXCLUDE)
    void a_relay_that_stops_leaves_what_it_could_not_save_at_another_point(FailingSaves.Point point) throws Exception {
        a_relay_that_stops_leaves_what_it_could_not_save_for_the_next_one(point);
    }

    private TestRelay start(DataSource dataSource) throws Exception {
        return start(dataSource, Duration.ofMillis(100));
    }

    /** Waits so long before it repeats a failed save that something else can happen. */
    private TestRelay startWithDefaultWait(DataSource dataSource) throws Exception {
        return start(dataSource, LaneFailures.FIRST_WAIT);
    }

    private TestRelay start(DataSource dataSource, Duration firstWait) throws Exception {
        return TestRelay.start(dataSource, "orders?backoff=10ms", destination, component -> {
            component.setLeaseDuration(3_000);
            component.setFirstWait(firstWait);
        });
    }

    /** The message is in flight, and its id is in the gaps. */
    private void takeOne() throws Exception {
        outbox.insert("a");
        eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(1));
    }

    private void pauseAndAnswer() throws Exception {
        person.pause("orders");
        awaitNextSave();
        answer.countDown();
    }

    /** Waits for the next save, after which the relay has read all earlier changes. */
    private void awaitNextSave() throws Exception {
        long saves = saves();
        eventually(() -> assertThat(saves()).isGreaterThan(saves));
    }

    private long saves() {
        return outbox.number("select saves from outbox_subscription");
    }

    private void everythingArrives() throws Exception {
        long next = outbox.insert("a");
        eventually(() -> assertThat(destination.ids()).containsExactly(1L, next));
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
    }
}
