package dev.caravan.camel.outbox;

import dev.caravan.engine.lane.BatchLimits;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.lane.Rate;
import dev.caravan.engine.lane.RateLimit;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.schedule.Backoff;
import dev.caravan.engine.schedule.OnDead;
import dev.caravan.engine.schedule.RetryPolicy;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** Converts the options of an endpoint and of its component to the settings of its lanes. */
final class EndpointSettings {
    private static final int MAX_MESSAGES_PER_READ = 1000;

    private EndpointSettings() {}

    static LaneSettings of(OutboxEndpoint endpoint) {
        OutboxComponent component = endpoint.getComponent();
        SubscriptionOptions subscription = endpoint.getSubscription();
        LimitOptions limits = endpoint.getLimits();
        return new LaneSettings(
                endpoint.getName(),
                subscription.getLanes(),
                subscription.getTypes(),
                Start.parse(subscription.getStart()),
                component.getRelay(),
                Duration.ofMillis(component.getLeaseDuration()),
                subscription.getOrder(),
                subscription.isPipelined(),
                limits.getConcurrency(),
                batchSize(limits),
                limits.getBatchBytes(),
                limits.getMaxMessageBytes(),
                limits.getWindow(),
                retry(endpoint.getRetries()),
                Duration.ofMillis(limits.getSaveInterval()),
                component.refusedInterval(),
                batching(endpoint.getBatches()));
    }

    /** At most half of the window, so that the next read need not wait until the window is empty. */
    private static int batchSize(LimitOptions limits) {
        return Math.min(MAX_MESSAGES_PER_READ, (limits.getWindow() + 1) / 2);
    }

    private static BatchLimits batching(BatchOptions batches) {
        return batches.isBatching()
                ? new BatchLimits(
                        batches.getBatchMaxMessages(),
                        batches.getBatchMaxBytes(),
                        Duration.ofMillis(batches.getBatchMaxWait()))
                : BatchLimits.SINGLE;
    }

    private static RetryPolicy retry(RetryOptions retries) {
        Backoff wait = new Backoff(
                Duration.ofMillis(retries.getBackoff()),
                Duration.ofMillis(retries.getMaxBackoff()),
                () -> ThreadLocalRandom.current().nextLong());
        return new RetryPolicy(
                retries.getMaxAttempts(),
                Duration.ofMillis(retries.getMaxAge()),
                wait,
                OnDead.valueOf(retries.getOnDead().toUpperCase(Locale.ROOT)));
    }

    static RateLimit rateLimit(OutboxEndpoint endpoint) {
        Rate rate = Rate.parse(endpoint.getLimits().getRate());
        int lanes = endpoint.getSubscription().getLanes();
        int burst = endpoint.getLimits().getBurst() == null
                ? defaultBurst(endpoint.getBatches(), rate, lanes)
                : endpoint.getLimits().getBurst();
        return new RateLimit(rate, burst, lanes, endpoint.getComponent().clock());
    }

    /** A batch is never larger than the number of permits when it starts, so with batching the default allows a full batch. */
    private static int defaultBurst(BatchOptions batches, Rate rate, int lanes) {
        int burst = RateLimit.defaultBurst(rate, lanes);
        return batches.isBatching() ? Math.max(burst, lanes * batches.getBatchMaxMessages()) : burst;
    }
}
