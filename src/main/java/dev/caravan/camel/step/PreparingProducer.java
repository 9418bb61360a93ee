package dev.caravan.camel.step;

import dev.caravan.camel.guard.Send;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.headers.RowHeaders;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.Producer;
import org.apache.camel.support.DefaultProducer;
import org.apache.camel.support.service.ServiceHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a prepared message with the producer of another endpoint. Afterwards the message has its former headers and body, so that
 * further steps see the payload and not the answer, and steps that handle a failure do not see logins and what was sent. The body
 * that was sent is stored, so that an error text that quotes it is masked.
 */
public final class PreparingProducer extends DefaultProducer {
    private static final Logger LOG = LoggerFactory.getLogger(PreparingProducer.class);
    private static final String[] TRACE = {"traceparent", "tracestate"};

    /**
     * What is sent instead of a message.
     *
     * @param headers all headers, including those that control Camel's component
     * @param send its id is among the headers
     */
    public record Prepared(Map<String, Object> headers, Object body, Send send) {}

    /** Creates the headers and the body that are sent. */
    public interface Preparation {
        Prepared of(Exchange exchange) throws Exception;
    }

    private final Preparation preparation;
    private final Optional<OwnEndpoint> own;
    /** Null while this is closed and has an endpoint of its own. */
    private Producer sender;

    private boolean isOpen;
    /** Number of messages that are sent now. */
    private int running;

    /** Sends to an endpoint that other routes may use too. */
    public PreparingProducer(Endpoint endpoint, Endpoint shared, Preparation preparation) throws Exception {
        super(endpoint);
        this.preparation = preparation;
        own = Optional.empty();
        sender = delivering(shared);
    }

    /** Sends to an endpoint that is removed when this producer is stopped. */
    public PreparingProducer(Endpoint endpoint, OwnEndpoint own, Preparation preparation) throws Exception {
        super(endpoint);
        this.preparation = preparation;
        this.own = Optional.of(own);
        sender = delivering(own.open());
    }

    private static Producer delivering(Endpoint endpoint) throws Exception {
        return endpoint instanceof OutboxDelivery delivery ? delivery.createDelivery() : endpoint.createProducer();
    }

    @Override
    public void process(Exchange exchange) throws Exception {
        Message message = exchange.getMessage();
        Object body = message.getBody();
        Map<String, Object> headers = message.getHeaders();
        Prepared prepared = preparation.of(exchange);
        message.setBody(prepared.body());
        message.setHeaders(withTrace(headers, prepared.headers(), exchange));
        RowHeaders row = RowHeaders.detach(exchange);
        Object packing = exchange.getProperty(Exchange.SKIP_GZIP_ENCODING);
        exchange.setProperty(Exchange.SKIP_GZIP_ENCODING, true); // what is prepared, and signed, is sent as it is
        Producer used = acquire();
        try {
            used.process(exchange);
            if (exchange.getException() == null) {
                prepared.send().succeeded();
            }
        } finally {
            release();
            RowHeaders.attach(exchange, row);
            exchange.setProperty(Exchange.SKIP_GZIP_ENCODING, packing);
            exchange.setProperty(OutboxConstants.SENT, prepared.body());
            exchange.getMessage().setBody(body);
            exchange.getMessage().setHeaders(headers);
        }
    }

    private static Map<String, Object> withTrace(
            Map<String, Object> from, Map<String, Object> prepared, Exchange exchange) {
        Map<String, Object> headers = exchange.getContext()
                .getCamelContextExtension()
                .getHeadersMapFactory()
                .newMap(new HashMap<>(prepared));
        for (String name : TRACE) {
            Object value = from.get(name);
            if (value != null) {
                headers.put(name, value);
            }
        }
        return headers;
    }

    @Override
    protected synchronized void doStart() throws Exception {
        super.doStart();
        openSender();
    }

    /** Camel stops the producers of computed addresses that it did not use for long, also while one of them sends. */
    @Override
    protected synchronized void doStop() throws Exception {
        if (running == 0) {
            closeSender();
        }
        super.doStop();
    }

    private synchronized Producer acquire() throws Exception {
        openSender();
        running++;
        return sender;
    }

    private synchronized void release() {
        running--;
        if (running == 0 && !isStarted()) {
            try {
                closeSender();
            } catch (Exception e) {
                LOG.debug("Could not close {}", sender, e); // the message is sent
            }
        }
    }

    private void openSender() throws Exception {
        if (sender == null) {
            sender = delivering(own.orElseThrow().open());
        }
        if (!isOpen) {
            ServiceHelper.startService(sender);
            isOpen = true;
        }
    }

    private void closeSender() throws Exception {
        ServiceHelper.stopService(sender);
        isOpen = false;
        if (own.isPresent()) {
            own.get().close();
            sender = null;
        }
    }
}
