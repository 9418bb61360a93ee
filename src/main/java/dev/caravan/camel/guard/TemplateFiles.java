package dev.caravan.camel.guard;

import dev.caravan.camel.template.TemplateLanguage;
import dev.caravan.camel.template.TemplateSource;
import dev.caravan.camel.template.Templated;
import java.util.List;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.model.ChoiceDefinition;
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.FilterDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.SetHeadersDefinition;
import org.apache.camel.model.language.ExpressionDefinition;

/**
 * Finds the template files that messages of a route need and that are missing. Checks only the steps that each message passes: not those in
 * a {@code choice} or {@code filter}, nor those of other routes.
 */
public final class TemplateFiles {
    private static final String OF_TYPE = "${header.type}";

    private final CamelContext context;
    private final RouteDefinition route;
    private final String types;

    private TemplateFiles(CamelContext context, RouteDefinition route, String types) {
        this.context = context;
        this.route = route;
        this.types = types;
    }

    /**
     * What is missing or wrong; empty if there is nothing.
     *
     * @param types the types that the route reads
     */
    public static List<String> problems(CamelContext context, RouteDefinition route, String types) {
        return new TemplateFiles(context, route, types)
                .of(route.getOutputs())
                .distinct()
                .toList();
    }

    private Stream<String> of(List<ProcessorDefinition<?>> steps) {
        return steps.stream()
                .filter(step -> !step.isAbstract()
                        && !(step instanceof ChoiceDefinition)
                        && !(step instanceof FilterDefinition))
                .flatMap(step -> Stream.concat(of(step), of(InnerSteps.of(step))));
    }

    private Stream<String> of(ProcessorDefinition<?> step) {
        try {
            return templates(step)
                    .flatMap(template -> template.problems(types).stream())
                    .map(problem -> "route " + route.getRouteId() + ": step " + step.getShortName() + ": " + problem)
                    .toList()
                    .stream();
        } catch (RuntimeException e) {
            return Stream.empty(); // a step that cannot be created is reported when its route is created
        }
    }

    private Stream<TemplateSource> templates(ProcessorDefinition<?> step) {
        if (step instanceof SendDefinition<?> send) {
            return mayDependOnType(send.getEndpointUri())
                            && context.resolvePropertyPlaceholders(send.getEndpointUri())
                                    .contains(OF_TYPE)
                            && context.getEndpoint(send.getEndpointUri()) instanceof Templated endpoint
                    ? endpoint.templates().stream()
                    : Stream.empty();
        } else if (step instanceof ExpressionNode node) {
            return template(node.getExpression());
        } else if (step instanceof SetHeadersDefinition several) {
            return several.getHeaders().stream().flatMap(header -> template(header.getExpression()));
        }
        return Stream.empty();
    }

    private Stream<TemplateSource> template(ExpressionDefinition expression) {
        if (expression == null
                || !mayDependOnType(expression.getExpression())
                || !(context.resolveLanguage(expression.getLanguage()) instanceof TemplateLanguage language)) {
            return Stream.empty();
        }
        String text = context.resolvePropertyPlaceholders(expression.getExpression());
        return text.contains(OF_TYPE) ? Stream.of(language.source(text)) : Stream.empty();
    }

    /** A setting is not resolved needlessly: it may be in a vault. */
    private static boolean mayDependOnType(String text) {
        return text != null && (text.contains(OF_TYPE) || text.contains("{{"));
    }
}
