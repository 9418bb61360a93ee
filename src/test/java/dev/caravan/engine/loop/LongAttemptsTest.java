package dev.caravan.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.LaneStart;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.RateShare;
import dev.caravan.engine.lane.TestLaneSettings;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.schedule.Backoff;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LongAttemptsTest {
    private static final String LONG_KEY = "a".repeat(1_000);
    private static final Duration LEASE = Duration.ofHours(1);
    private static final LaneSettings SETTINGS = TestLaneSettings.of(settings -> {
        settings.relay = "relay-7";
        settings.concurrency = 2;
        settings.backoff = new Backoff(Duration.ofHours(1), Duration.ofHours(1), new Random(1));
    });

    private long now;
    private final Lane lane = new Lane(
            new LaneStart(1, LEASE.toNanos(), new SavedProgress(0, new IdRanges()), 0, ProvenSession.NONE),
            SETTINGS,
            new LaneCounters(() -> now),
            () -> now,
            () -> ProvenSession.NONE,
            RateShare.UNLIMITED);
    private final LongAttempts attempts = new LongAttempts(SETTINGS, () -> now);

    @Test
    void an_attempt_that_was_started_long_ago_is_logged_once_with_relay_and_step() {
        lane.received(
                new Batch(lane.nextRead(), List.of(message(1, LONG_KEY), message(2, "b")), 2, Set.of()), Set.of());
        Delivery lost = lane.nextNow();
        lost.running(() -> "http://provider/messages");
        lane.finished(lane.nextNow(), Result.DELIVERED);

        try (WrittenLog log = WrittenLog.of(LongAttempts.class)) {
            pass(LongAttempts.LIMIT);
            assertThat(log.lines()).as("not yet longer than the limit").isEmpty();
            pass(Duration.ofSeconds(11));
            pass(Duration.ofSeconds(11));

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains(
                            "Message 1 ",
                            "of orders was started more than 5 min ago",
                            "relay=relay-7",
                            "http://provider/messages")
                    .doesNotContain(LONG_KEY);
            assertThat(lane.snapshot().longestAttempt()).isEqualTo(LongAttempts.LIMIT.plusSeconds(22));

            lane.finished(lost, Result.DELIVERED);
            pass(Duration.ofSeconds(11));
            assertThat(lane.snapshot().longestAttempt()).isZero();
            assertThat(log.lines()).hasSize(1);
        }
    }

    private void pass(Duration time) {
        now += time.toNanos();
        attempts.check(lane);
    }

    private static Message message(long id, String key) {
        return new Message(id, new UUID(0, id), new Key("order", key), "order.created", null, "{}", Instant.EPOCH);
    }
}
