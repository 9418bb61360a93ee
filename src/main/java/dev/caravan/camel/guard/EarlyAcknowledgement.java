package dev.caravan.camel.guard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.ErrorHandlerFactory;
import org.apache.camel.model.CircuitBreakerDefinition;
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.InterceptSendToEndpointDefinition;
import org.apache.camel.model.KameletDefinition;
import org.apache.camel.model.Model;
import org.apache.camel.model.OnCompletionDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RouteConfigurationDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.RouteTemplateDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.ToDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.errorhandler.DeadLetterChannelDefinition;
import org.apache.camel.model.errorhandler.RefErrorHandlerDefinition;
import org.apache.camel.support.PatternHelper;

/**
 * Finds the steps of a route that end it before or without the delivery of its message, so that the message would count as
 * delivered and could be lost; with {@code pipelined}, also the steps that let messages overtake each other. Includes routes that
 * are reached through {@code direct:}, {@code seda:} and kamelets, and the route configurations that apply.
 */
public final class EarlyAcknowledgement {
    private final CamelContext context;
    private final RouteDefinition route;
    private final boolean pipelined;
    private final boolean batching;
    private final boolean orderedBatches;
    private final List<String> problems = new ArrayList<>();
    private final Set<Object> seen = new HashSet<>();
    /** The pending checks of routes that are reached. */
    private final Deque<Runnable> unchecked = new ArrayDeque<>();

    private EarlyAcknowledgement(
            CamelContext context, RouteDefinition route, boolean pipelined, boolean batching, boolean orderedBatches) {
        this.context = context;
        this.route = route;
        this.pipelined = pipelined;
        this.batching = batching;
        this.orderedBatches = orderedBatches;
    }

    /**
     * The problems of a route that reads {@code outbox:}, one text per step; empty if there are none.
     *
     * @param pipelined whether the messages of a key start without waiting for the previous one
     * @param batching whether an exchange has several messages
     * @param orderedBatches whether the order of these messages matters
     * @param idempotent whether the subscription skips repeats
     */
    public static List<String> problems(
            CamelContext context,
            RouteDefinition route,
            boolean pipelined,
            boolean batching,
            boolean orderedBatches,
            boolean idempotent) {
        EarlyAcknowledgement check = new EarlyAcknowledgement(context, route, pipelined, batching, orderedBatches);
        check.checkRoute(route);
        check.checkConfigurations();
        while (!check.unchecked.isEmpty()) {
            check.unchecked.pop().run();
        }
        new RepeatedParts(check::reached, batching)
                .of(route, idempotent)
                .forEach(found -> check.add(found.step(), found.place(), RepeatedParts.REMEDY));
        return check.problems;
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
                if (each.getErrorHandler() != null) {
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
        if (pipelined && Redeliveries.of(handler, text -> resolved(route, text))) {
            problems.add(prefix() + "the error handler of " + place + " " + Redeliveries.REMEDY);
        }
    }

    /** Camel's dead letter channel counts a message as handled even if its endpoint has refused it. */
    private void deadLetterChannel(DeadLetterChannelDefinition channel, String place) {
        String what = prefix() + "deadLetterChannel of " + place + " ";
        if (!"false".equals(resolved(route, channel.getDeadLetterHandleNewException()))) {
            problems.add(what
                    + "loses a message that its endpoint refuses. Set deadLetterHandleNewException to false, or send"
                    + " to outbox:dead-letter in onException; earlyAcknowledge=true on the outbox endpoint allows it");
        }
        String uri = uri(route, channel.getDeadLetterUri());
        EarlyStep.ofUri(null, uri, null).ifPresent(early -> problems.add(what + early));
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
        UnaryOperator<String> resolved = text -> resolved(step, text);
        EarlyStep.of(step, resolved).ifPresent(early -> add(step, place, early));
        SkippingStep.of(step, resolved).ifPresent(skipping -> add(step, place, skipping));
        if (step instanceof CircuitBreakerDefinition breaker) {
            CircuitBreakerStep.of(breaker, context, resolved).ifPresent(skipping -> add(step, place, skipping));
        }
        if (pipelined) {
            OvertakingStep.of(step, resolved).ifPresent(overtaking -> add(step, place, overtaking));
            OvertakingStep.ofRepeats(step).ifPresent(skipping -> add(step, place, skipping));
            if (Redeliveries.of(step, resolved)) {
                add(step, place, Redeliveries.REMEDY);
            }
        }
        if (batching && route.getRouteId().equals(place)) { // a route behind direct: may be called in a split
            SkippingStep.ofBatch(step).ifPresent(skipping -> add(step, place, skipping));
        }
        if (orderedBatches) {
            OvertakingStep.ofBatch(step, resolved).ifPresent(overtaking -> add(step, place, overtaking));
        }
        for (String uri : uris(step)) {
            EarlyStep.ofUri(step, uri, pattern(step)).ifPresent(early -> add(step, place, early));
            follow(uri);
        }
        if (step instanceof OnCompletionDefinition completion) {
            if ("BeforeConsumer".equalsIgnoreCase(resolved.apply(completion.getMode()))) {
                add(
                        step,
                        place,
                        "hides failures of later parts of the message in mode BeforeConsumer. Remove the mode;"
                                + " earlyAcknowledge=true on the outbox endpoint allows it");
            }
            completion(step, place, new HashSet<>());
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
                            "runs in onCompletion, after the message counts as delivered. " + EarlyStep.INSTEAD);
                }
                reached(inner).forEach(route -> completion(route, route.getRouteId(), afterTheEnd));
                completion(inner, place, afterTheEnd);
            }
        }
    }

    private void add(ProcessorDefinition<?> step, String place, String early) {
        String id = step.getId() == null ? "" : " " + step.getId();
        String in = place == null || place.equals(route.getRouteId()) ? "" : " of " + place;
        problems.add(prefix() + "step" + id + " (" + withoutOptions(step.getLabel()) + ")" + in + " " + early);
    }

    private String prefix() {
        return "route " + route.getRouteId() + ": ";
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
        return Optional.of(step)
                .filter(ExpressionNode.class::isInstance)
                .map(node -> ((ExpressionNode) node).getExpression())
                .filter(expression -> Set.of("constant", "simple").contains(expression.getLanguage()))
                .filter(expression -> EarlyStep.sendsToExpression(step))
                .map(expression -> resolved(step, expression.getExpression()).split(EarlyStep.delimiter(step)))
                .map(uris -> Arrays.stream(uris).map(uri -> uri(step, uri)).toList())
                .orElse(List.of());
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
                        .filter(other -> other.getInput() != null
                                && address(uri(other, other.getInput().getEndpointUri()))
                                        .equals(address(uri)))
                : Stream.empty();
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
