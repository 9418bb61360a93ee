package dev.caravan.console.http;

import dev.caravan.base.text.Causes;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.operate.subscription.Refusal;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps each exception of a request to a problem response. */
public final class HttpFailures {
    private static final Logger LOG = LoggerFactory.getLogger(HttpFailures.class);
    private static final String QUERY_CANCELED = "57014"; // SQL state after statement_timeout
    private static final String TOO_LONG = "The database took too long.";
    private static final int LOGGED_FRAMES = 8;

    private HttpFailures() {}

    /** @param operation the operation for the log, without values of the request */
    public static HttpProblem problem(Throwable thrown, String operation) {
        if (thrown instanceof HttpProblem problem) {
            return problem;
        }
        if (thrown instanceof Refusal) {
            return HttpProblem.conflict(thrown.getMessage());
        }
        if (isCancelled(thrown)) {
            return HttpProblem.later(
                    503, TOO_LONG + " Nothing was changed. Use narrower filters, or try again later.", 5);
        }
        if (isDatabaseUnavailable(thrown)) {
            return HttpProblem.later(503, unavailableText(thrown), 2);
        }
        return DatabaseFailure.in(thrown)
                .map(failure -> new HttpProblem(503, failure.text()))
                .orElseGet(() -> unexpected(thrown, operation));
    }

    /** The text for a step of a longer change: earlier steps may have changed something. */
    public static String textOfStep(Throwable thrown, String operation) {
        return isCancelled(thrown) ? TOO_LONG : problem(thrown, operation).getMessage();
    }

    private static boolean isCancelled(Throwable thrown) {
        return Causes.of(thrown)
                .anyMatch(cause -> cause instanceof SQLException sql && QUERY_CANCELED.equals(sql.getSQLState()));
    }

    /** Whether the database was unavailable for a request. */
    public static boolean isDatabaseUnavailable(Throwable thrown) {
        return Causes.first(SQLTransientConnectionException.class, thrown).isPresent()
                || DatabaseFailure.in(thrown).map(DatabaseFailure::waitingHelps).orElse(false);
    }

    private static String unavailableText(Throwable thrown) {
        return DatabaseFailure.in(thrown)
                .filter(DatabaseFailure::waitingHelps)
                .map(DatabaseFailure::text)
                .orElse("The database does not answer.");
    }

    /** Logs only class and stack frames, because the exception's message may quote content of a message. */
    private static HttpProblem unexpected(Throwable thrown, String operation) {
        LOG.error(
                "Could not answer {}: {} at {}",
                operation,
                thrown.getClass().getName(),
                Arrays.stream(thrown.getStackTrace())
                        .limit(LOGGED_FRAMES)
                        .map(StackTraceElement::toString)
                        .collect(Collectors.joining(" < ")));
        return new HttpProblem(500, thrown.getClass().getSimpleName() + ". The log of the relay shows where.");
    }
}
