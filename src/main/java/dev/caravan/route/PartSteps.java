package dev.caravan.route;

import dev.caravan.headers.OutboxConstants;
import java.util.List;
import java.util.Set;
import org.apache.camel.AsyncCallback;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.model.CatchDefinition;
import org.apache.camel.model.CircuitBreakerDefinition;
import org.apache.camel.model.FinallyDefinition;
import org.apache.camel.model.MulticastDefinition;
import org.apache.camel.model.OnCompletionDefinition;
import org.apache.camel.model.OnExceptionDefinition;
import org.apache.camel.model.OnFallbackDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.RemovePropertiesDefinition;
import org.apache.camel.model.RemovePropertyDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.SplitDefinition;
import org.apache.camel.model.TryDefinition;
import org.apache.camel.spi.InterceptStrategy;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/**
 * Sees each step that makes parts of a message begin and end, and what follows the handling of a failure begin. Other steps
 * run as they are.
 */
public final class PartSteps implements InterceptStrategy {
    /** While these run, a failure is still being handled. */
    private static final Set<Class<?>> HANDLING = Set.of(
            CatchDefinition.class,
            FinallyDefinition.class,
            OnFallbackDefinition.class,
            OnExceptionDefinition.class,
            OnCompletionDefinition.class);

    @Override
    public Processor wrapProcessorInInterceptors(
            CamelContext context, NamedNode step, Processor target, Processor nextTarget) {
        Processor watched = target;
        if (step instanceof MulticastDefinition
                || step instanceof SplitDefinition
                || step instanceof RecipientListDefinition<?>) {
            watched = new Watched(target);
        }
        if (step instanceof RemovePropertiesDefinition || step instanceof RemovePropertyDefinition) {
            watched = new ErrorKept(target);
        }
        return followsHandling(step) ? new Forgetful(watched) : watched;
    }

    private static boolean isInside(NamedNode step, Set<Class<?>> kinds) {
        for (NamedNode outer = step.getParent(); outer != null; outer = outer.getParent()) {
            if (kinds.contains(outer.getClass())) {
                return true;
            }
        }
        return false;
    }

    /** Whether a failure may have been caught or handled just before a step. */
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
     * What an error handler has said of a failure ends with that failure, once the route has caught or handled it. For a later
     * one it has to be asked again: Camel asks it only once for an exchange, doTry or not.
     */
    private static final class Forgetful extends DelegateAsyncProcessor {
        private Forgetful(Processor step) {
            super(step);
        }

        @Override
        public boolean process(Exchange exchange, AsyncCallback callback) {
            if (!ErrorHandlers.areAtWork(exchange)) {
                exchange.removeProperty(OutboxConstants.FAILURE);
                exchange.getExchangeExtension().setFailureHandled(false);
            }
            return super.process(exchange, callback);
        }
    }

    /** While an error handler is at work, the error is in a property: a step of onException that removes all would make it a success. */
    private static final class ErrorKept extends DelegateAsyncProcessor {
        private static final List<ExchangePropertyKey> KEPT =
                List.of(ExchangePropertyKey.EXCEPTION_CAUGHT, ExchangePropertyKey.FATAL_FALLBACK_ERROR_HANDLER);

        private ErrorKept(Processor step) {
            super(step);
        }

        @Override
        public boolean process(Exchange exchange, AsyncCallback callback) {
            if (!ErrorHandlers.areAtWork(exchange)) {
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

    private static final class Watched extends DelegateAsyncProcessor {
        private Watched(Processor step) {
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
                part.stepEnded(exchange);
                callback.done(doneSync);
            });
        }
    }
}
