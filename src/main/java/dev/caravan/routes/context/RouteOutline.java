package dev.caravan.routes.context;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.caravan.base.message.Mask;
import dev.caravan.base.text.ErrorText;
import dev.caravan.camel.guard.InnerSteps;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
        @JsonProperty("route") String id,
        String source,
        String from,
        Optional<String> subscription,
        String types,
        List<String> steps,
        List<String> destinations) {
    private static final String CLASS = "a class in lib";
    private static final String OUTBOX = "outbox:";

    /** It begins with a scheme, or with a setting or a value that has one. Components of HTTP need no slashes after the scheme. */
    private static final Pattern ADDRESS = Pattern.compile(
            "(?<begin>(?:(?<scheme>[\\w+.-]+):|\\{\\{[^{}]*}}|\\$\\{[^{}]*})(?://)?)(?:(?<user>[^/@]*)@)?(?<host>[^/]*)(?<path>/.*|)",
            Pattern.DOTALL);
    /** Components whose addresses are statements and names of steps. */
    private static final Set<String> WITHOUT_PATH =
            Set.of("sql", "jdbc", "outbox", "direct", "seda", "bean", "language");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{[^{}]*}}|\\$\\{[^{}]*}");
    /** Nothing, a number of few digits, or words in lower-case letters. */
    private static final Pattern PLAIN = Pattern.compile("|v?\\d{1,6}|[a-z]{1,20}(?:[-_.][a-z]{0,20}){0,6}");

    /** A text in quotes in a condition or a statement, and what a credential may look like there. */
    private static final Pattern QUOTED = Pattern.compile("(['\"])([^'\"]*)\\1");

    private static final Pattern CREDENTIAL_IN_QUOTES = Pattern.compile("(?=.*\\d)(?=.*[A-Za-z])[^ ]{8,}");

    /** The routes of a context, sorted by id. The context need not be started. */
    public static List<RouteOutline> all(CamelContext context) {
        return context.getCamelContextExtension().getContextPlugin(Model.class).getRouteDefinitions().stream()
                .map(RouteOutline::of)
                .sorted(Comparator.comparing(RouteOutline::id))
                .toList();
    }

    /** The files with route configurations, which decide what a failure means: the built-in one, or those of the routes folder. */
    public static List<String> errorHandling(CamelContext context) {
        return context
                .getCamelContextExtension()
                .getContextPlugin(Model.class)
                .getRouteConfigurationDefinitions()
                .stream()
                .map(configuration -> ConfigurationPlace.locations(configuration)
                        .findFirst()
                        .map(RouteOutline::source)
                        .orElse(CLASS))
                .distinct()
                .sorted()
                .toList();
    }

    private static RouteOutline of(RouteDefinition route) {
        String from = route.getInput().getEndpointUri();
        List<String> steps = new ArrayList<>();
        List<String> destinations = new ArrayList<>();
        collect(route.getOutputs(), steps, destinations);
        return new RouteOutline(
                Optional.ofNullable(route.getRouteId()).orElse("-"),
                route.getResource() == null ? CLASS : source(route.getResource().getLocation()),
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

    private static String source(String location) {
        String name = location.replaceFirst("^.*[/:]", "");
        return location.equals(BuiltInRoutes.location(name)) ? name + " (built in)" : name;
    }

    private static String address(String uri) {
        return ErrorText.sanitized(uri.replaceFirst("(?s)\\?.*", ""));
    }

    /**
     * The outline with addresses that are safe to show to everybody who may look: without users, and with only those parts of a path that are
     * plain words. Providers of chats and webhooks use the other parts as the credential. In conditions, a text in quotes may be one.
     */
    public RouteOutline masked() {
        return new RouteOutline(
                id,
                source,
                withoutCredentials(from),
                subscription,
                types,
                steps.stream().map(RouteOutline::withoutQuoted).toList(),
                destinations.stream()
                        .map(RouteOutline::withoutCredentials)
                        .distinct()
                        .toList());
    }

    /** An address that is safe to show to everybody who may look, as by {@link #masked()}. */
    public static String withoutCredentials(String address) {
        Matcher parts = ADDRESS.matcher(address);
        if (!parts.matches() || WITHOUT_PATH.contains(String.valueOf(parts.group("scheme")))) {
            return withoutQuoted(address);
        }
        String user = parts.group("user") == null ? "" : Mask.HIDDEN + "@";
        String path = Arrays.stream(parts.group("path").split("/", -1))
                .map(part ->
                        PLAIN.matcher(PLACEHOLDER.matcher(part).replaceAll("")).matches() ? part : Mask.HIDDEN)
                .collect(Collectors.joining("/"));
        return parts.group("begin") + user + parts.group("host") + path;
    }

    private static String withoutQuoted(String text) {
        return QUOTED.matcher(text).replaceAll(found -> {
            String quoted = PLACEHOLDER.matcher(found.group(2)).replaceAll("");
            boolean isCredential = CREDENTIAL_IN_QUOTES.matcher(quoted).matches();
            return Matcher.quoteReplacement(
                    isCredential ? found.group(1) + Mask.HIDDEN + found.group(1) : found.group());
        });
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
}
