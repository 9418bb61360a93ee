package dev.caravan.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Computes delivery rates from two successive samples of the subscriptions. Not thread-safe. */
final class Rates {
    private final LongSupplier nanoClock;
    private Map<String, SubscriptionStatus> previous = Map.of();
    private long sampledAtNanos;

    /**
     * A subscription and its rate since the previous sample.
     *
     * @param perSecond messages delivered per second; empty at the first sample
     * @param untilDrained time until the backlog is empty at the current rate of decrease; empty if the backlog does not decrease,
     *     or the subscription is up to date. Computed from the backlog, because the delivery rate does not account for new messages or for ids of other types
     */
    record Pace(
            @JsonUnwrapped SubscriptionStatus status,
            @JsonProperty("ratePerSecond") OptionalDouble perSecond,
            @JsonProperty("secondsToDrain") Optional<Duration> untilDrained) {}

    /** @param nanoClock like {@link System#nanoTime()} */
    Rates(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Compares a new sample with the previous one, and stores it for the next call. */
    List<Pace> update(List<SubscriptionStatus> now) {
        long at = nanoClock.getAsLong();
        double seconds = (at - sampledAtNanos) / 1e9;
        List<Pace> paces = now.stream().map(status -> pace(status, seconds)).toList();
        previous = now.stream().collect(Collectors.toMap(SubscriptionStatus::name, Function.identity()));
        sampledAtNanos = at;
        return paces;
    }

    private Pace pace(SubscriptionStatus now, double seconds) {
        SubscriptionStatus old = previous.get(now.name());
        if (old == null || now.delivered() < old.delivered()) { // new, or deleted and created again
            return new Pace(now, OptionalDouble.empty(), Optional.empty());
        }
        double decrease = (old.backlog() - now.backlog()) / seconds;
        return new Pace(
                now,
                OptionalDouble.of((now.delivered() - old.delivered()) / seconds),
                decrease > 0 && now.backlog() > 0 && !now.isUpToDate()
                        ? Optional.of(Duration.ofMillis(Math.round(now.backlog() / decrease * 1000)))
                        : Optional.empty());
    }
}
