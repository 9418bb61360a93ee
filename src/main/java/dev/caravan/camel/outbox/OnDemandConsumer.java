package dev.caravan.camel.outbox;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.guard.Fault;
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
import org.apache.camel.model.RouteDefinition;
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
        if (getRoute() != null && getRoute().getRoute() instanceof RouteDefinition definition) {
            var problems = getEndpoint().problems(definition);
            if (!problems.isEmpty()) {
                throw new IllegalArgumentException(
                        "outbox:" + getEndpoint().getName() + ": " + String.join("; ", problems));
            }
        }
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
        Part whole = Part.begin(exchange, getEndpoint().mayEndEarly());
        try {
            fill(exchange, deliveries);
            route.process(exchange, doneSync -> end(exchange, whole, deliveries, ended));
        } catch (Exception e) {
            exchange.setException(e);
            end(exchange, whole, deliveries, ended);
        }
        return ended;
    }

    private void fill(Exchange exchange, List<Delivery> deliveries) throws IOException {
        synchronized (envelope) {
            if (getEndpoint().getBatches().isBatching()) {
                envelope.batch(exchange, deliveries);
            } else {
                envelope.fill(exchange, deliveries.get(0));
            }
        }
    }

    private static void end(
            Exchange exchange, Part whole, List<Delivery> deliveries, CompletableFuture<Attempted> ended) {
        try {
            boolean repeat = exchange.getProperty(ExchangePropertyKey.DUPLICATE_MESSAGE, false, Boolean.class);
            Fault fault = whole.fault(exchange);
            List<Fault> own = exchange.getProperty(MessageBatch.PROPERTY) instanceof MessageBatch batch
                    ? batch.faults()
                    : Collections.nCopies(deliveries.size(), null);
            boolean together = deliveries.size() > 1 && fault != null && own.contains(null);
            List<Result> results = new ArrayList<>();
            for (int i = 0; i < deliveries.size(); i++) {
                Fault ofMessage =
                        together ? fault : deliveries.size() > 1 ? own.get(i) : Fault.decisive(own.get(i), fault);
                results.add(
                        AttemptResult.of(ofMessage, deliveries.get(i).message().body(), true));
            }
            ended.complete(new Attempted(results, together, repeat));
        } catch (RuntimeException e) {
            ended.complete(
                    new Attempted(Collections.nCopies(deliveries.size(), AttemptResult.unknown(e)), false, false));
        }
    }

    /** Sends a dead letter to the route {@code dead-letter}, if there is one. */
    public void deadLetter(Delivery delivery, Failure failure) throws IOException {
        Exchange exchange = new DefaultExchange(getEndpoint().getCamelContext(), ExchangePattern.InOnly);
        DeadLetterRoute.fill(
                exchange.getMessage(),
                new Change.Dead(delivery, delivery.attempt(), failure),
                getEndpoint().getName());
        try (ProducerTemplate template = getEndpoint().getCamelContext().createProducerTemplate()) {
            template.send(DeadLetterRoute.URI, exchange);
        }
    }
}
