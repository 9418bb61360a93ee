package dev.caravan.camel.guard;

import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.impl.engine.PrototypeProcessorExchangeFactory;
import org.apache.camel.processor.Enricher;
import org.apache.camel.processor.MulticastProcessor;
import org.apache.camel.processor.Splitter;
import org.apache.camel.processor.WireTapProcessor;
import org.apache.camel.spi.ProcessorExchangeFactory;

/**
 * Creates the copies of exchanges for steps such as split and multicast, and attaches a {@link Part} to those that are parts of a
 * message. Camel finds it by its name in {@code META-INF/services}, before it builds any route.
 */
public final class PartExchanges extends PrototypeProcessorExchangeFactory {
    /** Called by Camel. */
    public PartExchanges() {}

    private PartExchanges(Processor processor) {
        super(processor);
    }

    @Override
    public void setCamelContext(CamelContext context) {
        super.setCamelContext(context);
        boolean isRegistered = context.getCamelContextExtension().getInterceptStrategies().stream()
                .anyMatch(PartSteps.class::isInstance);
        if (!isRegistered) { // Camel calls this twice, and once for each step
            context.getCamelContextExtension().addInterceptStrategy(new PartSteps());
        }
    }

    @Override
    public ProcessorExchangeFactory newProcessorExchangeFactory(Processor processor) {
        PartExchanges answer = new PartExchanges(processor);
        answer.setStatisticsEnabled(isStatisticsEnabled());
        answer.setCapacity(getCapacity());
        answer.setCamelContext(getCamelContext());
        return answer;
    }

    @Override
    public Exchange createCorrelatedCopy(Exchange exchange, boolean handover) {
        Exchange copy = super.createCorrelatedCopy(exchange, handover);
        if (getProcessor() instanceof MulticastProcessor step) { // split and recipientList are of this class too
            Part.beginPart(exchange, copy, step instanceof Splitter, step.isShareUnitOfWork());
        } else if (getProcessor() instanceof Enricher) {
            Part.observeEnrich(copy);
        } else if (getProcessor() instanceof WireTapProcessor) {
            Part.detach(copy);
        }
        return copy;
    }
}
