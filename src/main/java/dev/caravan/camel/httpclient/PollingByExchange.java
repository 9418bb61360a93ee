package dev.caravan.camel.httpclient;

import dev.caravan.camel.guard.OwnExchanges;
import org.apache.camel.DynamicPollingConsumer;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.PollingConsumer;
import org.apache.camel.support.PollingConsumerSupport;
import org.apache.camel.support.service.ServiceHelper;

/** Polls for a message of an outbox with one consumer, and for everything else with the one that the endpoint would have without Caravan. */
final class PollingByExchange extends PollingConsumerSupport implements DynamicPollingConsumer {
    private final Creation creation;
    private final PollingConsumer other;
    /** Null before the first message. */
    private PollingConsumer own;

    /** Creates a consumer. */
    @FunctionalInterface
    interface Creation {
        PollingConsumer create() throws Exception;
    }

    PollingByExchange(Endpoint endpoint, Creation own, PollingConsumer other) {
        super(endpoint);
        this.creation = own;
        this.other = other;
    }

    private PollingConsumer of(Exchange exchange) {
        return OwnExchanges.isOwn(exchange) ? own() : other;
    }

    private synchronized PollingConsumer own() {
        if (own == null) {
            try {
                own = creation.create();
            } catch (Exception e) {
                throw new IllegalStateException("Could not poll from " + getEndpoint(), e);
            }
            ServiceHelper.startService(own);
        }
        return own;
    }

    @Override
    public Exchange receive(Exchange exchange) {
        return of(exchange).receive();
    }

    @Override
    public Exchange receiveNoWait(Exchange exchange) {
        return of(exchange).receiveNoWait();
    }

    @Override
    public Exchange receive(Exchange exchange, long timeout) {
        return of(exchange).receive(timeout);
    }

    @Override
    public Exchange receive() {
        return other.receive();
    }

    @Override
    public Exchange receiveNoWait() {
        return other.receiveNoWait();
    }

    @Override
    public Exchange receive(long timeout) {
        return other.receive(timeout);
    }

    @Override
    protected void doStart() throws Exception {
        ServiceHelper.startService(other);
    }

    @Override
    protected void doStop() throws Exception {
        synchronized (this) {
            ServiceHelper.stopAndShutdownService(own);
            own = null;
        }
        ServiceHelper.stopService(other);
    }
}
