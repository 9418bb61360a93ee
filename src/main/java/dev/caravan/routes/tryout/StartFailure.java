package dev.caravan.routes.tryout;

import dev.caravan.base.text.Causes;
import dev.caravan.routes.context.CamelReason;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.FailedToCreateRouteException;
import org.apache.camel.NoSuchEndpointException;
import org.apache.camel.ResolveEndpointFailedException;
import org.apache.camel.model.Model;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;

/** Explains why routes could not be started: the step with its file and line, and the reason. */
final class StartFailure {
    private StartFailure() {}

    static String text(CamelContext context, Exception thrown) {
        String place = Causes.first(ResolveEndpointFailedException.class, thrown)
                .map(ResolveEndpointFailedException::getUri)
                .or(() -> Causes.first(NoSuchEndpointException.class, thrown).map(NoSuchEndpointException::getUri))
                .flatMap(uri -> place(context, uri))
                .or(() ->
                        Causes.first(FailedToCreateRouteException.class, thrown).map(failed -> place(context, failed)))
                .orElse("");
        return "Could not start the routes: " + place + CamelReason.of(thrown);
    }

    private static String place(CamelContext context, FailedToCreateRouteException failed) {
        RouteDefinition route = model(context).getRouteDefinition(failed.getRouteId());
        String file = route == null || route.getResource() == null
                ? ""
                : file(route.getResource().getLocation()) + ": ";
        return file + "route " + failed.getRouteId() + ": ";
    }

    private static Optional<String> place(CamelContext context, String uri) {
        if (context == null) {
            return Optional.empty();
        }
        String wanted = withoutOptions(uri);
        return model(context).getRouteDefinitions().stream()
                .flatMap(route -> sends(route)
                        .filter(step -> withoutOptions(resolved(context, step.getEndpointUri()))
                                .equals(wanted))
                        .map(step -> file(step.getLocation()) + ":" + step.getLineNumber() + ": step "
                                + step.getShortName() + " (" + withoutOptions(step.getEndpointUri()) + ") of route "
                                + route.getRouteId() + ": "))
                .findFirst();
    }

    private static Model model(CamelContext context) {
        return context.getCamelContextExtension().getContextPlugin(Model.class);
    }

    @SuppressWarnings("rawtypes")
    private static Stream<SendDefinition> sends(RouteDefinition route) {
        return ProcessorDefinitionHelper.filterTypeInOutputs(route.getOutputs(), SendDefinition.class).stream();
    }

    private static String file(String location) {
        return location == null ? "" : location.replaceFirst("^file:", "").replaceFirst(".*/", "");
    }

    private static String resolved(CamelContext context, String uri) {
        try {
            return context.resolvePropertyPlaceholders(uri);
        } catch (RuntimeException e) {
            return String.valueOf(uri);
        }
    }

    private static String withoutOptions(String uri) {
        return uri.replaceFirst("(?s)\\?.*", "").replace("://", ":");
    }
}
