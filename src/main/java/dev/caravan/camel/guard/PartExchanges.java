package dev.caravan.camel.guard;

import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePattern;
import org.apache.camel.ExtendedCamelContext;
import org.apache.camel.Processor;
import org.apache.camel.processor.Enricher;
import org.apache.camel.processor.MulticastProcessor;
import org.apache.camel.processor.WireTapProcessor;
import org.apache.camel.spi.ProcessorExchangeFactory;
import org.apache.camel.support.ExchangeHelper;
import org.apache.camel.support.service.ServiceHelper;
import org.apache.camel.support.service.ServiceSupport;

/**
 * Creates the copies of own exchanges for steps such as split and multicast, and attaches a {@link Part} to those that are parts of a
 * message. The factory of the application creates all others.
 */
public final class PartExchanges extends ServiceSupport implements ProcessorExchangeFactory {
    private final ProcessorExchangeFactory others;

    private PartExchanges(ProcessorExchangeFactory others) {
        this.others = others;
    }

    /** Begins to use this factory, {@link PartSteps}, {@link MemoryQueues}, {@link QueueFailures} and {@link BreakerFailures} for the steps that Camel builds from now on. No effect if it is in use. */
    public static void install(CamelContext context) {
        ExtendedCamelContext camel = context.getCamelContextExtension();
        if (!isInstalled(context)) {
            WholeBatch.refuseText(context);
            camel.setProcessorExchangeFactory(new PartExchanges(camel.getProcessorExchangeFactory()));
        }
        if (PartSteps.of(context).isEmpty()) {
            camel.addInterceptStrategy(new PartSteps());
        }
        MemoryQueues.observe(context);
        QueueFailures.observe(context);
        BreakerFailures.observe(context);
    }

    /** Whether Camel uses this factory. An application that sets another one after {@link #install} replaces it. */
    public static boolean isInstalled(CamelContext context) {
        return context.getCamelContextExtension().getProcessorExchangeFactory() instanceof PartExchanges;
    }

    @Override
    public ProcessorExchangeFactory newProcessorExchangeFactory(Processor processor) {
        return new PartExchanges(others.newProcessorExchangeFactory(processor));
    }

    @Override
    public Exchange createCopy(Exchange exchange) {
        return OwnExchanges.isOwn(exchange) ? exchange.copy() : others.createCopy(exchange);
    }

    @Override
    public Exchange createCorrelatedCopy(Exchange exchange, boolean handover) {
        if (!OwnExchanges.isOwn(exchange)) {
            return others.createCorrelatedCopy(exchange, handover);
        }
        Exchange copy = ExchangeHelper.createCorrelatedCopy(exchange, handover);
        if (getProcessor() instanceof MulticastProcessor step) { // split and recipientList are of this class too
            Part.beginPart(exchange, copy, step);
        } else if (getProcessor() instanceof Enricher) {
            Part.observeEnrich(copy);
        } else if (getProcessor() instanceof WireTapProcessor) {
            Part.detach(copy);
        }
        return copy;
    }

    /** A copy of an own exchange is not reused, because its results are read after Camel has released it. */
    @Override
    public boolean release(Exchange exchange) {
        return OwnExchanges.isOwn(exchange) || others.release(exchange);
    }

    @Override
    public Exchange create(Endpoint fromEndpoint, ExchangePattern exchangePattern) {
        return others.create(fromEndpoint, exchangePattern);
    }

    @Override
    public Exchange acquire() {
        return others.acquire();
    }

    @Override
    public Processor getProcessor() {
        return others.getProcessor();
    }

    @Override
    public boolean isPooled() {
        return others.isPooled();
    }

    @Override
    public int getSize() {
        return others.getSize();
    }

    @Override
    public int getCapacity() {
        return others.getCapacity();
    }

    @Override
    public void setCapacity(int capacity) {
        others.setCapacity(capacity);
    }

    @Override
    public boolean isStatisticsEnabled() {
        return others.isStatisticsEnabled();
    }

    @Override
    public void setStatisticsEnabled(boolean enabled) {
        others.setStatisticsEnabled(enabled);
    }

    @Override
    public void resetStatistics() {
        others.resetStatistics();
    }

    @Override
    public Statistics getStatistics() {
        return others.getStatistics();
    }

    @Override
    public void purge() {
        others.purge();
    }

    @Override
    public CamelContext getCamelContext() {
        return others.getCamelContext();
    }

    @Override
    public void setCamelContext(CamelContext context) {
        others.setCamelContext(context);
    }

    @Override
    public String getRouteId() {
        return others.getRouteId();
    }

    @Override
    public void setRouteId(String routeId) {
        others.setRouteId(routeId);
    }

    @Override
    public String getId() {
        return others.getId();
    }

    @Override
    public void setId(String id) {
        others.setId(id);
    }

    @Override
    protected void doBuild() {
        ServiceHelper.buildService(others);
    }

    @Override
    protected void doInit() {
        ServiceHelper.initService(others);
    }

    @Override
    protected void doStart() {
        ServiceHelper.startService(others);
    }

    @Override
    protected void doStop() {
        ServiceHelper.stopService(others);
    }

    @Override
    protected void doShutdown() {
        ServiceHelper.stopAndShutdownService(others);
    }
}
