package dev.caravan.component;

import java.util.List;
import java.util.Set;
import org.apache.camel.AsyncCallback;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
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
import org.apache.camel.model.ProcessorDefinitionHelper;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.SplitDefinition;
import org.apache.camel.model.TryDefinition;
import org.apache.camel.spi.InterceptStrategy;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/** Sees each step that makes parts of a message begin and end, and what follows a doTry begin. Other steps run as they are. */
final class PartSteps implements InterceptStrategy {
    private static final Set<Class<?>> HANDLING = Set.of(
            CatchDefinition.class,
            FinallyDefinition.class,
            OnFallbackDefinition.class,
            OnExceptionDefinition.class,
            OnCompletionDefinition.class);

    @Override
    public Processor wrapProcessorInInterceptors(
            CamelContext context, NamedNode step, Processor target, Processor nextTarget) {
        boolean makesParts = step instanceof MulticastDefinition
                || step instanceof SplitDefinition
                || step instanceof RecipientListDefinition<?>;
        Processor watched = makesParts ? new Watched(target) : target;
        String route = ProcessorDefinitionHelper.getRouteId(step);
        return route != null && followsHandling(step) ? new Forgetful(watched, route) : watched;
    }

    /** Whether a failure may have been handled just before a step, and none is being handled. */
    private static boolean followsHandling(NamedNode step) {
        for (NamedNode outer = step.getParent(); outer != null; outer = outer.getParent()) {
            if (HANDLING.contains(outer.getClass())) {
                return false;
            }
        }
        return step.getParent() instanceof ProcessorDefinition<?> parent
                && mayHandle(before(step, parent.getOutputs()));
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
     * What an error handler has said of a failure ends with that failure, once the route has handled it. For a later one it has
     * to be asked again: Camel asks it only once for an exchange, doTry or not.
     */
    private static final class Forgetful extends DelegateAsyncProcessor {
        private final String route;

        private Forgetful(Processor step, String route) {
            super(step);
            this.route = route;
        }

        @Override
        public boolean process(Exchange exchange, AsyncCallback callback) {
            if (route.equals(exchange.getFromRouteId())) { // another route may run while an error handler is at work
                exchange.removeProperty(OutboxConstants.FAILURE);
                exchange.getExchangeExtension().setFailureHandled(false);
            }
            return super.process(exchange, callback);
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
