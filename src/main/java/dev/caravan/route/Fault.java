package dev.caravan.route;

import dev.caravan.delivery.Outcome;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;

/**
 * Why an exchange, or a part of it, did not deliver its message.
 *
 * @param outcome RETRY, DEAD or UNAVAILABLE
 * @param error of the route, handled or not; null if there was none
 * @param step uri of the endpoint that failed; null if unknown
 * @param sent what was to be sent, which no text of the result quotes; may be null
 */
public record Fault(Outcome outcome, Throwable error, String step, Object sent) {
    static Fault of(Exchange exchange, Outcome outcome) {
        return new Fault(
                outcome,
                error(exchange),
                exchange.getProperty(ExchangePropertyKey.FAILURE_ENDPOINT, String.class),
                exchange.getMessage().getBody());
    }

    private static Throwable error(Exchange exchange) {
        Throwable thrown = exchange.getException();
        return thrown != null ? thrown : exchange.getProperty(ExchangePropertyKey.EXCEPTION_CAUGHT, Throwable.class);
    }

    /**
     * The one that decides about the whole message; either may be null. A message of which a part waits for its destination
     * must be tried again without a count, and one of which a part may still succeed must not become dead.
     */
    static Fault worse(Fault one, Fault other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return weight(other.outcome) > weight(one.outcome) ? other : one;
    }

    private static int weight(Outcome outcome) {
        return switch (outcome) {
            case DELIVERED -> 0;
            case DEAD -> 1;
            case RETRY -> 2;
            case UNAVAILABLE -> 3;
        };
    }
}
