package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.ShortText;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.schedule.Delivery;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once each attempt that has been running for so long that it may never end, for example because an error ended the thread
 * of a component that should have completed the exchange. Not thread-safe.
 */
final class LongAttempts {
    static final Duration LIMIT = Duration.ofMinutes(5);

    private static final Logger LOG = LoggerFactory.getLogger(LongAttempts.class);
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final String subscription;
    private final String relay;
    private final Clock clock;
    private final Set<Delivery> logged = Collections.newSetFromMap(new IdentityHashMap<>());
    private long checkedAt;

    LongAttempts(LaneSettings settings, Clock clock) {
        subscription = settings.subscription();
        relay = settings.relay();
        this.clock = clock;
        checkedAt = clock.elapsed();
    }

    /** Checks the lane every 10 s. */
    void check(Lane lane) {
        long now = clock.elapsed();
        if (now - checkedAt < INTERVAL.toNanos()) {
            return;
        }
        checkedAt = now;
        List<Delivery> running = lane.runningLongerThan(LIMIT);
        logged.retainAll(running);
        running.stream().filter(logged::add).forEach(this::log);
    }

    private void log(Delivery delivery) {
        String step = delivery.step();
        LOG.warn(
                "Message {} (messageId={} key={}) of {} was started more than {} min ago and its attempt has not ended (relay={}, {})."
                        + " Later messages of its key wait. If the attempt is lost, restart the relay: the message is delivered again",
                delivery.message().id(),
                delivery.message().messageId(),
                ShortText.of(delivery.message().key().toString()),
                subscription,
                LIMIT.toMinutes(),
                relay,
                step.isEmpty() ? "not sent to an endpoint yet" : "last sent to " + step);
    }
}
