package dev.caravan.camel.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.camel.CamelContext;
import org.apache.camel.ExtendedCamelContext;
import org.apache.camel.model.Model;
import org.apache.camel.model.RouteDefinition;

/**
 * The routes of a context through which messages of an outbox pass, as far as the definitions of its routes show. A computed address may
 * reach others.
 */
public final class OutboxRoutes {
    /** The route of dead letters, and those that Camel creates for kamelets. */
    private static final String FROM_OUTSIDE_OF_ROUTES = "direct:(//)?dead-letter(\\?.*)?|kamelet:.*";

    private final List<RouteDefinition> all;
    private final Set<String> ids;

    private OutboxRoutes(List<RouteDefinition> all, Set<String> ids) {
        this.all = all;
        this.ids = ids;
    }

    /** The ids of the routes. They are found again when routes have been added or removed. */
    public static Set<String> of(CamelContext context) {
        ExtendedCamelContext plugins = context.getCamelContextExtension();
        List<RouteDefinition> all =
                List.copyOf(plugins.getContextPlugin(Model.class).getRouteDefinitions());
        OutboxRoutes known = plugins.getContextPlugin(OutboxRoutes.class);
        if (known == null || !known.all.equals(all)) {
            known = new OutboxRoutes(all, found(context, all));
            plugins.addContextPlugin(OutboxRoutes.class, known);
        }
        return known.ids;
    }

    private static Set<String> found(CamelContext context, List<RouteDefinition> all) {
        Map<Boolean, List<RouteDefinition>> bySource = all.stream()
                .collect(Collectors.partitioningBy(route -> uri(context, route).startsWith("outbox:")));
        List<RouteDefinition> begin = new ArrayList<>(bySource.get(true));
        if (begin.isEmpty()) {
            return Set.of();
        }
        bySource.get(false).stream()
                .filter(route -> uri(context, route).matches(FROM_OUTSIDE_OF_ROUTES))
                .forEach(begin::add);
        return EarlyAcknowledgement.reached(context, begin).stream()
                .map(RouteDefinition::getRouteId)
                .collect(Collectors.toSet());
    }

    private static String uri(CamelContext context, RouteDefinition route) {
        return route.getInput() == null
                ? ""
                : Placeholders.uri(context, route, route.getInput().getEndpointUri());
    }
}
