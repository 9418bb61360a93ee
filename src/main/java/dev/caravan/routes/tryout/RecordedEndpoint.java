package dev.caravan.routes.tryout;

import dev.caravan.base.text.ErrorText;
import dev.caravan.camel.step.SentBody;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.Bytes;
import dev.caravan.routes.destination.Header;
import dev.caravan.routes.destination.OtherSent;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.camel.AsyncCallback;
import org.apache.camel.AsyncProducer;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.PollingConsumer;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.spi.HeaderFilterStrategy;
import org.apache.camel.spi.HeaderFilterStrategyAware;
import org.apache.camel.support.DefaultAsyncProducer;
import org.apache.camel.support.DefaultConsumer;
import org.apache.camel.support.DefaultEndpoint;
import org.apache.camel.support.service.ServiceHelper;
import org.apache.camel.util.function.ThrowingSupplier;

/** Replaces an endpoint of any component. Records what the route sends to it, and forwards it only if the dry run sends. */
final class RecordedEndpoint extends DefaultEndpoint {
    /** The prefix of headers that the relay sets for the route, and that no component reads. */
    private static final String OF_THE_RELAY = "CamelOutbox";

    private final Endpoint original;
    private final boolean polls;
    private final ThrowingSupplier<Producer, Exception> producers;

    private RecordedEndpoint(Endpoint original, boolean polls, ThrowingSupplier<Producer, Exception> producers) {
        super(original.getEndpointUri(), null);
        setCamelContext(original.getCamelContext());
        this.original = original;
        this.polls = polls;
        this.producers = producers;
    }

    static Endpoint of(Endpoint original, Recorder recorder) {
        return of(original, false, () -> new Recording(original, recorder));
    }

    /** @param polls whether a poll reads from the original endpoint */
    static Endpoint of(Endpoint original, boolean polls, ThrowingSupplier<Producer, Exception> producers) {
        return new RecordedEndpoint(original, polls, producers);
    }

    @Override
    protected String createEndpointUri() {
        return original.getEndpointUri();
    }

    @Override
    public boolean isSingleton() {
        return original.isSingleton();
    }

    @Override
    public Producer createProducer() throws Exception {
        return producers.get();
    }

    /** Never receives anything. */
    @Override
    public Consumer createConsumer(Processor processor) {
        return new DefaultConsumer(this, processor);
    }

    @Override
    public PollingConsumer createPollingConsumer() throws Exception {
        if (polls) {
            return original.createPollingConsumer();
        }
        throw new UnsupportedOperationException(
                "A dry run cannot replace pollEnrich from " + masked(original) + ": it is unknown what it would read");
    }

    private static String masked(Endpoint endpoint) {
        return ErrorText.sanitized(endpoint.getEndpointUri());
    }

    private static final class Recording extends DefaultAsyncProducer {
        private final Endpoint original;
        private final Recorder recorder;
        private final AsyncProducer real;

        private Recording(Endpoint original, Recorder recorder) throws Exception {
            super(original);
            this.original = original;
            this.recorder = recorder;
            real = recorder.sends() ? original.createAsyncProducer() : null;
        }

        @Override
        protected void doStart() throws Exception {
            super.doStart();
            ServiceHelper.startService(real);
        }

        @Override
        protected void doStop() throws Exception {
            ServiceHelper.stopService(real);
            super.doStop();
        }

        @Override
        public boolean process(Exchange exchange, AsyncCallback callback) {
            OtherSent sent = sent(original, exchange);
            if (real != null) {
                return real.process(exchange, doneSync -> {
                    recorder.sent(sent, answered(exchange));
                    callback.done(doneSync);
                });
            }
            Answer answer = recorder.answer(sent);
            if (answer.isFailure()) {
                exchange.setException(answer.failure());
            } else if (exchange.getPattern().isOutCapable() && !answer.body().isEmpty()) {
                exchange.getMessage().setBody(answer.body());
            }
            callback.done(true);
            return true;
        }
    }

    private static Answer answered(Exchange exchange) {
        Exception error = exchange.getException();
        return error == null
                ? Answer.OK
                : Answer.status(500).withDetail(error.getClass().getName() + ": " + error.getMessage());
    }

    private static OtherSent sent(Endpoint original, Exchange exchange) {
        Message message = exchange.getMessage();
        HeaderFilterStrategy filter =
                original instanceof HeaderFilterStrategyAware aware ? aware.getHeaderFilterStrategy() : null;
        List<Header> headers = new ArrayList<>();
        new TreeMap<>(message.getHeaders()).forEach((name, value) -> {
            boolean isInstruction = name.startsWith("Camel") && !name.startsWith(OF_THE_RELAY);
            boolean isFiltered = filter != null && filter.applyFilterToCamelHeaders(name, value, exchange);
            if (isInstruction || !isFiltered && !name.startsWith(OF_THE_RELAY)) {
                headers.add(Header.of(name, String.valueOf(value)));
            }
        });
        return new OtherSent(masked(original), headers, body(message));
    }

    private static Bytes body(Message message) {
        Object body = message.getBody();
        if (body == null) {
            return Bytes.EMPTY;
        }
        if (body instanceof byte[] bytes) {
            return new Bytes(bytes.clone());
        }
        if (body instanceof InputStream && !(body instanceof org.apache.camel.StreamCache)) {
            byte[] bytes = message.getBody(byte[].class);
            message.setBody(bytes); // a stream can be read once
            return new Bytes(bytes);
        }
        String text = SentBody.isValue(body) ? json(message) : message.getBody(String.class);
        if (body instanceof org.apache.camel.StreamCache stream) {
            stream.reset();
        }
        return Bytes.of(text == null ? String.valueOf(body) : text);
    }

    /** As a step sends a value of JSON; null for a value that only a step such as {@code sql:} can use. */
    private static String json(Message message) {
        try {
            return SentBody.text(message.getExchange().getContext(), message.getBody());
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
