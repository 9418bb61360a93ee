package dev.caravan.camel.guard;

import dev.caravan.base.text.ErrorText;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.headers.RowHeaders;
import dev.caravan.engine.schedule.Outcome;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.Message;

/**
 * Why an exchange, or a part of it, did not deliver its message.
 *
 * @param outcome RETRY, DEAD or UNAVAILABLE
 * @param error the error of the route, handled or not; null if there was none
 * @param step the uri of the endpoint that failed; null if unknown
 * @param answer the uri of the endpoint whose answer the error is about; null if it is not about an answer
 * @param sent the bodies and the secret headers that were or may have been sent; they are removed from all texts of the result; may contain null
 * @param isComputed whether the address of the step is not that of the route, but has values of the message
 */
public record Fault(
        Outcome outcome, Throwable error, String step, String answer, List<Object> sent, boolean isComputed) {
    /** More are not removed from texts, which takes time for each one. */
    private static final int MOST_SECRETS = 100;

    static Fault of(Exchange exchange) {
        return of(
                exchange,
                isOfDestination(exchange)
                        ? Outcome.UNAVAILABLE
                        : Classification.outcome(exchange, exchange.getException()));
    }

    /** An error about an answer that the error handling would make dead is a failure of the message: a later answer may be right. */
    static Fault of(Exchange exchange, Outcome outcome) {
        Throwable error = error(exchange);
        Part part = Part.of(exchange);
        String answer = part == null || error == null ? null : part.answeredBy(error, exchange);
        boolean isRetried = outcome == Outcome.DEAD && answer != null && !isDecidedByRoute(exchange);
        return new Fault(
                isRetried ? Outcome.RETRY : outcome,
                error,
                exchange.getProperty(ExchangePropertyKey.FAILURE_ENDPOINT, String.class),
                answer,
                sent(exchange),
                FailedAddress.isComputed(exchange));
    }

    /** The fault of an exchange that did not fail by itself. */
    static Fault of(Exchange exchange, Throwable error) {
        return new Fault(
                Outcome.RETRY,
                error,
                exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, String.class),
                null,
                sent(exchange),
                FailedAddress.isComputed(exchange));
    }

    /** Those that the route has set first: a row may have thousands. */
    private static List<Object> sent(Exchange exchange) {
        Message message = exchange.getMessage();
        Stream<Object> secrets = message.getHeaders().entrySet().stream()
                .filter(header -> !header.getKey().startsWith("Camel") && ErrorText.isSecretName(header.getKey()))
                .sorted(Comparator.comparing(header -> RowHeaders.has(exchange, header.getKey(), header.getValue())))
                .limit(MOST_SECRETS)
                .map(header -> String.valueOf(header.getValue()))
                .flatMap(secret -> Stream.of(secret, secret.replaceFirst("^\\w+ +", "")));
        return Stream.concat(Stream.of(message.getBody(), exchange.getProperty(OutboxConstants.SENT)), secrets)
                .toList();
    }

    /** Whether the steps of an onException, or the endpoint of a deadLetterChannel, are running for an exchange. */
    public static boolean isBeingHandled(Exchange exchange) {
        Deque<?> running = exchange.getProperty(ExchangePropertyKey.FATAL_FALLBACK_ERROR_HANDLER, Deque.class);
        return running != null && !running.isEmpty();
    }

    /** Whether no error is handled: a step of the route, such as one of a doCatch, says what the outcome is. */
    private static boolean isDecidedByRoute(Exchange exchange) {
        return exchange.getException() == null && !isBeingHandled(exchange);
    }

    /** Whether the route assigns the failure to the destination. */
    static boolean isOfDestination(Exchange exchange) {
        return OutboxConstants.DESTINATION.equals(exchange.getProperty(OutboxConstants.FAILURE));
    }

    private static Throwable error(Exchange exchange) {
        Throwable thrown = exchange.getException();
        return thrown != null ? thrown : exchange.getProperty(ExchangePropertyKey.EXCEPTION_CAUGHT, Throwable.class);
    }

    /**
     * The fault that determines the outcome of the whole message; either may be null. If the destination of a part is
     * unavailable, the attempt must not count; if a part may succeed later, the message must not become dead.
     */
    public static Fault decisive(Fault one, Fault other) {
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
