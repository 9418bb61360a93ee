package dev.caravan.relay;

import dev.caravan.routes.context.AddedRoutes;
import dev.caravan.routes.context.BuiltInRoutes;
import dev.caravan.routes.context.ConfigurationPlace;
import dev.caravan.routes.context.SharedNames;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.apache.camel.CamelContext;
import org.apache.camel.RoutesBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.builder.RouteConfigurationBuilder;
import org.apache.camel.model.Model;
import org.apache.camel.model.RouteConfigurationDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.RouteTemplateDefinition;
import org.apache.camel.spi.Resource;
import org.apache.camel.spi.ResourceAware;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.apache.camel.util.function.ThrowingRunnable;

/** The part of a running Camel context that comes from one route file: its routes and its route configurations. */
record RouteFile(CamelContext context, Path folder, String name) {
    /**
     * Parses a text of this file completely, without starting anything. What it has parsed cannot be started: it has the route configurations
     * that are loaded now.
     *
     * @return whether it has a route configuration, which applies to the routes of all files
     */
    boolean configuresAll(String text) throws Exception {
        boolean configures = false;
        for (RoutesBuilder builder : builders(text)) {
            if (builder instanceof RouteBuilder routes) {
                routes.configureRoutes(context);
                requireNoTemplatedRoutes(routes);
            }
            if (builder instanceof RouteConfigurationBuilder configurations) {
                configurations.configuration();
                configures |= !configurations
                        .getRouteConfigurationCollection()
                        .getRouteConfigurations()
                        .isEmpty();
            }
            requireNoInterceptions((RouteBuilder) builder);
        }
        return configures;
    }

    private static void requireNoInterceptions(RouteBuilder builder) {
        if (!SharedNames.interceptions(builder).isEmpty()) {
            throw new IllegalStateException(SharedNames.NO_INTERCEPTION);
        }
    }

    /** Refuses templated routes: Camel does not record their file, so they could not be stopped when the file changes. */
    private static void requireNoTemplatedRoutes(RouteBuilder builder) {
        if (!builder.getTemplatedRouteCollection().getTemplatedRoutes().isEmpty()) {
            throw new IllegalStateException(
                    "a templatedRoute is created only when a relay starts: restart the relay, or write a route");
        }
    }

    /** Whether this file, as it is loaded, has a route configuration. */
    boolean configuresAll() {
        return !configurations().isEmpty();
    }

    /** The ids of the routes that are loaded from this file. */
    List<String> routes() {
        return definitions().stream().map(RouteDefinition::getRouteId).toList();
    }

    /** Loads the configurations of a text of this file. @return its parsed text */
    Collection<RoutesBuilder> loadConfigurations(String text) throws Exception {
        Collection<RoutesBuilder> parsed = builders(text);
        for (RoutesBuilder builder : parsed) {
            if (builder instanceof RouteConfigurationBuilder configurations) {
                adding(() -> context.addRoutesConfigurations(configurations), text);
            }
        }
        return parsed;
    }

    /**
     * Starts the routes of a text of this file. A file with a mistake delivers nothing.
     *
     * @param parsed by {@link #loadConfigurations}
     */
    void loadRoutes(String text, Collection<RoutesBuilder> parsed) throws Exception {
        removeConfigurations(); // Camel adds them again with the routes, and refuses an id that exists
        for (RoutesBuilder builder : parsed) {
            requireOwnIds((RouteBuilder) builder);
        }
        AddedRoutes.start(context, this::isFromHere, () -> {
            for (RoutesBuilder builder : parsed) {
                adding(() -> context.addRoutes(builder), text);
            }
        });
    }

    /** Sets the resource of each new route configuration: Camel does not record it for YAML. */
    private void adding(ThrowingRunnable<Exception> addition, String text) throws Exception {
        List<RouteConfigurationDefinition> before = List.copyOf(model().getRouteConfigurationDefinitions());
        addition.run();
        model().getRouteConfigurationDefinitions().stream()
                .filter(configuration -> !before.contains(configuration) && configuration.getResource() == null)
                .forEach(configuration -> configuration.setResource(resource(text)));
    }

    /** Refuses a route id of another file: Camel would silently replace the other route. */
    private void requireOwnIds(RouteBuilder builder) throws Exception {
        for (RouteDefinition route : builder.configureRoutes(context).getRoutes()) {
            RouteDefinition other = route.getRouteId() == null ? null : model().getRouteDefinition(route.getRouteId());
            if (other != null) {
                throw new IllegalStateException("route " + route.getRouteId() + " is also in "
                        + other.getResource().getLocation());
            }
        }
    }

    /** Stops and removes everything that was loaded from this file. */
    void unload() throws Exception {
        for (RouteDefinition route : definitions()) {
            model().removeRouteDefinition(route);
        }
        removeConfigurations();
        for (RouteTemplateDefinition template : templates()) { // of two with one name, Camel would use the older one
            model().removeRouteTemplateDefinition(template);
        }
    }

    /** Not by Camel, which removes by id: one without an id would stay, and take precedence. */
    private void removeConfigurations() {
        model().getRouteConfigurationDefinitions().removeAll(configurations());
    }

    private Collection<RoutesBuilder> builders(String text) throws Exception {
        return PluginHelper.getRoutesLoader(context).findRoutesBuilders(resource(text));
    }

    private Resource resource(String text) {
        return ResourceHelper.fromString(BuiltInRoutes.location(folder, name, text), text);
    }

    private List<RouteDefinition> definitions() {
        return model().getRouteDefinitions().stream().filter(this::isFromHere).toList();
    }

    private List<RouteConfigurationDefinition> configurations() {
        return model().getRouteConfigurationDefinitions().stream()
                .filter(configuration ->
                        ConfigurationPlace.locations(configuration).anyMatch(this::isHere))
                .toList();
    }

    private List<RouteTemplateDefinition> templates() {
        return model().getRouteTemplateDefinitions().stream()
                .filter(this::isFromHere)
                .toList();
    }

    private boolean isFromHere(ResourceAware definition) {
        return definition.getResource() != null
                && isHere(definition.getResource().getLocation());
    }

    private boolean isHere(String location) {
        return location.startsWith("file:") && location.endsWith("/" + name)
                || location.equals(BuiltInRoutes.location(name));
    }

    private Model model() {
        return context.getCamelContextExtension().getContextPlugin(Model.class);
    }
}
