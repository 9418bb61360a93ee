package dev.caravan.routes.context;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.guard.FailedAddress;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.NamedNode;
import org.apache.camel.NamedRoute;
import org.apache.camel.Route;
import org.apache.camel.spi.RoutePolicy;
import org.apache.camel.spi.RoutePolicyFactory;
import org.apache.camel.support.RoutePolicySupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs failures of routes that read something other than an outbox, such as a table or a timer: the built-in error handling logs nothing,
 * because the consumers of {@code outbox:} do. A route that another one calls leaves this to its caller.
 */
final class OtherFailures implements RoutePolicyFactory {
    private static final Logger LOG = LoggerFactory.getLogger(OtherFailures.class);
    private static final long QUIET_NANOS = 10_000_000_000L;

    @Override
    public RoutePolicy createRoutePolicy(CamelContext context, String routeId, NamedNode route) {
        boolean isCalled = ((NamedRoute) route).getEndpointUrl().matches("(?s)(outbox|direct|kamelet):.*");
        return isCalled ? null : new Log(Clock.SYSTEM);
    }

    /** Writes a line at most every 10 s. */
    private static final class Log extends RoutePolicySupport {
        private final Clock clock;
        private long quietUntil;
        private long failures;

        private Log(Clock clock) {
            this.clock = clock;
            quietUntil = clock.nanos();
        }

        @Override
        public void onExchangeDone(Route route, Exchange exchange) {
            if (exchange.isFailed()) {
                failed(route.getRouteId(), exchange);
            }
        }

        private synchronized void failed(String route, Exchange exchange) {
            failures++;
            long now = clock.nanos();
            if (now - quietUntil >= 0) {
                LOG.warn(
                        "Route {} failed: {}. Failures since the last warning: {}",
                        route,
                        FailedAddress.reason(exchange, exchange.getException()),
                        failures);
                failures = 0;
                quietUntil = now + QUIET_NANOS;
            }
        }
    }
}
