package dev.caravan.console.http;

import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;

/** Identifies the people who send requests. Machines send a token instead. */
public interface Authentication {
    /** Identifies nobody: only tokens are accepted. */
    Authentication NONE = context -> Future.succeededFuture(Optional.empty());

    /**
     * The person who sends the request; empty if the request names none. The future completes on the event loop of the request. It fails if
     * the request must be refused, or if the database does not say whether a session has ended.
     *
     * @throws HttpProblem if the request must be refused
     */
    Future<Optional<Caller>> caller(RoutingContext context);

    /** The page where a person signs in; empty if there is none. */
    default Optional<String> signIn() {
        return Optional.empty();
    }

    /** Answers a request below {@code /auth}, which needs no sign-in. */
    default void page(RoutingContext context) {
        throw HttpProblem.missing("This relay has no sign-in for people. See /console/.");
    }
}
