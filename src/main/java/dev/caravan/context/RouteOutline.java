package dev.caravan.context;

import dev.caravan.route.InnerSteps;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.camel.CamelContext;
import org.apache.camel.NamedNode;
import org.apache.camel.model.ChoiceDefinition;
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.FilterDefinition;
import org.apache.camel.model.Model;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.spi.Resource;
import org.apache.camel.util.URISupport;

/**
 * What a route reads, does and sends, without values that may be secrets: addresses have no parameters and settings are not resolved.
 *
 * @param source the file; or the class, for a route from a jar in lib
 * @param from the address that the route reads
 * @param subscription present if it reads the outbox
 * @param types the types that the subscription selects; empty for all
 * @param steps in order; those within another step follow it
 * @param destinations the addresses that it sends to, in order
 */
public record RouteOutline(
        String id,
        String source,
        String from,
        Optional<String> subscription,
        String types,
        List<String> steps,
        List<String> destinations) {
    private static final String OUTBOX = "outbox:";

    /** The routes of a context, sorted by id. The context need not be started. */
    public static List<RouteOutline> all(CamelContext context) {
        return context.getCamelContextExtension().getContextPlugin(Model.class).getRouteDefinitions().stream()
                .map(RouteOutline::of)
                .sorted(Comparator.comparing(RouteOutline::id))
                .toList();
    }

    private static RouteOutline of(RouteDefinition route) {
        String from = route.getInput().getEndpointUri();
        List<String> steps = new ArrayList<>();
        List<String> destinations = new ArrayList<>();
        collect(route.getOutputs(), steps, destinations);
        return new RouteOutline(
                Optional.ofNullable(route.getRouteId()).orElse("-"),
                source(route),
                address(from),
                from.startsWith(OUTBOX)
                        ? Optional.of(address(from).replaceFirst("^outbox:(//)?", ""))
                        : Optional.empty(),
                parameter("types", from),
                List.copyOf(steps),
                destinations.stream().distinct().toList());
    }

    private static void collect(List<ProcessorDefinition<?>> nodes, List<String> steps, List<String> destinations) {
        for (ProcessorDefinition<?> node : nodes) {
            if (node.isAbstract()) {
                continue; // such as onException, which a started context copies from a route configuration
            }
            if (node instanceof SendDefinition<?> send) {
                destinations.add(address(send.getEndpointUri()));
            } else if (node instanceof ToDynamicDefinition send) {
                destinations.add(address(send.getUri()));
            } else {
                steps.add(step(node));
            }
            collect(InnerSteps.of(node), steps, destinations);
            if (node instanceof ChoiceDefinition choice) {
                choice.getWhenClauses().forEach(when -> {
                    steps.add("when " + when.getExpression().getExpression());
                    collect(when.getOutputs(), steps, destinations);
                });
                if (choice.getOtherwise() != null) {
                    steps.add("otherwise");
                    collect(choice.getOtherwise().getOutputs(), steps, destinations);
                }
            }
        }
    }

    /** The name of a step with its condition or its id. Other expressions are omitted, because they may contain data. */
    private static String step(ProcessorDefinition<?> node) {
        if (node instanceof FilterDefinition filter) {
            return "filter " + ((ExpressionNode) filter).getExpression().getExpression();
        }
        String name = ((NamedNode) node).getShortName();
        return node.hasCustomIdAssigned() ? name + " " + node.getId() : name;
    }

    private static String source(RouteDefinition route) {
        Resource resource = route.getResource();
        if (resource == null) {
            return "a class in lib";
        }
        String name = resource.getLocation().replaceFirst("^.*[/:]", "");
        return resource.getLocation().equals(BuiltInRoutes.location(name)) ? name + " (built in)" : name;
    }

    private static String address(String uri) {
        return URISupport.sanitizeUri(uri.replaceFirst("\\?.*", ""));
    }

    private static String parameter(String name, String uri) {
        try {
            int query = uri.indexOf('?');
            Object value = query < 0
                    ? null
                    : URISupport.parseQuery(uri.substring(query + 1)).get(name);
            return value == null ? "" : value.toString();
        } catch (URISyntaxException e) {
            return ""; // check reports it
        }
    }

    /** The steps on one line, such as {@code filter ${body.total} > 100, log}. */
    public String stepsText() {
        return steps.isEmpty() ? "-" : String.join(", ", steps);
    }

    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("route", id);
        fields.put("source", source);
        fields.put("from", from);
        fields.put("subscription", subscription.orElse(null));
        fields.put("types", types);
        fields.put("steps", steps);
        fields.put("destinations", destinations);
        return fields;
    }
}
