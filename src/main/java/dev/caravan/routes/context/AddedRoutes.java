package dev.caravan.routes.context;

import dev.caravan.camel.outbox.OutboxEndpoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.camel.CamelContext;
import org.apache.camel.Route;
import org.apache.camel.model.Model;
import org.apache.camel.model.ModelLifecycleStrategySupport;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.support.CamelContextHelper;
import org.apache.camel.support.PatternHelper;
import org.apache.camel.util.function.ThrowingRunnable;

/** Routes that are added to a running context together. Camel alone would start each of them before it builds the next one. */
public final class AddedRoutes {
    private final CamelContext context;
    private final Model model;

    private AddedRoutes(CamelContext context) {
        this.context = context;
        model = context.getCamelContextExtension().getContextPlugin(Model.class);
    }

    /**
     * Adds routes. Builds and checks all of them before it starts the first one. Those from {@code outbox:} start last.
     *
     * @param together which routes are held back until then
     * @param addition adds the routes to the context
     */
    public static void start(
            CamelContext context, Predicate<RouteDefinition> together, ThrowingRunnable<Exception> addition)
            throws Exception {
        AddedRoutes routes = new AddedRoutes(context);
        List<Route> starting = routes.added(together, addition).stream()
                .filter(routes::startsByItself)
                .sorted(Comparator.comparing((Route route) -> route.getEndpoint() instanceof OutboxEndpoint)
                        .thenComparing(Route::getStartupOrder, Comparator.nullsLast(Comparator.naturalOrder())))
                .toList();
        OutboxEndpoint.check(starting);
        for (Route route : starting) {
            context.getRouteController().startRoute(route.getRouteId());
        }
    }

    private List<Route> added(Predicate<RouteDefinition> together, ThrowingRunnable<Exception> addition)
            throws Exception {
        Map<RouteDefinition, Optional<String>> autoStartup = new LinkedHashMap<>();
        var withoutStart = new ModelLifecycleStrategySupport() {
            @Override
            public void onAddRouteDefinition(RouteDefinition route) {
                if (together.test(route)) {
                    autoStartup.put(route, Optional.ofNullable(route.getAutoStartup()));
                    route.setAutoStartup("false");
                }
            }
        };
        model.addModelLifecycleStrategy(withoutStart);
        try {
            addition.run();
        } finally {
            model.removeModelLifecycleStrategy(withoutStart);
        }
        List<Route> added = new ArrayList<>();
        autoStartup.forEach((definition, value) -> {
            definition.setAutoStartup(value.orElse(null));
            Route route = context.getRoute(definition.getRouteId());
            if (route != null) { // otherwise its precondition excludes it
                route.setAutoStartup(value.map(flag -> CamelContextHelper.parseBoolean(context, flag))
                        .orElse(true));
                added.add(route);
            }
        });
        return added;
    }

    /** Whether Camel would start a route that is added. */
    private boolean startsByItself(Route route) {
        String excluded = context.getAutoStartupExcludePattern();
        String[] patterns = excluded == null ? new String[0] : excluded.split(",");
        return context.isAutoStartup()
                && route.isAutoStartup()
                && !PatternHelper.matchPatterns(route.getRouteId(), patterns)
                && !PatternHelper.matchPatterns(route.getEndpoint().getEndpointUri(), patterns);
    }
}
