package dev.caravan.camel.guard;

import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Route;
import org.apache.camel.Service;
import org.apache.camel.spi.ExceptionHandler;
import org.apache.camel.support.DefaultConsumer;
import org.apache.camel.support.LifecycleStrategySupport;
import org.apache.camel.support.LoggingExceptionHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces what consumers such as that of {@code seda:} log of a failed exchange, if it is {@link OwnExchanges own}: the text of the failure,
 * which may quote the payload. The relay reports the failure of a message that it waits for.
 */
final class QueueFailures extends LifecycleStrategySupport {
    private static final Logger LOG = LoggerFactory.getLogger(QueueFailures.class);

    private QueueFailures() {}

    /** Begins to do so for the routes that are added from now on. No effect if it is done. */
    static void observe(CamelContext context) {
        if (context.getLifecycleStrategies().stream().noneMatch(QueueFailures.class::isInstance)) {
            context.addLifecycleStrategy(new QueueFailures());
        }
    }

    @Override
    public void onServiceAdd(CamelContext context, Service service, Route route) {
        if (service instanceof DefaultConsumer consumer
                && consumer.getExceptionHandler() instanceof LoggingExceptionHandler others) {
            consumer.setExceptionHandler(new Handler(others));
        }
    }

    /** @param others handles the failures of exchanges that are not own */
    private record Handler(ExceptionHandler others) implements ExceptionHandler {
        @Override
        public void handleException(Throwable failure) {
            others.handleException(failure);
        }

        @Override
        public void handleException(String message, Throwable failure) {
            others.handleException(message, failure);
        }

        @Override
        public void handleException(String message, Exchange exchange, Throwable failure) {
            if (exchange == null || !OwnExchanges.isOwn(exchange)) {
                others.handleException(message, exchange, failure);
            } else if (!Part.mustDeliver(exchange)) {
                LOG.warn(
                        "A message of the outbox failed in the route {}: {}",
                        exchange.getFromRouteId(),
                        FailedAddress.reason(exchange, failure));
            }
        }
    }
}
