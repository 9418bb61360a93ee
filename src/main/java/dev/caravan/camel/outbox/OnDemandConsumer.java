package dev.caravan.camel.outbox;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.guard.Part;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Result;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.camel.AsyncProcessor;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePattern;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.Processor;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.support.AsyncProcessorConverterHelper;
import org.apache.camel.support.DefaultConsumer;
import org.apache.camel.support.DefaultExchange;

/** Runs the route of a subscription for given messages, with the same exchanges and outcomes as in a relay. Stores nothing. */
public final class OnDemandConsumer extends DefaultConsumer {
    private final AsyncProcessor route;
    private final Envelope envelope;

    /**
     * The end of an attempt.
     *
     * @param results the result of each message; a relay would then compare it with those of other messages
     * @param together whether the attempt of several messages failed, and it is not known for which of them
     * @param repeat whether an idempotentConsumer recognized the message as a repeat
     */
    public record Attempted(List<Result> results, boolean together, boolean repeat) {}

    OnDemandConsumer(OutboxEndpoint endpoint, Processor processor) {
        super(endpoint, processor);
        route = AsyncProcessorConverterHelper.convert(processor);
        envelope = new Envelope(endpoint.getName(), endpoint.ignoredHeaders());
    }

    @Override
    public OutboxEndpoint getEndpoint() {
        return (OutboxEndpoint) super.getEndpoint();
    }

    @Override
    protected void doStart() throws Exception {
        getEndpoint().check(getRoute());
        super.doStart();
    }

    /** The settings of the lanes of this subscription. */
    public LaneSettings lane() {
        return getEndpoint().settings();
    }

    /**
     * Begins an attempt on this thread. A route with asynchronous steps completes the result on another thread.
     *
     * @param deliveries several only for a subscription with batching
     */
    public CompletableFuture<Attempted> attempt(List<Delivery> deliveries) {
        CompletableFuture<Attempted> ended = new CompletableFuture<>();
        Exchange exchange = createExchange(false);
        Part whole =
                Part.begin(exchange, deliveries.get(0).edit(), getEndpoint().mayEndEarly());
        MessageBatch batch = null;
        try {
            batch = fill(exchange, deliveries);
            MessageBatch sent = batch;
            route.process(exchange, doneSync -> ended.complete(attempted(exchange, whole, sent, deliveries)));
        } catch (Exception e) {
            exchange.setException(e);
            ended.complete(attempted(exchange, whole, batch, deliveries));
        }
        return ended;
    }

    /** Returns the batch, or null if the exchange has one message and not a list. */
    private MessageBatch fill(Exchange exchange, List<Delivery> deliveries) throws IOException {
        synchronized (envelope) {
            if (getEndpoint().getBatches().isBatching()) {
                return envelope.batch(exchange, deliveries);
            }
            envelope.fill(exchange, deliveries.get(0));
            return null;
        }
    }

    private static Attempted attempted(Exchange exchange, Part whole, MessageBatch batch, List<Delivery> deliveries) {
        try {
            boolean repeat = exchange.getProperty(ExchangePropertyKey.DUPLICATE_MESSAGE, false, Boolean.class);
            Faults faults = Faults.of(whole.fault(exchange), batch, deliveries.size());
            boolean together = faults.together() != null;
            List<Result> results = new ArrayList<>();
            for (int i = 0; i < deliveries.size(); i++) {
                results.add(AttemptResult.of(
                        together ? faults.together() : faults.each().get(i),
                        deliveries.get(i).message(),
                        SettingSecrets.of(exchange.getContext()),
                        true));
            }
            return new Attempted(results, together, repeat);
        } catch (RuntimeException e) {
            return new Attempted(Collections.nCopies(deliveries.size(), AttemptResult.unknown(e)), false, false);
        }
    }

    /** Sends a dead letter to the route {@code dead-letter}, if there is one. */
    public void deadLetter(Delivery delivery, Failure failure) throws IOException {
        Exchange exchange = new DefaultExchange(getEndpoint().getCamelContext(), ExchangePattern.InOnly);
        DeadLetterRoute.fill(
                exchange,
                new Change.Dead(delivery, delivery.attempt(), failure),
                getEndpoint().getName());
        try (ProducerTemplate template = getEndpoint().getCamelContext().createProducerTemplate()) {
            template.send(DeadLetterRoute.URI, exchange);
        }
    }
}
