package dev.caravan.outbox;

import java.util.Collection;
import java.util.List;
import org.apache.camel.CamelContext;
import org.apache.camel.Route;
import org.apache.camel.ServiceStatus;
import org.apache.camel.model.Model;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.support.LifecycleStrategySupport;

/**
 * Refuses a route that is added while other routes run, if a running route from {@code outbox:} sends messages to it and it has a
 * step that ends the route before the message is delivered. Routes from {@code outbox:} are otherwise checked only when they
 * start.
 */
final class ReachedRoutes extends LifecycleStrategySupport {
    private final CamelContext context;

    ReachedRoutes(CamelContext context) {
        this.context = context;
    }

    @Override
    public void onRoutesAdd(Collection<Route> routes) {
        for (Route other : context.getRoutes()) {
            if (other.getEndpoint() instanceof OutboxEndpoint outbox && runs(other)) {
                require(outbox, other.getRouteId());
            }
        }
    }

    private boolean runs(Route route) {
        ServiceStatus status = context.getRouteController().getRouteStatus(route.getRouteId());
        return status.isStarted() || status.isSuspended();
    }

    private void require(OutboxEndpoint outbox, String routeId) {
        RouteDefinition definition =
                context.getCamelContextExtension().getContextPlugin(Model.class).getRouteDefinition(routeId);
        List<String> problems = definition == null ? List.of() : outbox.problems(definition);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("outbox:" + outbox.getName() + ": " + String.join("; ", problems));
        }
    }
}
