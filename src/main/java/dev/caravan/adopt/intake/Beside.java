package dev.caravan.adopt.intake;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Reason;
import dev.caravan.base.text.Sentence;
import java.sql.SQLException;
import java.util.Optional;
import org.apache.camel.util.function.ThrowingRunnable;

/** Work of an intake that must not stop its copying: if the source refuses it, copying continues, and the work is tried again later. */
final class Beside {
    private final String failureName;
    private final IntakeFailures failures;
    private final Clock clock;
    private long dueAt;
    private boolean isFailing;

    /** @param failureName what a failure means, for people */
    Beside(String failureName, IntakeFailures failures, Clock clock) {
        this.failureName = failureName;
        this.failures = failures;
        this.clock = clock;
        dueAt = clock.nanos();
    }

    /** Whether the last attempt has failed. */
    boolean isFailing() {
        return isFailing;
    }

    /**
     * Runs it, unless it waits after a failure; returns what has failed.
     *
     * @throws SQLException if the connection is lost: copying fails as well
     */
    Optional<String> run(ThrowingRunnable<SQLException> work) throws SQLException {
        if (clock.nanos() - dueAt < 0) {
            return Optional.empty();
        }
        try {
            work.run();
        } catch (SQLException e) {
            if (failures.isConflict(e)) {
                return Optional.empty();
            }
            if (IntakeFailures.isLostConnection(e)) {
                throw e;
            }
            String reason = Sentence.of(failureName + ": " + Reason.of(e));
            dueAt = clock.nanos() + failures.ofSource(reason).toNanos();
            isFailing = true;
            return Optional.of(reason);
        }
        isFailing = false;
        failures.succeeded();
        return Optional.empty();
    }
}
