package dev.caravan.camel.outbox;

import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.model.FromDefinition;
import org.apache.camel.model.Model;
import org.apache.camel.model.ModelLifecycleStrategySupport;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.RouteTemplateDefinition;
import org.apache.camel.spi.ContextServicePlugin;
import org.apache.camel.support.LifecycleStrategySupport;

/**
 * Creates the component before Camel builds the first route, if a route reads from {@code outbox:} or the application has bound a component.
 * Otherwise Camel would create it for that route, and a failure in a route that was built before could count as delivered. Does nothing else.
 * Camel loads it into each context by its name in {@code META-INF/services}. Where it does not, the routes from {@code outbox:} refuse to
 * start if this matters.
 */
public final class BeforeFirstRoute extends LifecycleStrategySupport implements ContextServicePlugin {
    private static final String NAME = "outbox";

    private CamelContext context;
    private final ModelLifecycleStrategySupport later = new ModelLifecycleStrategySupport() {
        @Override
        public void onAddRouteDefinition(RouteDefinition route) {
            createFor(Stream.of(route));
        }
    };

    /** Called by Java's service loader. */
    public BeforeFirstRoute() {}

    @Override
    public void load(CamelContext context) {
        context.addLifecycleStrategy(this); // Camel has no model of routes yet
    }

    @Override
    public void onContextInitializing(CamelContext context) {
        Model model = context.getCamelContextExtension().getContextPlugin(Model.class);
        if (model == null) {
            return;
        }
        this.context = context;
        if (context.getRegistry().lookupByName(NAME) instanceof OutboxComponent) {
            context.getComponent(NAME);
        }
        createFor(Stream.concat(
                model.getRouteDefinitions().stream(),
                model.getRouteTemplateDefinitions().stream().map(RouteTemplateDefinition::getRoute)));
        model.addModelLifecycleStrategy(later);
    }

    private void createFor(Stream<RouteDefinition> routes) {
        if (context.hasComponent(NAME) == null && routes.anyMatch(this::readsOutbox)) {
            context.getComponent(NAME);
        }
    }

    private boolean readsOutbox(RouteDefinition route) {
        FromDefinition from = route.getInput();
        return from != null && resolved(String.valueOf(from.getEndpointUri())).startsWith(NAME + ":");
    }

    /** An address that cannot be resolved yet is one of a template. Its route is seen again when Camel has created it. */
    private String resolved(String uri) {
        try {
            return context.resolvePropertyPlaceholders(uri);
        } catch (RuntimeException e) {
            return uri;
        }
    }
}
