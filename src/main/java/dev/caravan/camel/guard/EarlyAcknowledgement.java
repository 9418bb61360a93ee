package dev.caravan.camel.guard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.ErrorHandlerFactory;
import org.apache.camel.model.DynamicRouterDefinition;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.InterceptSendToEndpointDefinition;
import org.apache.camel.model.KameletDefinition;
import org.apache.camel.model.Model;
import org.apache.camel.model.OnCompletionDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.RouteConfigurationDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.RouteTemplateDefinition;
import org.apache.camel.model.RoutingSlipDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.ToDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.WireTapDefinition;
import org.apache.camel.model.errorhandler.DeadLetterChannelDefinition;
import org.apache.camel.model.errorhandler.RefErrorHandlerDefinition;
import org.apache.camel.model.language.ExpressionDefinition;
import org.apache.camel.support.PatternHelper;

/**
 * Finds the steps of a route that end it before or without the delivery of its message, so that the message would count as
 * delivered and could be lost; with {@code pipelined}, also the steps that let messages overtake each other. Includes routes that
 * are reached through {@code direct:}, {@code seda:} and kamelets, and the route configurations that apply.
 */
public final class EarlyAcknowledgement {
    /** Camel locks the name of the file that it writes, and not the temporary one. */
    private static final Pattern SHARED_FILE =
            Pattern.compile(".*[?&]tempFileName=(?![^&]*(?:\\$|%24))[^&]+.*", Pattern.DOTALL);

    private final CamelContext context;
    private final RouteDefinition route;
    private final Use use;
    private final SafeSteps safe;
    private final List<String> problems = new ArrayList<>();
    private final Set<Object> seen = new HashSet<>();
    /** The pending checks of routes that are reached. */
    private final Deque<Runnable> unchecked = new ArrayDeque<>();

    /**
     * How a subscription delivers.
     *
     * @param pipelined whether the messages of a key start without waiting for the previous one
     * @param batching whether an exchange has several messages
     * @param ordered whether the order of messages matters
     * @param idempotent whether the subscription skips repeats
     * @param alone whether no other message of the subscription is sent at the same time
     */
    public record Use(boolean pipelined, boolean batching, boolean ordered, boolean idempotent, boolean alone) {}

    private EarlyAcknowledgement(CamelContext context, RouteDefinition route, Use use) {
        this.context = context;
        this.route = route;
        this.use = use;
        safe = new SafeSteps(context);
    }

    /** The problems of a route that reads {@code outbox:}, one text per step; empty if there are none. */
    public static List<String> problems(CamelContext context, RouteDefinition route, Use use) {
        EarlyAcknowledgement check = new EarlyAcknowledgement(context, route, use);
        check.checkRoute(route);
        check.checkConfigurations();
        while (!check.unchecked.isEmpty()) {
            check.unchecked.pop().run();
        }
        new RepeatedParts(check::reached, use.batching)
                .of(route, use.idempotent)
                .forEach(found -> check.add(found.step(), found.place(), RepeatedParts.REMEDY));
        return check.problems;
    }

    /** The steps of a route with batching, outside of a split, that read what only one message has; empty if there are none. */
    public static List<BatchSteps.Found> ofBatch(CamelContext context, RouteDefinition route) {
        return new BatchSteps(context, new EarlyAcknowledgement(context, route, null)::reached).of(route);
    }

    /** Routes, and those that they reach, as far as their definitions show it. */
    static Set<RouteDefinition> reached(CamelContext context, List<RouteDefinition> routes) {
        Set<RouteDefinition> all = new LinkedHashSet<>();
        Deque<RouteDefinition> next = new ArrayDeque<>(routes);
        while (!next.isEmpty()) {
            RouteDefinition route = next.pop();
            if (all.add(route)) {
                InnerSteps.all(route.getOutputs())
                        .flatMap(new EarlyAcknowledgement(context, route, null)::reached)
                        .forEach(next::add);
            }
        }
        return all;
    }

    private void checkRoute(RouteDefinition reached) {
        if (seen.add(reached)) {
            errorHandler(reached.getErrorHandlerFactory(), "route " + reached.getRouteId());
            steps(reached.getOutputs(), reached.getRouteId());
        }
    }

    private void checkConfigurations() {
        for (RouteConfigurationDefinition each : model().getRouteConfigurationDefinitions()) {
            boolean applies = each.getId() == null || each.getId().isEmpty() || isNamed(each.getId());
            if (applies) {
                String place = "the route configuration";
                if (each.getErrorHandler() != null && !Classification.isInstalled(context)) {
                    errorHandler(each.getErrorHandler().getErrorHandlerType(), place);
                }
                steps(each.getOnExceptions(), place);
                steps(each.getOnCompletions(), place);
                steps(each.getIntercepts(), place);
                steps(each.getInterceptFroms(), place);
                steps(each.getInterceptSendTos(), place);
            }
        }
    }

    /** Camel splits the names of configurations in a route at commas; each may be a pattern. */
    private boolean isNamed(String configuration) {
        String names = route.getRouteConfigurationId();
        return names != null
                && Arrays.stream(names.split(","))
                        .anyMatch(name -> PatternHelper.matchPattern(configuration, name.trim()));
    }

    private void errorHandler(ErrorHandlerFactory factory, String place) {
        ErrorHandlerFactory handler = factory instanceof RefErrorHandlerDefinition reference
                ? context.getRegistry()
                        .lookupByNameAndType(resolved(route, reference.getRef()), ErrorHandlerFactory.class)
                : factory;
        if (handler == null || !seen.add(handler)) {
            return;
        }
        if (handler instanceof DeadLetterChannelDefinition channel) {
            deadLetterChannel(channel, place);
        }
        if (use.pipelined && safe.redelivers(route, handler)) {
            add("the error handler of " + place + " " + SafeSteps.REDELIVERS);
        }
    }

    /** Camel's dead letter channel counts a message as handled even if its endpoint has refused it. */
    private void deadLetterChannel(DeadLetterChannelDefinition channel, String place) {
        String what = "deadLetterChannel of " + place + " ";
        if (!"false".equals(resolved(route, channel.getDeadLetterHandleNewException()))) {
            add(what
                    + "loses a message that its endpoint refuses. Set deadLetterHandleNewException to false, or send to"
                    + " outbox:dead-letter in onException");
        }
        String uri = uri(route, channel.getDeadLetterUri());
        MemoryQueues.losing(uri, null).ifPresent(early -> add(what + early));
        follow(uri);
    }

    private void steps(List<? extends ProcessorDefinition<?>> steps, String place) {
        for (ProcessorDefinition<?> step : steps) {
            if (seen.add(step)) {
                step(step, place);
                steps(InnerSteps.of(step), place);
            }
        }
    }

    private void step(ProcessorDefinition<?> step, String place) {
        safe.losing(step).ifPresent(losing -> add(step, place, losing));
        if (use.pipelined) {
            safe.overtaking(step).forEach(overtaking -> add(step, place, overtaking));
        }
        if (use.batching && route.getRouteId().equals(place)) { // a route behind direct: may be called in a split
            safe.ofBatch(step).ifPresent(skipping -> add(step, place, skipping));
        }
        if (use.batching && use.ordered) {
            safe.ofOrderedBatch(step).ifPresent(overtaking -> add(step, place, overtaking));
        }
        for (String uri : uris(step)) {
            if (!use.alone && SHARED_FILE.matcher(uri).matches()) {
                problems.add("route " + route.getRouteId() + ": step " + withoutOptions(step.getLabel())
                        + " has a tempFileName without a value of the message, so files that are written at the same time"
                        + " would have the content of each other. Use tempPrefix, or concurrency=1");
            }
            if (!(step instanceof WireTapDefinition<?>)) {
                MemoryQueues.losing(uri, pattern(step)).ifPresent(losing -> add(step, place, losing));
            }
            follow(uri);
        }
        if (step instanceof OnCompletionDefinition completion) {
            completion(completion, place, new HashSet<>());
        }
    }

    /** Finds sends after the end of the exchange: they are not repeated, and their failures are not reported. */
    private void completion(ProcessorDefinition<?> step, String place, Set<Object> afterTheEnd) {
        for (ProcessorDefinition<?> inner : InnerSteps.of(step)) {
            if (afterTheEnd.add(inner)) {
                List<String> uris = uris(inner);
                if (uris.stream().anyMatch(uri -> !uri.startsWith("log:") && !uri.startsWith("direct:"))) {
                    add(
                            inner,
                            place,
                            "runs in onCompletion, after the message counts as delivered. " + SafeSteps.OTHER_ROUTE);
                }
                reached(inner).forEach(route -> completion(route, route.getRouteId(), afterTheEnd));
                completion(inner, place, afterTheEnd);
            }
        }
    }

    private void add(ProcessorDefinition<?> step, String place, String early) {
        String id = step.getId() == null ? "" : " " + step.getId();
        String in = place == null || place.equals(route.getRouteId()) ? "" : " of " + place;
        add("step" + id + " (" + withoutOptions(step.getLabel()) + ")" + in + " " + early);
    }

    private void add(String problem) {
        problems.add("route " + route.getRouteId() + ": " + problem + SafeSteps.ALLOWED);
    }

    /** The exchange pattern that a step sets while it sends; null for none. */
    private String pattern(ProcessorDefinition<?> step) {
        if (step instanceof ToDefinition to) {
            return resolved(step, to.getPattern());
        }
        return step instanceof ToDynamicDefinition to ? resolved(step, to.getPattern()) : null;
    }

    /** The endpoints to which a step sends, as far as they are known from its definition. */
    private List<String> uris(ProcessorDefinition<?> step) {
        if (step instanceof KameletDefinition kamelet) {
            return List.of("kamelet:" + resolved(step, kamelet.getName()));
        }
        if (step instanceof SendDefinition<?> send) {
            return List.of(uri(step, send.getEndpointUri()));
        }
        if (step instanceof ToDynamicDefinition send) {
            return List.of(uri(step, send.getUri()));
        }
        if (step instanceof InterceptSendToEndpointDefinition intercept && intercept.getAfterUri() != null) {
            return List.of(uri(step, intercept.getAfterUri()));
        }
        return computed(step)
                .filter(expression -> Set.of("constant", "simple").contains(expression.getLanguage()))
                .map(expression -> resolved(step, expression.getExpression()).split(delimiter(step)))
                .map(uris -> Arrays.stream(uris).map(uri -> uri(step, uri)).toList())
                .orElse(List.of());
    }

    /** The expression that returns the endpoints to which a step sends; empty if it has none. */
    private static Optional<ExpressionDefinition> computed(ProcessorDefinition<?> step) {
        return step instanceof RecipientListDefinition<?>
                        || step instanceof RoutingSlipDefinition<?>
                        || step instanceof DynamicRouterDefinition<?>
                        || step instanceof EnrichDefinition
                ? Optional.ofNullable(((ExpressionNode) step).getExpression())
                : Optional.empty();
    }

    /** The delimiter of the addresses in the expression of a step, as a regular expression. */
    private static String delimiter(ProcessorDefinition<?> step) {
        String delimiter = null;
        if (step instanceof RecipientListDefinition<?> recipients) {
            delimiter = recipients.getDelimiter();
        } else if (step instanceof RoutingSlipDefinition<?> slip) {
            delimiter = slip.getUriDelimiter();
        } else if (step instanceof DynamicRouterDefinition<?> router) {
            delimiter = router.getUriDelimiter();
        }
        return "\\s*" + (delimiter == null ? "," : Pattern.quote(delimiter)) + "\\s*";
    }

    private void follow(String uri) {
        routesFrom(uri).forEach(other -> unchecked.add(() -> checkRoute(other)));
        if (uri.startsWith("kamelet:")) {
            RouteTemplateDefinition template = model().getRouteTemplateDefinition(withoutOptions(uri)
                    .replaceFirst("^kamelet:(//)?", "")
                    .replaceFirst("/.*", ""));
            if (template != null) {
                unchecked.add(() -> checkRoute(template.getRoute()));
            }
        }
    }

    /** The routes to which a step sends, as far as they are known from its definition. */
    private Stream<RouteDefinition> reached(ProcessorDefinition<?> step) {
        return uris(step).stream().flatMap(this::routesFrom);
    }

    /** The routes that read from an endpoint. */
    private Stream<RouteDefinition> routesFrom(String uri) {
        return uri.matches("(direct|seda):.*")
                ? model().getRouteDefinitions().stream()
                        .filter(other -> mayBeReached(other)
                                && address(uri(other, other.getInput().getEndpointUri()))
                                        .equals(address(uri)))
                : Stream.empty();
    }

    /** Excludes the subscriptions, which are most routes, before an address is resolved. */
    private static boolean mayBeReached(RouteDefinition other) {
        return other.getInput() != null && !other.getInput().getEndpointUri().startsWith("outbox:");
    }

    private static String address(String uri) {
        return withoutOptions(uri).replaceFirst(":(//)?", ":");
    }

    private Model model() {
        return context.getCamelContextExtension().getContextPlugin(Model.class);
    }

    private String resolved(ProcessorDefinition<?> step, String text) {
        return text == null ? "" : Placeholders.resolved(context, ProcessorDefinitionHelper.getRoute(step), text);
    }

    private String uri(ProcessorDefinition<?> step, String text) {
        return text == null ? "" : Placeholders.uri(context, ProcessorDefinitionHelper.getRoute(step), text);
    }

    private static String withoutOptions(String uri) {
        return uri.replaceFirst("\\?[^\\]]*", "");
    }
}
