package dev.caravan.camel.outbox;

import dev.caravan.engine.lane.BatchLimits;
import dev.caravan.engine.lane.LaneOptions;
import dev.caravan.engine.lane.Rate;
import dev.caravan.engine.lane.RateLimit;
import dev.caravan.engine.loop.LoopSettings;
import dev.caravan.engine.schedule.Backoff;
import dev.caravan.engine.schedule.OnDead;
import dev.caravan.engine.schedule.RetryPolicy;
import dev.caravan.engine.store.Start;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** Converts the options of an endpoint and of its component to the settings of the loop. */
final class EndpointSettings {
    /** The longest pause between two reads while nothing is inserted and the relay does not sleep. */
    private static final Duration LONGEST_DELAY = Duration.ofMillis(100);

    private static final int MAX_MESSAGES_PER_READ = 1000;

    private EndpointSettings() {}

    static LoopSettings of(OutboxEndpoint endpoint) {
        OutboxComponent component = endpoint.getComponent();
        return new LoopSettings(
                endpoint.getName(),
                endpoint.getSubscription().getLanes(),
                endpoint.getSubscription().getTypes(),
                Start.parse(endpoint.getSubscription().getStart()),
                component.getRelay(),
                Duration.ofMillis(component.getLeaseDuration()),
                lane(endpoint),
                LONGEST_DELAY,
                pauseAsleep(component),
                component.presence(),
                endpoint.rateLimit(),
                component.clock());
    }

    static RateLimit rateLimit(OutboxEndpoint endpoint) {
        Rate rate = Rate.parse(endpoint.getLimits().getRate());
        int lanes = endpoint.getSubscription().getLanes();
        int burst = endpoint.getLimits().getBurst() == null
                ? defaultBurst(endpoint, rate)
                : endpoint.getLimits().getBurst();
        return new RateLimit(rate, burst, lanes, endpoint.getComponent().clock());
    }

    /** A batch is never larger than the number of permits when it starts, so with batching the default allows a full batch. */
    private static int defaultBurst(OutboxEndpoint endpoint, Rate rate) {
        int burst = RateLimit.defaultBurst(rate, endpoint.getSubscription().getLanes());
        return endpoint.getBatches().isBatching()
                ? Math.max(
                        burst,
                        endpoint.getSubscription().getLanes()
                                * endpoint.getBatches().getBatchMaxMessages())
                : burst;
    }

    /** The longest pause between two turns of the loop of a lane while the database answers. */
    static Duration longestPause(OutboxEndpoint endpoint) {
        return Duration.ofMillis(endpoint.getDelay() + endpoint.getLimits().getSaveInterval())
                .plus(LONGEST_DELAY)
                .plus(pauseAsleep(endpoint.getComponent()));
    }

    /** The pause between two reads of a sleeping subscription, which also renew its lease: 1 s with the default lease. */
    private static Duration pauseAsleep(OutboxComponent component) {
        return Duration.ofMillis(component.getLeaseDuration() / 10);
    }

    private static LaneOptions lane(OutboxEndpoint endpoint) {
        OutboxComponent component = endpoint.getComponent();
        return new LaneOptions(
                endpoint.getSubscription().getOrder(),
                endpoint.getSubscription().isPipelined(),
                endpoint.getLimits().getConcurrency(),
                batchSize(endpoint),
                endpoint.getLimits().getBatchBytes(),
                endpoint.getLimits().getMaxMessageBytes(),
                endpoint.getLimits().getWindow(),
                retry(endpoint),
                Duration.ofMillis(endpoint.getLimits().getSaveInterval()),
                Duration.ofMillis(component.getLeaseDuration() * 3 / 10),
                component.refusedInterval(),
                batching(endpoint));
    }

    /** At most half of the window, so that the next read need not wait until the window is empty. */
    private static int batchSize(OutboxEndpoint endpoint) {
        return Math.min(MAX_MESSAGES_PER_READ, (endpoint.getLimits().getWindow() + 1) / 2);
    }

    private static BatchLimits batching(OutboxEndpoint endpoint) {
        return endpoint.getBatches().isBatching()
                ? new BatchLimits(
                        endpoint.getBatches().getBatchMaxMessages(),
                        endpoint.getBatches().getBatchMaxBytes(),
                        Duration.ofMillis(endpoint.getBatches().getBatchMaxWait()))
                : BatchLimits.SINGLE;
    }

    private static RetryPolicy retry(OutboxEndpoint endpoint) {
        Backoff wait = new Backoff(
                Duration.ofMillis(endpoint.getRetries().getBackoff()),
                Duration.ofMillis(endpoint.getRetries().getMaxBackoff()),
                () -> ThreadLocalRandom.current().nextLong());
        OnDead onDead = OnDead.valueOf(endpoint.getRetries().getOnDead().toUpperCase(Locale.ROOT));
        return new RetryPolicy(
                endpoint.getRetries().getMaxAttempts(),
                Duration.ofMillis(endpoint.getRetries().getMaxAge()),
                wait,
                onDead);
    }
}
