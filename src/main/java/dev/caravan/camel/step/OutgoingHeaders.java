package dev.caravan.camel.step;

import dev.caravan.camel.guard.OwnExchanges;
import dev.caravan.camel.headers.NoControlHeaders;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.spi.EndpointStrategy;
import org.apache.camel.spi.HeaderFilterStrategy;
import org.apache.camel.spi.HeaderFilterStrategyAware;

/** Filters the headers of messages of an outbox at each endpoint that has a filter, regardless of its options. */
public final class OutgoingHeaders implements EndpointStrategy {
    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        if (endpoint instanceof HeaderFilterStrategyAware aware) {
            aware.setHeaderFilterStrategy(new ByExchange(aware.getHeaderFilterStrategy()));
        }
        return endpoint;
    }

    /** Filters the headers of other exchanges by the endpoint's own rules alone. */
    private static final class ByExchange implements HeaderFilterStrategy {
        private final HeaderFilterStrategy rules;
        private final HeaderFilterStrategy ofMessages;

        private ByExchange(HeaderFilterStrategy rules) {
            this.rules = rules;
            this.ofMessages = new NoControlHeaders(rules);
        }

        @Override
        public boolean applyFilterToCamelHeaders(String name, Object value, Exchange exchange) {
            return isOwn(exchange)
                    ? ofMessages.applyFilterToCamelHeaders(name, value, exchange)
                    : rules != null && rules.applyFilterToCamelHeaders(name, value, exchange);
        }

        /** What no route and no template has begun is polled, possibly for a message of an outbox. */
        @Override
        public boolean applyFilterToExternalHeaders(String name, Object value, Exchange exchange) {
            return isOwn(exchange) || exchange.getFromRouteId() == null && exchange.getUnitOfWork() == null
                    ? ofMessages.applyFilterToExternalHeaders(name, value, exchange)
                    : rules != null && rules.applyFilterToExternalHeaders(name, value, exchange);
        }

        private static boolean isOwn(Exchange exchange) {
            return exchange == null || OwnExchanges.isOwn(exchange);
        }
    }
}
