package dev.caravan.http;

import dev.caravan.database.DatabaseFailure;
import dev.caravan.subscription.Refusal;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one place where an exception becomes a problem. */
public final class HttpFailures {
    private static final Logger LOG = LoggerFactory.getLogger(HttpFailures.class);
    private static final String CANCELLED = "57014"; // by statement_timeout
    private static final int FRAMES = 8;

    private HttpFailures() {}

    /** @param what the operation, without anything of the request */
    public static HttpProblem problem(Throwable thrown, String what) {
        if (thrown instanceof HttpProblem problem) {
            return problem;
        }
        if (thrown instanceof Refusal) {
            return HttpProblem.conflict(thrown.getMessage());
        }
        if (sqlState(thrown).equals(CANCELLED)) {
            return HttpProblem.later(
                    503, "The database took too long for this. Nothing was changed; ask for less, or later.", 5);
        }
        if (isAway(thrown)) {
            return HttpProblem.later(503, away(thrown), 2);
        }
        return DatabaseFailure.in(thrown)
                .map(failure -> new HttpProblem(503, failure.text()))
                .orElseGet(() -> unforeseen(thrown, what));
    }

    static boolean isAway(Throwable thrown) {
        return causedByPool(thrown)
                || DatabaseFailure.in(thrown).map(DatabaseFailure::waitingHelps).orElse(false);
    }

    private static String away(Throwable thrown) {
        return DatabaseFailure.in(thrown)
                .filter(DatabaseFailure::waitingHelps)
                .map(DatabaseFailure::text)
                .orElse("The database does not answer.");
    }

    private static boolean causedByPool(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientConnectionException) {
                return true;
            }
        }
        return false;
    }

    private static String sqlState(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException refusal && refusal.getSQLState() != null) {
                return refusal.getSQLState();
            }
        }
        return "";
    }

    /** The message of such an exception may quote what it was about: only where it happened goes to the log. */
    private static HttpProblem unforeseen(Throwable thrown, String what) {
        LOG.error(
                "Could not answer {}: {} at {}",
                what,
                thrown.getClass().getName(),
                Arrays.stream(thrown.getStackTrace())
                        .limit(FRAMES)
                        .map(StackTraceElement::toString)
                        .collect(Collectors.joining(" < ")));
        return new HttpProblem(500, thrown.getClass().getSimpleName() + "; the log of the relay says where.");
    }
}
