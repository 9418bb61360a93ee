package dev.caravan.camel.guard;

import dev.caravan.base.text.Causes;
import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.headers.KafkaHeaderNames;
import dev.caravan.camel.headers.OutboxConstants;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.NamedNode;
import org.apache.camel.Ordered;
import org.apache.camel.Processor;
import org.apache.camel.RollbackExchangeException;
import org.apache.camel.Route;
import org.apache.camel.model.CatchDefinition;
import org.apache.camel.model.CircuitBreakerDefinition;
import org.apache.camel.model.FinallyDefinition;
import org.apache.camel.model.IdempotentConsumerDefinition;
import org.apache.camel.model.Model;
import org.apache.camel.model.MulticastDefinition;
import org.apache.camel.model.OnCompletionDefinition;
import org.apache.camel.model.OnExceptionDefinition;
import org.apache.camel.model.OnFallbackDefinition;
import org.apache.camel.model.PollDefinition;
import org.apache.camel.model.PollEnrichDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.RemoveHeaderDefinition;
import org.apache.camel.model.RemovePropertiesDefinition;
import org.apache.camel.model.RemovePropertyDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.SplitDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.TryDefinition;
import org.apache.camel.processor.RemoveHeadersProcessor;
import org.apache.camel.spi.InterceptStrategy;
import org.apache.camel.support.PatternHelper;

/**
 * Intercepts the start and end of steps that create parts of a message or have an answer from outside, the start of steps that follow the
 * handling of a failure, the end of steps whose result may be a future, idempotentConsumers, removeHeader, removeHeaders, and toD. Of other
 * steps, only failures whose causes do not end are changed. For exchanges that are not {@link OwnExchanges own}, no step is changed.
 */
public final class PartSteps implements InterceptStrategy {
    /** Steps inside these run while a failure is being handled. */
    private static final Set<Class<?>> HANDLING = Set.of(
            CatchDefinition.class,
            FinallyDefinition.class,
            OnFallbackDefinition.class,
            OnExceptionDefinition.class,
            OnCompletionDefinition.class);

    /** Inputs of routes that receive the exchange of another route, or a copy of it. */
    private static final Set<String> CALLED =
            Set.of("direct", "direct-vm", "seda", "vm", "disruptor", "disruptor-vm", "stub", "vertx", "kamelet");

    private static final Set<ExchangePropertyKey> PRESERVED =
            Set.of(ExchangePropertyKey.EXCEPTION_CAUGHT, ExchangePropertyKey.FATAL_FALLBACK_ERROR_HANDLER);

    private static final Exception UNDELIVERED = new RollbackExchangeException("The message was not delivered", null);

    /** After the ends of parts, which look at the exception. */
    private static final AtEnd FAIL_WHILE_COMPLETING = new AtEnd(
            exchange -> {
                Part part = Part.of(exchange);
                if (part != null && exchange.getException() == null && part.fault(exchange) != null) {
                    exchange.setException(UNDELIVERED);
                }
            },
            true,
            Ordered.HIGHEST + 1);

    private static final AtEnd END_OF_COMPLETION = new AtEnd(
            exchange -> {
                if (exchange.getException() == UNDELIVERED) {
                    exchange.setException(null);
                }
            },
            true,
            Ordered.LOWEST);

    /** The routes with steps that were built with these interceptors. */
    private final Set<RouteDefinition> built =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** The interceptors of a context; empty if it has none. */
    static Optional<PartSteps> of(CamelContext context) {
        return context.getCamelContextExtension().getInterceptStrategies().stream()
                .filter(PartSteps.class::isInstance)
                .map(PartSteps.class::cast)
                .findFirst();
    }

    /**
     * The ids of the routes that can be called with an own exchange, and were built without these interceptors. A failure of a part of
     * the message in them could count as delivered.
     */
    public static List<String> routesWithout(CamelContext context) {
        Set<RouteDefinition> built = of(context).map(steps -> steps.built).orElse(Set.of());
        Model model = context.getCamelContextExtension().getContextPlugin(Model.class);
        return context.getRoutes().stream()
                .filter(route ->
                        CALLED.contains(route.getEndpoint().getEndpointUri().replaceFirst(":.*", "")))
                .map(Route::getRouteId)
                .filter(id -> !built.contains(model.getRouteDefinition(id)))
                .toList();
    }

    @Override
    public Processor wrapProcessorInInterceptors(
            CamelContext context, NamedNode step, Processor target, Processor nextTarget) {
        RouteDefinition route = ProcessorDefinitionHelper.getRoute(step);
        if (route != null) { // null for a step of a route configuration
            built.add(route);
        }
        Processor sending = nextTarget == null ? target : nextTarget;
        CheckedAddress.begin(context, step, sending);
        Processor guarded = FutureResult.mayFollow(step) ? new FutureResult(step, target) : target;
        return new GuardedStep(guarded, around(context, step, sending), exchange -> failed(step, exchange));
    }

    /** What is done around a step. The last begins first. */
    private static List<Around> around(CamelContext context, NamedNode step, Processor sending) {
        List<Around> around = new ArrayList<>();
        if (step instanceof MulticastDefinition
                || step instanceof SplitDefinition
                || step instanceof RecipientListDefinition<?>) {
            around.add(PartSteps::trackParts);
        }
        if (step instanceof IdempotentConsumerDefinition consumer) {
            around.add(MessageIds::storeOnlyDelivered);
            RepeatedParts.refusal(consumer).ifPresent(around::add);
        }
        if (step instanceof ToDynamicDefinition) {
            around.add(PartSteps::forgetPattern);
        }
        if (step instanceof PollEnrichDefinition || step instanceof PollDefinition) {
            around.add(PartSteps::keepPolled);
        }
        if (step instanceof RemovePropertiesDefinition
                || step instanceof RemovePropertyDefinition
                || step.getParent() instanceof OnExceptionDefinition) {
            around.add(PartSteps::preserveError);
        }
        if (step instanceof RemoveHeaderDefinition removal
                && KafkaHeaderNames.both(removal.getName()).size() > 1) {
            around.add(exchange -> removeBoth(removal.getName(), exchange));
        }
        if (sending instanceof RemoveHeadersProcessor removal && removal.getExcludePattern() != null) {
            around.add(exchange -> keepExcluded(removal.getExcludePattern(), exchange));
        }
        if (AnsweredStep.is(step, sending)) {
            around.add(new AnsweredStep(step));
        }
        if (ReceivedAnswer.is(step, sending)) {
            around.add(new ReceivedAnswer(step, sending));
        } else if (ReceivedAnswer.isSetting(step)) {
            around.add(ReceivedAnswer.setBody(step));
        } else if (ReceivedAnswer.isStoring(step)) {
            around.add(ReceivedAnswer::storeBody);
        }
        // the check at start does not find a step that is reached by a computed address
        if (step instanceof ProcessorDefinition<?> definition) {
            new SafeSteps(context)
                    .losing(definition)
                    .ifPresent(why -> around.add(refuse("step " + step.getLabel() + " " + why + SafeSteps.ALLOWED)));
            if (WholeBatch.mayPass(context, definition)) {
                WholeBatch.around(context, definition).ifPresent(around::add);
            }
        }
        CutAnswer.require(context, step).ifPresent(around::add);
        if (followsHandling(step)) {
            around.add(PartSteps::resetHandling);
        }
        return around;
    }

    private static String text(Throwable error) {
        try {
            return error.toString();
        } catch (RuntimeException e) { // of the method of a user
            return error.getClass().getName();
        }
    }

    private static boolean isInside(NamedNode step, Set<Class<?>> kinds) {
        for (NamedNode outer = step.getParent(); outer != null; outer = outer.getParent()) {
            if (kinds.contains(outer.getClass())) {
                return true;
            }
        }
        return false;
    }

    /** Whether a failure may have been handled just before a step. */
    private static boolean followsHandling(NamedNode step) {
        if (!(step.getParent() instanceof ProcessorDefinition<?> parent)) {
            return false;
        }
        if (parent instanceof CatchDefinition) {
            return parent.getOutputs().indexOf(step) == 0 && !isInside(parent, Set.of(FinallyDefinition.class));
        }
        return !isInside(step, HANDLING) && mayHandle(before(step, parent.getOutputs()));
    }

    private static List<ProcessorDefinition<?>> before(NamedNode step, List<ProcessorDefinition<?>> steps) {
        int index = steps.indexOf(step);
        return index > 0 ? steps.subList(index - 1, index) : List.of();
    }

    private static boolean mayHandle(List<ProcessorDefinition<?>> steps) {
        return steps.stream()
                .anyMatch(step -> step instanceof TryDefinition
                        || step instanceof CircuitBreakerDefinition
                        || step instanceof SendDefinition<?> send
                                && String.valueOf(send.getEndpointUri()).matches("(direct|kamelet):.*")
                        || mayHandle(step.getOutputs()));
    }

    /**
     * Resets the result of an error handler after the route has caught or handled a failure, so that a later failure is handled
     * again: Camel calls the error handler only once per exchange, even with doTry.
     */
    private static Runnable resetHandling(Exchange exchange) {
        if (!Fault.isBeingHandled(exchange)) {
            exchange.removeProperty(OutboxConstants.FAILURE);
            exchange.getExchangeExtension().setFailureHandled(false);
            exchange.getExchangeExtension().setErrorHandlerHandled(null);
        }
        return Around.NOTHING;
    }

    /**
     * Replaces a failure whose causes do not end: Camel would follow them until no memory is left. Some drivers of databases throw
     * exceptions that are their own cause. Then records the failure in the part, before an error handler changes the exchange.
     */
    private static void failed(NamedNode step, Exchange exchange) {
        Exception error = exchange.getException();
        if (!Causes.haveEnd(error)) {
            var replaced = new IllegalStateException(text(error) + " (its causes have no end)");
            replaced.setStackTrace(error.getStackTrace());
            exchange.setException(replaced);
        }
        Part part = Part.of(exchange);
        if (part != null) {
            part.failedIn(step, exchange.getException(), exchange);
        }
    }

    /**
     * Makes the exchange end with an exception if it has not delivered its message: otherwise Camel would delete or move the file that it has
     * received, although the message is dead, marked for rollback, or failed in a part, and the next attempt would not find it.
     */
    private static Runnable keepPolled(Exchange exchange) {
        exchange.getExchangeExtension().addOnCompletion(FAIL_WHILE_COMPLETING);
        exchange.getExchangeExtension().addOnCompletion(END_OF_COMPLETION);
        return Around.NOTHING;
    }

    /** Removes a header of Kafka whichever name it has. */
    private static Runnable removeBoth(String name, Exchange exchange) {
        return () -> KafkaHeaderNames.both(name).forEach(exchange.getMessage()::removeHeader);
    }

    /** Preserves headers of Kafka whose other name the step excludes: a record would lose its key. */
    private static Runnable keepExcluded(String[] excluded, Exchange exchange) {
        Map<String, Object> kept = new HashMap<>();
        exchange.getMessage().getHeaders().forEach((name, value) -> {
            if (KafkaHeaderNames.both(name).stream().anyMatch(each -> PatternHelper.matchPatterns(each, excluded))) {
                kept.put(name, value);
            }
        });
        return () -> kept.forEach(exchange.getMessage()::setHeader);
    }

    /** Preserves the error, which is in a property while an error handler runs: without the property it would become a success. */
    private static Runnable preserveError(Exchange exchange) {
        if (!Fault.isBeingHandled(exchange)) {
            return Around.NOTHING;
        }
        Map<ExchangePropertyKey, Object> kept = new EnumMap<>(ExchangePropertyKey.class);
        PRESERVED.forEach(key -> kept.put(key, exchange.getProperty(key)));
        return () -> kept.forEach(exchange::setProperty);
    }

    /** Fails messages that must be delivered, because the step may end their route before that. */
    private static Around refuse(String reason) {
        return exchange -> {
            if (Part.mustDeliver(exchange)) {
                throw new IllegalStateException(reason);
            }
            return Around.NOTHING;
        };
    }

    /** Ends what {@link CheckedAddress} has said about the next send: the step may have failed before it. */
    private static Runnable forgetPattern(Exchange exchange) {
        Part part = Part.of(exchange);
        return part == null ? Around.NOTHING : () -> part.sendNext(null);
    }

    private static Runnable trackParts(Exchange exchange) {
        Part part = Part.of(exchange);
        if (part == null) {
            return Around.NOTHING;
        }
        part.stepBegins(exchange);
        return () -> {
            part.interruptedIn(exchange);
            part.stepEnded(exchange);
            withoutFailed(exchange);
        };
    }

    /** Removes the messages of a batch that failed on their own, so that later steps do not send them. */
    private static void withoutFailed(Exchange exchange) {
        if (exchange.getMessage().getBody() instanceof MessageBatch all) {
            MessageBatch remaining = all.remaining();
            if (remaining != all) {
                exchange.getMessage().setBody(remaining);
                exchange.setRouteStop(exchange.isRouteStop() || remaining.isEmpty());
            }
        }
    }
}
