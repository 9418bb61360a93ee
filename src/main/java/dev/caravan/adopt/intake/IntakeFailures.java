package dev.caravan.adopt.intake;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.clock.Pauses;
import dev.caravan.base.text.Causes;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The failures of an intake in a row: how long it waits, and what is logged. A failure is logged when it begins or changes, and at growing intervals. */
final class IntakeFailures {
    private static final Logger LOG = LoggerFactory.getLogger(IntakeFailures.class);
    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);

    /** The longest wait for the database of the outbox, which delays every intake. */
    private static final Duration LONGEST_WAIT_OF_OUTBOX = Duration.ofSeconds(5);

    private static final Duration LONGEST_WAIT_OF_SOURCE = Duration.ofSeconds(30);
    /** How many transactions in a row that lost against another one are repeated at once. */
    private static final int CONFLICTS = 5;

    private static final Duration FIRST_SILENCE = Duration.ofMinutes(1);
    private static final Duration LONGEST_SILENCE = Duration.ofHours(1);

    private final String intake;
    private final Clock clock;
    private Duration wait = Duration.ZERO;
    private Duration silence = FIRST_SILENCE;
    private int conflicts;
    private String logged = "";
    private long loggedAt;

    IntakeFailures(String intake, Clock clock) {
        this.intake = intake;
        this.clock = clock;
    }

    /** Whether the source has ended a transaction because of another one, such as one of the application: a few in a row are no failure. */
    boolean isConflict(Exception thrown) {
        boolean isConflict = is(thrown, failure -> hasState("40", failure));
        return isConflict && ++conflicts < CONFLICTS;
    }

    /** Whether there is no connection: none was opened, a pool has none, or it is lost. */
    static boolean isLostConnection(Exception thrown) {
        return is(thrown, failure -> failure instanceof SQLTransientConnectionException || hasState("08", failure));
    }

    private static boolean is(Exception thrown, Predicate<SQLException> kind) {
        return Causes.first(SQLException.class, thrown).filter(kind).isPresent();
    }

    private static boolean hasState(String type, SQLException failure) {
        return String.valueOf(failure.getSQLState()).startsWith(type);
    }

    /** Records a failure of the source; returns how long to wait. */
    Duration ofSource(String reason) {
        log("its source failed: " + reason);
        return next(LONGEST_WAIT_OF_SOURCE);
    }

    /** Records a failure of the database of the outbox; returns how long to wait. */
    Duration ofOutbox(String reason) {
        log("the database of the outbox failed: " + reason);
        return next(LONGEST_WAIT_OF_OUTBOX);
    }

    private Duration next(Duration longest) {
        wait = wait.isZero() ? FIRST_WAIT : Pauses.doubled(wait, longest);
        return wait.compareTo(longest) < 0 ? wait : longest;
    }

    private void log(String text) {
        String withoutNumbers = text.replaceAll("\\d+", "#"); // MariaDB names the number of the connection
        boolean isKnown = withoutNumbers.equals(logged);
        if (isKnown && clock.nanos() - loggedAt < silence.toNanos()) {
            return;
        }
        silence = isKnown ? Pauses.doubled(silence, LONGEST_SILENCE) : FIRST_SILENCE;
        logged = withoutNumbers;
        loggedAt = clock.nanos();
        LOG.warn("Could not work intake {}: {} Nothing is lost; it is retried until it succeeds", intake, text);
    }

    /** Records a round without a failure. */
    void succeeded() {
        wait = Duration.ZERO;
        silence = FIRST_SILENCE;
        conflicts = 0;
        if (!logged.isEmpty()) {
            logged = "";
            LOG.info("Intake {} works again", intake);
        }
    }
}
