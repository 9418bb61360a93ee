package dev.caravan.camel.guard;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.camel.CamelContext;
import org.apache.camel.ExtendedCamelContext;
import org.apache.camel.model.Model;
import org.apache.camel.model.RouteDefinition;

/**
 * The routes of a context through which messages of an outbox pass, as far as the definitions of its routes show. A computed address may
 * reach others.
 */
public final class OutboxRoutes {
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
        Set<String> ids = new HashSet<>();
        EarlyAcknowledgement.reached(context, all.stream()
                        .filter(route -> begins(context, route))
                        .toList())
                .forEach(route -> ids.add(route.getRouteId()));
        if (!ids.isEmpty()) { // kamelets are reached through routes that Camel creates
            all.stream()
                    .filter(route -> uri(context, route).startsWith("kamelet:"))
                    .forEach(route -> ids.add(route.getRouteId()));
        }
        return ids;
    }

    /** Whether a route gets messages from the component itself. */
    private static boolean begins(CamelContext context, RouteDefinition route) {
        String uri = uri(context, route);
        return uri.startsWith("outbox:") || uri.matches("direct:(//)?dead-letter(\\?.*)?");
    }

    private static String uri(CamelContext context, RouteDefinition route) {
        return route.getInput() == null
                ? ""
                : Placeholders.uri(context, route, route.getInput().getEndpointUri());
    }
}
