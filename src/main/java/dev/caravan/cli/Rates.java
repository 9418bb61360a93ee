package dev.caravan.cli;

import dev.caravan.subscription.SubscriptionStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** How fast subscriptions are, from two looks at them. Used by one thread. */
final class Rates {
    private final LongSupplier nanoClock;
    private Map<String, SubscriptionStatus> before = Map.of();
    private long lookedAt;

    /**
     * A subscription, and what it did since the look before.
     *
     * @param perSecond messages delivered a second; empty at the first look
     * @param untilDrained when its backlog is gone if it goes on falling like this; empty unless it falls. Taken from the fall
     *     of the backlog: what is delivered says nothing of what comes in, nor of ids of other types
     */
    record Pace(SubscriptionStatus status, OptionalDouble perSecond, Optional<Duration> untilDrained) {}

    /** @param nanoClock like {@link System#nanoTime()} */
    Rates(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** @param now as it was just read */
    List<Pace> look(List<SubscriptionStatus> now) {
        long at = nanoClock.getAsLong();
        double seconds = (at - lookedAt) / 1e9;
        List<Pace> paces = now.stream().map(status -> pace(status, seconds)).toList();
        before = now.stream().collect(Collectors.toMap(SubscriptionStatus::name, Function.identity()));
        lookedAt = at;
        return paces;
    }

    private Pace pace(SubscriptionStatus now, double seconds) {
        SubscriptionStatus old = before.get(now.name());
        if (old == null || now.delivered() < old.delivered()) { // new, or deleted and made anew
            return new Pace(now, OptionalDouble.empty(), Optional.empty());
        }
        double fall = (old.backlog() - now.backlog()) / seconds;
        return new Pace(
                now,
                OptionalDouble.of((now.delivered() - old.delivered()) / seconds),
                fall > 0 && now.backlog() > 0
                        ? Optional.of(Duration.ofMillis(Math.round(now.backlog() / fall * 1000)))
                        : Optional.empty());
    }
}
