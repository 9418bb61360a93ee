package dev.caravan.operate.explain;

import dev.caravan.database.BoundedCount;
import dev.caravan.operate.subscription.DestinationStatus;
import dev.caravan.operate.subscription.Halt;
import dev.caravan.operate.subscription.LaneStatus;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Subscriptions as a sample has them. */
final class Statuses {
    private Statuses() {}

    static Sample sample(Instant at, SubscriptionStatus... all) {
        return new Sample(at, List.of(all), List.of(), List.of(), List.of());
    }

    static LaneStatus lane(
            int number, Optional<String> owner, long epoch, long delivered, DestinationStatus destination) {
        return new LaneStatus(
                number,
                delivered,
                0,
                owner,
                epoch,
                Optional.empty(),
                Optional.empty(),
                true,
                delivered,
                Optional.empty(),
                Optional.of(7),
                destination,
                Optional.empty(),
                Optional.empty());
    }

    static SubscriptionStatus subscription(
            String name, List<LaneStatus> lanes, long backlog, Duration lag, boolean paused, Optional<Halt> halt) {
        BoundedCount none = new BoundedCount(0, false);
        return new SubscriptionStatus(
                name,
                lanes,
                lanes.stream().mapToLong(LaneStatus::position).min().orElse(0),
                0,
                backlog,
                lag,
                paused,
                halt,
                false,
                none,
                none,
                none,
                none,
                Duration.ZERO,
                none,
                Duration.ZERO);
    }
}
