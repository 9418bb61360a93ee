package dev.caravan.camel.guard;

import dev.caravan.camel.headers.OutboxConstants;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.camel.AsyncCallback;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.model.CatchDefinition;
import org.apache.camel.model.CircuitBreakerDefinition;
import org.apache.camel.model.FinallyDefinition;
import org.apache.camel.model.IdempotentConsumerDefinition;
import org.apache.camel.model.MulticastDefinition;
import org.apache.camel.model.OnCompletionDefinition;
import org.apache.camel.model.OnExceptionDefinition;
import org.apache.camel.model.OnFallbackDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.RemovePropertiesDefinition;
import org.apache.camel.model.RemovePropertyDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.SplitDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.TryDefinition;
import org.apache.camel.model.WireTapDefinition;
import org.apache.camel.processor.SendDynamicProcessor;
import org.apache.camel.spi.InterceptStrategy;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/**
 * Intercepts the start and end of steps that create parts of a message or have an answer from outside, the start of steps that follow the
 * handling of a failure, the end of steps whose result may be a future, idempotentConsumers, and toD. Other steps are not changed.
 */
public final class PartSteps implements InterceptStrategy {
    /** Steps inside these run while a failure is being handled. */
    private static final Set<Class<?>> HANDLING = Set.of(
            CatchDefinition.class,
            FinallyDefinition.class,
            OnFallbackDefinition.class,
            OnExceptionDefinition.class,
            OnCompletionDefinition.class);

    @Override
    public Processor wrapProcessorInInterceptors(
            CamelContext context, NamedNode step, Processor target, Processor nextTarget) {
        Processor tracked = target;
        if (step instanceof MulticastDefinition
                || step instanceof SplitDefinition
                || step instanceof RecipientListDefinition<?>) {
            tracked = new PartsTracked(target);
        }
        if (step instanceof IdempotentConsumerDefinition) {
            tracked = new OnlyDelivered(target);
        }
        if (requiresAddress(context, step)
                && (nextTarget == null ? target : nextTarget) instanceof SendDynamicProcessor send) {
            tracked = new AddressRequired(target, send.getExpression());
        }
        if (FutureBody.mayFollow(step)) {
            tracked = new FutureBody(tracked);
        }
        boolean mayRemoveError = step instanceof RemovePropertiesDefinition
                || step instanceof RemovePropertyDefinition
                || step.getParent() instanceof OnExceptionDefinition;
        if (mayRemoveError) {
            tracked = new ErrorPreserved(target);
        }
        if (AnsweredStep.is(step, nextTarget == null ? target : nextTarget)) {
            tracked = new AnsweredStep(step, tracked);
        }
        Optional<String> early = early(context, step);
        if (early.isPresent()) {
            tracked = new Refused(target, "step " + step.getLabel() + " " + early.get());
        }
        return followsHandling(step) ? new HandlingReset(tracked) : tracked;
    }

    /** Why a step ends a route without the delivery. The check at start does not find it if its address is computed. */
    private static Optional<String> early(CamelContext context, NamedNode node) {
        if (!(node instanceof ProcessorDefinition<?> step)) {
            return Optional.empty();
        }
        RouteDefinition route = ProcessorDefinitionHelper.getRoute(step);
        UnaryOperator<String> resolved = text -> Placeholders.resolved(context, route, text);
        return EarlyStep.of(step, resolved)
                .or(() -> SkippingStep.of(step, resolved))
                .or(() -> step instanceof CircuitBreakerDefinition breaker
                        ? CircuitBreakerStep.of(breaker, context, resolved)
                        : Optional.empty());
    }

    private static boolean isInside(NamedNode step, Set<Class<?>> kinds) {
        for (NamedNode outer = step.getParent(); outer != null; outer = outer.getParent()) {
            if (kinds.contains(outer.getClass())) {
                return true;
            }
        }
        return false;
    }

    private static boolean requiresAddress(CamelContext context, NamedNode step) {
        return step instanceof ToDynamicDefinition send
                && !(send instanceof WireTapDefinition<?>)
                && SkippingStep.of(send, context::resolvePropertyPlaceholders).isEmpty();
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
    private static final class HandlingReset extends DelegateAsyncProcessor {
        private HandlingReset(Processor step) {
            super(step);
        }

        @Override
        public boolean process(Exchange exchange, AsyncCallback callback) {
            if (!ErrorHandlers.areRunning(exchange)) {
                exchange.removeProperty(OutboxConstants.FAILURE);
                exchange.getExchangeExtension().setFailureHandled(false);
                exchange.getExchangeExtension().setErrorHandlerHandled(null);
            }
            return super.process(exchange, callback);
        }
    }

    /** Preserves the error, which is in a property while an error handler runs: without the property it would become a success. */
    private static final class ErrorPreserved extends DelegateAsyncProcessor {
        private static final List<ExchangePropertyKey> KEPT =
                List.of(ExchangePropertyKey.EXCEPTION_CAUGHT, ExchangePropertyKey.FATAL_FALLBACK_ERROR_HANDLER);

        private ErrorPreserved(Processor step) {
            super(step);
        }

        @Override
        public boolean process(Exchange exchange, AsyncCallback callback) {
            if (!ErrorHandlers.areRunning(exchange)) {
                return super.process(exchange, callback);
            }
            List<Object> kept = KEPT.stream().map(exchange::getProperty).toList();
            return super.process(exchange, doneSync -> {
                for (int i = 0; i < kept.size(); i++) {
                    exchange.setProperty(KEPT.get(i), kept.get(i));
                }
                callback.done(doneSync);
            });
        }
    }

    /** Fails messages that must be delivered, because the step may end their route before that. */
    private static final class Refused extends DelegateAsyncProcessor {
        private final String reason;

        private Refused(Processor step, String reason) {
            super(step);
            this.reason = reason;
        }

        @Override
        public boolean process(Exchange exchange, AsyncCallback callback) {
            if (!Part.mustDeliver(exchange)) {
                return super.process(exchange, callback);
            }
            exchange.setException(new IllegalStateException(reason));
            callback.done(true);
            return true;
        }
    }

    private static final class PartsTracked extends DelegateAsyncProcessor {
        private PartsTracked(Processor step) {
            super(step);
        }

        @Override
        public boolean process(Exchange exchange, AsyncCallback callback) {
            Part part = Part.of(exchange);
            if (part == null) {
                return super.process(exchange, callback);
            }
            part.stepBegins();
            return super.process(exchange, doneSync -> {
                part.interruptedIn(exchange);
                part.stepEnded(exchange);
                withoutFailed(exchange);
                callback.done(doneSync);
            });
        }

        /** Removes the messages of a batch that failed on their own, so that later steps do not send them. */
        private static void withoutFailed(Exchange exchange) {
            if (exchange.getMessage().getBody() instanceof PartialBody all) {
                PartialBody remaining = all.remaining();
                if (remaining != all) {
                    exchange.getMessage().setBody(remaining);
                    exchange.setRouteStop(exchange.isRouteStop() || remaining.isEmpty());
                }
            }
        }
    }
}
