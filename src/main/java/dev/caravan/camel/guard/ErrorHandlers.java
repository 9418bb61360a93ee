package dev.caravan.camel.guard;

import java.util.Deque;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;

/** The state of Camel's error handlers for an exchange. */
public final class ErrorHandlers {
    private ErrorHandlers() {}

    /** Whether the steps of an onException, or the endpoint of a deadLetterChannel, are running for an exchange. */
    public static boolean areRunning(Exchange exchange) {
        Deque<?> running = exchange.getProperty(ExchangePropertyKey.FATAL_FALLBACK_ERROR_HANDLER, Deque.class);
        return running != null && !running.isEmpty();
    }
}
