package dev.caravan.component;

import org.apache.camel.AsyncCallback;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.model.MulticastDefinition;
import org.apache.camel.model.RecipientListDefinition;
import org.apache.camel.model.SplitDefinition;
import org.apache.camel.spi.InterceptStrategy;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/** Sees each step that makes parts of a message begin and end. Other steps run as they are. */
final class PartSteps implements InterceptStrategy {
    @Override
    public Processor wrapProcessorInInterceptors(
            CamelContext context, NamedNode step, Processor target, Processor nextTarget) {
        boolean makesParts = step instanceof MulticastDefinition
                || step instanceof SplitDefinition
                || step instanceof RecipientListDefinition<?>;
        return makesParts ? new Watched(target) : target;
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
