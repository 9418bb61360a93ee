package dev.caravan.component;

import dev.caravan.delivery.Delivery;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says that deliveries fail without flooding the log: every failure at DEBUG, one WARN every few seconds. */
final class FailureLog {
    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);
    private static final long QUIET_NANOS = 10_000_000_000L;

    private final String subscription;
    private final LongSupplier nanoClock;
    private long failures;
    private long quietUntil;

    FailureLog(String subscription, LongSupplier nanoClock) {
        this.subscription = subscription;
        this.nanoClock = nanoClock;
        this.quietUntil = nanoClock.getAsLong();
    }

    synchronized void add(Delivery delivery, Throwable failure) {
        var message = delivery.message();
        failures++;
        LOG.debug(
                "Attempt {} to deliver message {} (key {}) to {} failed",
                delivery.attempt(),
                message.id(),
                message.key(),
                subscription,
                failure);
        long now = nanoClock.getAsLong();
        if (now - quietUntil >= 0) {
            LOG.warn(
                    "Could not deliver message {} (messageId={} key={}) to {}: {}. Attempt {}; it is tried again with growing"
                            + " delays and nothing is lost. Failures since the last such line: {}.",
                    message.id(),
                    message.messageId(),
                    message.key(),
                    subscription,
                    Reason.of(failure),
                    delivery.attempt(),
                    failures);
            failures = 0;
            quietUntil = now + QUIET_NANOS;
        }
    }
}
