package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.schedule.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a lane with presence may start messages: rules 1, 3, 4 and 6 of docs/decisions/0013-presence-beside-the-lease.md. */
class LanePresenceTest {
    private static final long LEASE_ENDS = Duration.ofHours(1).toNanos();

    private volatile long now = 1_000;
    private ProvenSession current = ProvenSession.NONE;
    private volatile int requested;

    @Test
    void a_message_starts_only_within_half_a_second_after_a_proof_was_requested() {
        ProvenSession session = open(1);
        Lane lane = claim(session);
        assertThat(lane.nextNow()).as("not proven yet").isNull();
        long asked = now;
        passMillis(400); // the answer takes long
        session.proven(asked);
        passMillis(99);
        assertThat(mayStart(lane)).isTrue();

        passMillis(1);

        assertThat(mayStart(lane)).isFalse();
        session.proven(now);
        assertThat(mayStart(lane)).isTrue();
        session.ended(now);
        assertThat(mayStart(lane)).isFalse();
    }

    @Test
    void the_lease_must_hold_too() {
        ProvenSession session = open(1);
        Lane lane = claim(session);
        now = LEASE_ENDS;
        session.proven(now);

        assertThat(mayStart(lane)).isFalse();
    }

    @Test
    void a_new_session_counts_when_a_save_that_wrote_it_is_answered() {
        ProvenSession first = open(1);
        Lane lane = claim(first);
        first.proven(now);
        ProvenSession second = open(2);
        second.proven(now);

        assertThat(lane.saveIsDue()).isTrue();
        assertThat(mayStart(lane))
                .as("the row names the first one, which is proven")
                .isTrue();
        first.ended(now);
        assertThat(mayStart(lane)).isFalse();
        Save save = lane.toSave();
        assertThat(save.session()).isSameAs(second);
        assertThat(mayStart(lane)).as("the save is not answered").isFalse();
        lane.sessionWritten(save.session());
        assertThat(mayStart(lane)).isTrue();
        assertThat(lane.saveIsDue()).isFalse();
    }

    @Test
    void nothing_starts_while_the_row_may_name_either_of_two_sessions() {
        ProvenSession first = open(1);
        Lane lane = claim(first);
        ProvenSession second = open(2);
        lane.saveFailed(lane.toSave()); // perhaps it was saved
        first.proven(now);
        second.proven(now);

        assertThat(mayStart(lane)).isFalse();
        assertThat(lane.saveIsDue()).isTrue();
        lane.sessionWritten(lane.toSave().session());
        assertThat(mayStart(lane)).isTrue();
    }

    @Test
    void a_lane_without_presence_has_only_its_lease() {
        Lane lane = claim(ProvenSession.NONE);
        passMillis(3_000_000);
        assertThat(mayStart(lane)).isTrue();

        now = LEASE_ENDS;

        assertThat(mayStart(lane)).isFalse();
    }

    @Test
    void a_lane_that_gains_presence_needs_a_proof_from_the_request_of_its_save_on() {
        Lane lane = claim(ProvenSession.NONE);
        ProvenSession session = open(1);
        assertThat(mayStart(lane)).isTrue();

        Save save = lane.toSave();

        assertThat(mayStart(lane)).isFalse();
        session.proven(now);
        assertThat(mayStart(lane)).as("the row names this session or none").isTrue();
        lane.sessionWritten(save.session());
        assertThat(mayStart(lane)).isTrue();
    }

    @Test
    void a_lane_that_gives_up_presence_needs_a_proof_until_its_save_is_answered() {
        ProvenSession session = open(1);
        Lane lane = claim(session);
        session.proven(now);
        current = ProvenSession.NONE;
        Save save = lane.toSave();
        assertThat(mayStart(lane)).isTrue();
        session.ended(now);
        assertThat(mayStart(lane)).isFalse();

        lane.sessionWritten(save.session());

        assertThat(mayStart(lane)).isTrue();
    }

    @Test
    void a_message_that_waits_for_a_proof_continues_with_the_proof() throws Exception {
        ProvenSession session = open(1);
        session.proven(now);
        Lane lane = claim(session);
        receive(lane);
        Delivery delivery = lane.nextNow();
        passMillis(500);
        CompletableFuture<Boolean> mayBeSent = CompletableFuture.supplyAsync(() -> {
            try {
                return lane.awaitLease();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });

        session.proven(now);
        lane.proven();

        assertThat(delivery).isNotNull();
        assertThat(mayBeSent.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void an_idle_lane_needs_no_proof_and_one_with_a_message_requests_it_until_it_has_one() {
        Lane lane = claim(open(1));
        current.proven(now);
        passMillis(2_000);
        lane.renewed(LEASE_ENDS);
        assertThat(requested).isZero();
        assertThat(current.isNeeded(now)).isFalse();

        receive(lane); // in a turn, which lets its messages start
        assertThat(lane.nextNow()).isNull();

        assertThat(requested).isPositive();
        assertThat(current.isNeeded(now)).isTrue();
        long asked = now;
        passMillis(500);
        current.proven(asked); // too late
        requested = 0;
        lane.proven();
        assertThat(lane.nextNow()).isNull();
        assertThat(requested).as("again").isPositive();
        current.proven(now);
        assertThat(lane.nextNow()).isNotNull();
        passMillis(1_000);
        requested = 0;
        lane.renewed(LEASE_ENDS);
        assertThat(requested).as("its only message has started").isZero();
        assertThat(current.isNeeded(now)).isFalse();
    }

    @Test
    void a_message_that_was_taken_and_lost_its_proof_before_it_is_sent_requests_another_one() throws Exception {
        Lane lane = claim(open(1));
        current.proven(now);
        receive(lane);
        assertThat(lane.nextNow()).isNotNull();
        passMillis(500);

        assertThat(mayStart(lane)).isFalse();

        assertThat(requested).isPositive();
    }

    /** Whether another message starts; takes none. */
    private boolean mayStart(Lane lane) {
        CompletableFuture<Boolean> mayBeSent = new CompletableFuture<>();
        Thread sender = new Thread(() -> {
            try {
                mayBeSent.complete(lane.awaitLease());
            } catch (InterruptedException e) {
                mayBeSent.complete(false);
            }
        });
        sender.start();
        while (sender.isAlive() && sender.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        boolean waits = sender.isAlive();
        sender.interrupt();
        return !waits && mayBeSent.join();
    }

    private ProvenSession open(long key) {
        current = new ProvenSession(key, 5, now, () -> requested++);
        return current;
    }

    private Lane claim(ProvenSession session) {
        current = session;
        LaneSettings settings = TestLaneSettings.of(changed -> {
            changed.lease = Duration.ofHours(4);
            changed.batchSize = 2;
            changed.batchBytes = 1_000;
            changed.window = 4;
        });
        return new Lane(
                new LaneStart(1, LEASE_ENDS, new SavedProgress(0, new IdRanges()), 0, session),
                settings,
                new LaneCounters(() -> now),
                () -> now,
                () -> current,
                RateShare.UNLIMITED);
    }

    private static void receive(Lane lane) {
        lane.received(new Batch(lane.nextRead(), List.of(LaneFixture.message(1)), 1, Set.of()), Set.of());
    }

    private void passMillis(long millis) {
        now += Duration.ofMillis(millis).toNanos();
    }
}
