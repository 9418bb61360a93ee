package dev.caravan.camel.guard;

import org.apache.camel.CamelContext;
import org.apache.camel.Route;
import org.apache.camel.model.CircuitBreakerDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.support.LifecycleStrategySupport;

/**
 * Lets the error handling of a route see what fails in a circuitBreaker that is directly in it: otherwise Camel puts none around this step,
 * and an open circuit would cost an attempt. Inside, nothing changes: the circuit counts the failures, and onFallback comes first. A route
 * that says itself whether it inherits the error handling is not changed.
 */
final class BreakerFailures extends LifecycleStrategySupport {
    private BreakerFailures() {}

    /** Begins to do so for the routes that are built from now on. No effect if it is done. */
    static void observe(CamelContext context) {
        if (context.getLifecycleStrategies().stream().noneMatch(BreakerFailures.class::isInstance)) {
            context.addLifecycleStrategy(new BreakerFailures());
        }
    }

    @Override
    public void onRouteContextCreate(Route route) {
        if (route.getRoute() instanceof RouteDefinition definition && Classification.isOf(route, definition)) {
            definition.getOutputs().stream()
                    .filter(step -> step instanceof CircuitBreakerDefinition && step.getInheritErrorHandler() == null)
                    .forEach(step -> step.setInheritErrorHandler(true));
        }
    }
}
