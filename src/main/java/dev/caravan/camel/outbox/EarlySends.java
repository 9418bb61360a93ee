package dev.caravan.camel.outbox;

import dev.caravan.camel.guard.EarlyStep;
import dev.caravan.camel.guard.Part;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.spi.EndpointStrategy;
import org.apache.camel.support.DefaultInterceptSendToEndpoint;

/**
 * Fails a message that a route sends to an endpoint which continues before the delivery, such as a queue in memory. A route that names such
 * an endpoint does not start; this is for an address that is computed for each message.
 */
final class EarlySends implements EndpointStrategy {
    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        if (EarlyStep.ofEndpoint(endpoint, null).isEmpty()) {
            return endpoint;
        }
        DefaultInterceptSendToEndpoint checked = new DefaultInterceptSendToEndpoint(endpoint, false);
        checked.setBefore(exchange -> requireDelivery(endpoint, exchange));
        return checked;
    }

    private static void requireDelivery(Endpoint endpoint, Exchange exchange) {
        if (Part.mustDeliver(exchange)) {
            EarlyStep.ofEndpoint(endpoint, exchange.getPattern()).ifPresent(reason -> {
                throw new IllegalStateException(endpoint.getEndpointUri() + " " + reason);
            });
        }
    }
}
