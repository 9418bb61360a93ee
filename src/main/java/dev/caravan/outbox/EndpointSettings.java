package dev.caravan.outbox;

import dev.caravan.delivery.Backoff;
import dev.caravan.delivery.OnDead;
import dev.caravan.delivery.RetryPolicy;
import dev.caravan.lane.BatchLimits;
import dev.caravan.lane.LaneOptions;
import dev.caravan.loop.LoopSettings;
import dev.caravan.rate.Rate;
import dev.caravan.rate.RateLimit;
import dev.caravan.store.Start;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/** Converts the options of an endpoint and of its component to the settings of the loop. */
final class EndpointSettings {
    /** The longest pause between two reads while nothing is inserted and the relay does not sleep. */
    private static final Duration LONGEST_DELAY = Duration.ofMillis(100);

    private static final int MOST_MESSAGES_OF_A_READ = 1000;

    private EndpointSettings() {}

    static LoopSettings of(OutboxEndpoint endpoint) {
        OutboxComponent component = endpoint.getComponent();
        return new LoopSettings(
                endpoint.getName(),
                endpoint.getLanes(),
                endpoint.getTypes(),
                Start.parse(endpoint.getStart()),
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
        Rate rate = Rate.parse(endpoint.getRate());
        int lanes = endpoint.getLanes();
        int burst = endpoint.getBurst() == null ? defaultBurst(endpoint, rate) : endpoint.getBurst();
        return new RateLimit(rate, burst, lanes, endpoint.getComponent().clock());
    }

    /** A batch is never larger than the permits that are free when it starts, so with batching a full one is allowed. */
    private static int defaultBurst(OutboxEndpoint endpoint, Rate rate) {
        int burst = RateLimit.defaultBurst(rate, endpoint.getLanes());
        return endpoint.isBatching() ? Math.max(burst, endpoint.getLanes() * endpoint.getBatchMaxMessages()) : burst;
    }

    /** The longest pause between two turns of the loop of a lane while the database answers. */
    static Duration longestPause(OutboxEndpoint endpoint) {
        return Duration.ofMillis(endpoint.getDelay() + endpoint.getSaveInterval())
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
                endpoint.getOrder(),
                endpoint.isPipelined(),
                endpoint.getConcurrency(),
                batchSize(endpoint),
                endpoint.getBatchBytes(),
                endpoint.getWindow(),
                retry(endpoint),
                Duration.ofMillis(endpoint.getSaveInterval()),
                Duration.ofMillis(component.getLeaseDuration() * 3 / 10),
                component.refusedInterval(),
                batching(endpoint));
    }

    /** At most half of the window, so that the next read need not wait until the window is empty. */
    private static int batchSize(OutboxEndpoint endpoint) {
        return Math.min(MOST_MESSAGES_OF_A_READ, (endpoint.getWindow() + 1) / 2);
    }

    private static BatchLimits batching(OutboxEndpoint endpoint) {
        return endpoint.isBatching()
                ? new BatchLimits(
                        endpoint.getBatchMaxMessages(),
                        endpoint.getBatchMaxBytes(),
                        Duration.ofMillis(endpoint.getBatchMaxWait()))
                : BatchLimits.SINGLE;
    }

    private static RetryPolicy retry(OutboxEndpoint endpoint) {
        Backoff wait = new Backoff(
                Duration.ofMillis(endpoint.getBackoff()),
                Duration.ofMillis(endpoint.getMaxBackoff()),
                () -> ThreadLocalRandom.current().nextLong());
        OnDead onDead = OnDead.valueOf(endpoint.getOnDead().toUpperCase(Locale.ROOT));
        return new RetryPolicy(endpoint.getMaxAttempts(), Duration.ofMillis(endpoint.getMaxAge()), wait, onDead);
    }
}
