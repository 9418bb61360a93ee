package dev.caravan.camel.step;

import dev.caravan.camel.guard.OutboxRoutes;
import dev.caravan.camel.guard.OwnExchanges;
import org.apache.camel.AsyncCallback;
import org.apache.camel.AsyncProducer;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.FailedToCreateProducerException;
import org.apache.camel.Producer;
import org.apache.camel.spi.RouteIdAware;
import org.apache.camel.support.AsyncProcessorConverterHelper;
import org.apache.camel.support.DefaultAsyncProducer;
import org.apache.camel.support.service.ServiceHelper;

/**
 * Sends messages of an outbox with one producer, and every other exchange with the producer that the endpoint would have without
 * Caravan. A step of a route starts the producer that its route needs, so that wrong options are reported at the start of the route. The
 * other one, and both for a step with a computed address or a template, starts with the first exchange that needs it: most are
 * never needed, and a producer of Kafka has connections.
 */
public final class ProducerByExchange extends DefaultAsyncProducer implements RouteIdAware {
    /** Creates a producer. */
    @FunctionalInterface
    public interface Creation {
        Producer create() throws Exception;
    }

    private final Side own;
    private final Side other;
    private String routeId;
    private boolean isClosed;

    /**
     * @param own creates the producer of messages of an outbox
     * @param other creates the producer of every other exchange
     */
    public ProducerByExchange(Endpoint endpoint, Creation own, Creation other) {
        super(endpoint);
        this.own = new Side(own);
        this.other = new Side(other);
    }

    /** Called by Camel before the start, if a step of a route uses this producer. */
    @Override
    public void setRouteId(String routeId) {
        this.routeId = routeId;
    }

    @Override
    public String getRouteId() {
        return routeId;
    }

    @Override
    public boolean process(Exchange exchange, AsyncCallback callback) {
        Side side = OwnExchanges.isOwn(exchange) ? own : other;
        AsyncProducer producer = side.started;
        if (producer == null) {
            try {
                producer = side.start();
            } catch (Exception e) {
                exchange.setException(new FailedToCreateProducerException(getEndpoint(), e));
                callback.done(true);
                return true;
            }
        }
        return producer.process(exchange, callback);
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        opened();
        if (routeId != null) {
            boolean delivers = OutboxRoutes.of(getEndpoint().getCamelContext()).contains(routeId);
            (delivers ? own : other).start();
        }
    }

    @Override
    protected void doStop() throws Exception {
        try {
            own.stop();
        } finally {
            other.stop();
        }
        super.doStop();
    }

    private synchronized void opened() {
        isClosed = false;
    }

    /** One of the two producers. */
    private final class Side {
        private final Creation creation;
        /** Null until it is needed. */
        private volatile AsyncProducer started;

        private Side(Creation creation) {
            this.creation = creation;
        }

        private AsyncProducer start() throws Exception {
            synchronized (ProducerByExchange.this) {
                if (isClosed) {
                    throw new IllegalStateException("The step is stopped");
                }
                if (started == null) {
                    started = start(creation.create());
                }
                return started;
            }
        }

        private AsyncProducer start(Producer created) {
            if (created instanceof RouteIdAware aware) {
                aware.setRouteId(routeId);
            }
            AsyncProducer producer = AsyncProcessorConverterHelper.convert(created);
            try {
                ServiceHelper.startService(producer);
            } catch (RuntimeException e) {
                ServiceHelper.stopAndShutdownService(producer);
                throw e;
            }
            return producer;
        }

        private void stop() {
            synchronized (ProducerByExchange.this) {
                isClosed = true;
                AsyncProducer producer = started;
                started = null;
                ServiceHelper.stopAndShutdownService(producer);
            }
        }
    }
}
