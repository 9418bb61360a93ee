package dev.caravan.route;

import java.util.HashMap;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.model.RouteDefinition;

/** Replaces the placeholders in texts of a route: settings, and the parameters of the template from which the route was created. */
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

    private static Map<String, Object> parameters(RouteDefinition route) {
        Map<String, Object> parameters = new HashMap<>();
        if (route.getTemplateDefaultParameters() != null) {
            parameters.putAll(route.getTemplateDefaultParameters());
        }
        parameters.putAll(route.getTemplateParameters());
        return parameters;
    }
}
