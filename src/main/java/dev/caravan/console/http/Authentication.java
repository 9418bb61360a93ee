package dev.caravan.console.http;

import io.vertx.ext.web.RoutingContext;
import java.util.Optional;

/** Identifies the people who send requests. Machines send a token instead. */
public interface Authentication {
    /** Identifies nobody: only tokens are accepted. */
    Authentication NONE = context -> Optional.empty();

    /**
     * The person who sends the request; empty if the request names none.
     *
     * @throws HttpProblem if the request must be refused
     */
    Optional<Caller> caller(RoutingContext context);

    /** The page where a person signs in; empty if there is none. */
    default Optional<String> signIn() {
        return Optional.empty();
    }

    /** Answers a request below {@code /auth}, which needs no sign-in. */
    default void page(RoutingContext context) {
        throw HttpProblem.missing("This relay has no sign-in for people. See /console/.");
    }
}
