package dev.caravan.camel.outbox;

import dev.caravan.camel.guard.OwnExchanges;
import dev.caravan.camel.guard.PartExchanges;
import java.util.Collection;
import java.util.List;
import org.apache.camel.AsyncCallback;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Navigate;
import org.apache.camel.Processor;
import org.apache.camel.Route;
import org.apache.camel.ServiceStatus;
import org.apache.camel.model.Model;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.TryProcessor;
import org.apache.camel.support.LifecycleStrategySupport;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/**
 * Checks and completes each route that is added. Refuses a route that is added while other routes run, if a running route from
 * {@code outbox:} sends messages to it and it has a step that ends the route before the message is delivered. Routes from
 * {@code outbox:} are otherwise checked only when they start. Makes a message of an outbox fail when {@code onWhen} of a doCatch throws an
 * exception.
 */
final class ReachedRoutes extends LifecycleStrategySupport {
    private final CamelContext context;

    private ReachedRoutes(CamelContext context) {
        this.context = context;
    }

    /** Begins to check and complete the routes of a context. No effect if they are, as after a restart or with a second component. */
    static void observe(CamelContext context) {
        if (context.getLifecycleStrategies().stream().noneMatch(ReachedRoutes.class::isInstance)) {
            context.addLifecycleStrategy(new ReachedRoutes(context));
        }
    }

    /** Before the first route is built. A context that was not built when it got the component has no events before. */
    @Override
    public void onContextInitialized(CamelContext initialized) {
        PartExchanges.install(initialized);
    }

    @Override
    public void onRoutesAdd(Collection<Route> routes) {
        for (Route route : routes) {
            passOnExceptions(route.navigate());
            route.getOnExceptions().forEach(ReachedRoutes::passOnExceptions);
            route.getOnCompletions().forEach(ReachedRoutes::passOnExceptions);
        }
        if (routes.stream().allMatch(route -> route.getEndpoint() instanceof OutboxEndpoint)) {
            return; // no route sends to these
        }
        for (Route other : context.getRoutes()) {
            if (other.getEndpoint() instanceof OutboxEndpoint outbox && runs(other)) {
                require(outbox, other.getRouteId());
            }
        }
    }

    /** Changes each doTry in a step, and in those below it. */
    private static void passOnExceptions(Object step) {
        if (step instanceof TryProcessor doTry) {
            doTry.getCatchClauses().replaceAll(Clause::new);
        }
        if (step instanceof Navigate<?> parent && parent.hasNext()) {
            parent.next().forEach(ReachedRoutes::passOnExceptions);
        }
    }

    private boolean runs(Route route) {
        ServiceStatus status = context.getRouteController().getRouteStatus(route.getRouteId());
        return status.isStarted() || status.isSuspended();
    }

    private void require(OutboxEndpoint outbox, String routeId) {
        RouteDefinition definition =
                context.getCamelContextExtension().getContextPlugin(Model.class).getRouteDefinition(routeId);
        outbox.refuse(definition == null ? List.of() : outbox.problemsOfSteps(definition));
    }

    /** A doCatch. Passes on an exception of its {@code onWhen}: Camel would only log it, and the own exchange would never end. */
    private static final class Clause extends DelegateAsyncProcessor {
        private Clause(Processor clause) {
            super(clause);
        }

        @Override
        public boolean process(Exchange exchange, AsyncCallback callback) {
            try {
                return super.process(exchange, callback);
            } catch (Throwable e) {
                if (!OwnExchanges.isOwn(exchange)) {
                    throw e;
                }
                exchange.setException(e);
                callback.done(true);
                return true;
            }
        }
    }
}
