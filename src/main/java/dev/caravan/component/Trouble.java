package dev.caravan.component;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What keeps a subscription from being worked: said once when it begins, once when it changes, once when it is over. */
final class Trouble {
    private static final Logger LOG = LoggerFactory.getLogger(Trouble.class);
    private static final int LONGEST_WAIT_SECONDS = 10;

    private final String subscription;
    private String current;
    private int failures;

    Trouble(String subscription) {
        this.subscription = subscription;
    }

    /** Takes note of a failure; returns how long to wait before the next try. */
    Duration begin(Throwable failure) {
        boolean database = databaseError(failure) != null;
        String text = database
                ? Reason.of(databaseError(failure))
                : String.valueOf(innermost(failure).getMessage());
        if (!text.equals(current)) {
            if (database) {
                LOG.warn(
                        "Could not work subscription {}: the database answered {}. Nothing is lost; it is tried again until"
                                + " it works",
                        subscription,
                        text);
            } else {
                LOG.error("Could not work subscription {}: {}", subscription, text);
            }
            current = text;
        }
        return Duration.ofSeconds(Math.min(1L << Math.min(failures++, 10), LONGEST_WAIT_SECONDS));
    }

    /** Takes note that it works. */
    void end() {
        if (current != null) {
            LOG.info("Subscription {} works again", subscription);
            current = null;
        }
        failures = 0;
    }

    /** Camel wraps what is thrown while it acknowledges; the same trouble must not be told twice for that. */
    private static Throwable innermost(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static Throwable databaseError(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof java.sql.SQLException
                    || cause instanceof org.springframework.dao.DataAccessException) {
                return cause;
            }
        }
        return null;
    }
}
