package dev.caravan.camel.guard;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.Component;
import org.apache.camel.Endpoint;
import org.apache.camel.model.RouteDefinition;

/**
 * Replaces the placeholders in texts of a route: settings, and the parameters of the template from which the route was created.
 * In URIs, also replaces the names of beans by what they are.
 */
final class Placeholders {
    private Placeholders() {}

    /** @param route null for a text of no route */
    static String resolved(CamelContext context, RouteDefinition route, String text) {
        String answer = text;
        if (route != null && route.getTemplateParameters() != null) {
            for (Map.Entry<String, Object> parameter : parameters(route).entrySet()) {
                answer = answer.replace("{{" + parameter.getKey() + "}}", String.valueOf(parameter.getValue()));
            }
        }
        try {
            return context.resolvePropertyPlaceholders(answer);
        } catch (RuntimeException e) {
            return answer; // a missing setting is reported where it is used
        }
    }

    /** The URI of an endpoint with the name that Camel gives to its component: a bean may have another name, also one with {@code ref:}. */
    static String uri(CamelContext context, RouteDefinition route, String text) {
        String uri = resolved(context, route, text);
        String scheme = uri.replaceFirst(":.*", "");
        if (scheme.contains("{{")) {
            return uri; // the registry would look for the missing setting, and fail
        }
        if (scheme.equals("ref")) {
            String name = uri.replaceFirst("^ref:(//)?", "").replaceFirst("\\?.*", "");
            Endpoint endpoint = context.getRegistry().lookupByNameAndType(name, Endpoint.class);
            return endpoint == null ? uri : uri(context, null, endpoint.getEndpointUri());
        }
        Component component = context.hasComponent(scheme);
        if (component == null) {
            component = context.getRegistry().lookupByNameAndType(scheme, Component.class);
        }
        return component == null ? uri : scheme(component.getClass(), scheme) + uri.substring(scheme.length());
    }

    /** Camel's name of a component; the given one if it is among several, or if the component is not from Camel. */
    private static String scheme(Class<?> component, String given) {
        for (Class<?> type = component; type != null; type = type.getSuperclass()) {
            var annotation = type.getAnnotation(org.apache.camel.spi.annotations.Component.class);
            if (annotation != null) {
                List<String> names = List.of(annotation.value().split(","));
                return names.contains(given) ? given : names.get(0);
            }
        }
        return given;
    }

    private static Map<String, Object> parameters(RouteDefinition route) {
        Map<String, Object> parameters = new HashMap<>();
        if (route.getTemplateDefaultParameters() != null) {
            parameters.putAll(route.getTemplateDefaultParameters());
        }
        parameters.putAll(route.getTemplateParameters());
        return parameters;
    }
}
