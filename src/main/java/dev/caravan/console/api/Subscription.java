package dev.caravan.console.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.util.List;
import java.util.Optional;

/** A subscription in an answer: its status, its rate and its recent history. */
record Subscription(
        @JsonUnwrapped SubscriptionStatus status,
        Optional<Double> ratePerSecond,
        Optional<Double> secondsToDrain,
        List<Double> recentRates) {
    static Subscription of(SubscriptionStatus status, RecentSamples samples) {
        return new Subscription(
                status,
                samples.rate(status.name()),
                samples.secondsToDrain(status),
                samples.recentRates(status.name()));
    }
}
