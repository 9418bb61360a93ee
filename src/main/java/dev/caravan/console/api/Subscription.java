package dev.caravan.console.api;

import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.util.Map;

/** The JSON of a subscription: its status, its rate and its recent history. */
final class Subscription {
    private final RecentSamples samples;

    Subscription(RecentSamples samples) {
        this.samples = samples;
    }

    Map<String, Object> fields(SubscriptionStatus status) {
        Map<String, Object> fields = status.fields();
        fields.put("ratePerSecond", samples.rate(status.name()).orElse(null));
        fields.put("secondsToDrain", samples.secondsToDrain(status).orElse(null));
        fields.put("recentRates", samples.recentRates(status.name()));
        return fields;
    }
}
