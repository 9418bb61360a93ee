package dev.caravan.outbox;

import dev.caravan.batch.MessageBatch;
import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Failure;
import dev.caravan.delivery.Result;
import dev.caravan.delivery.RetryPolicy;
import dev.caravan.lane.Change;
import dev.caravan.route.Fault;
import dev.caravan.route.Part;
import java.io.IOException;
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

/** Runs the route of a subscription for messages that are given to it, with the exchanges and outcomes of a relay. Stores nothing. */
public final class OnDemandConsumer extends DefaultConsumer {
    private final AsyncProcessor route;
    private final Envelope envelope;

    /**
     * @param result the result of the attempt, before the relay compares it with those of other messages
     * @param repeat whether an idempotentConsumer recognised the message as a repeat
     */
    public record Attempted(Result result, boolean repeat) {}

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

    /** When the relay gives a message up, and how long it waits before. */
    public RetryPolicy retryPolicy() {
        return getEndpoint().loopSettings().lane().retry();
    }

    /** Begins an attempt on this thread. A route with asynchronous steps completes the result on another one. */
    public CompletableFuture<Attempted> attempt(Delivery delivery) {
        CompletableFuture<Attempted> ended = new CompletableFuture<>();
        Exchange exchange = createExchange(false);
        Part whole = Part.begin(exchange);
        try {
            fill(exchange, delivery);
            route.process(exchange, doneSync -> end(exchange, whole, delivery, ended));
        } catch (Exception e) {
            exchange.setException(e);
            end(exchange, whole, delivery, ended);
        }
        return ended;
    }

    private void fill(Exchange exchange, Delivery delivery) throws IOException {
        synchronized (envelope) {
            if (getEndpoint().isBatching()) {
                envelope.batch(exchange, List.of(delivery));
            } else {
                envelope.fill(exchange, delivery);
            }
        }
    }

    /** Why the message was not delivered; null if it was. A message of a batch may have failed on its own. */
    private static Fault fault(Exchange exchange, Part whole) {
        Fault own = exchange.getProperty(MessageBatch.PROPERTY) instanceof MessageBatch batch
                ? batch.faults().get(0)
                : null;
        return Fault.worse(own, whole.fault(exchange));
    }

    private static void end(Exchange exchange, Part whole, Delivery delivery, CompletableFuture<Attempted> ended) {
        try {
            Result result =
                    AttemptResult.of(fault(exchange, whole), delivery.message().body(), true);
            boolean repeat = exchange.getProperty(ExchangePropertyKey.DUPLICATE_MESSAGE, false, Boolean.class);
            ended.complete(new Attempted(result, repeat));
        } catch (RuntimeException e) {
            ended.complete(new Attempted(AttemptResult.unknown(e), false));
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
