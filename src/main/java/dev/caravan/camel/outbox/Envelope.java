package dev.caravan.camel.outbox;

import dev.caravan.base.text.IsoTime;
import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.batch.BatchMessage;
import dev.caravan.camel.guard.Part;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.headers.RowHeaders;
import dev.caravan.engine.schedule.Delivery;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.component.kafka.KafkaConstants;

/**
 * Fills the exchange that a route receives: the payload, the headers that describe the message, and the headers of the row,
 * except those with reserved names. Not thread-safe.
 */
final class Envelope {
    private final String subscription;
    private final IgnoredHeaders ignored;
    private final IsoTime time = new IsoTime();

    /** @param ignored shared by the threads of the subscription */
    Envelope(String subscription, IgnoredHeaders ignored) {
        this.subscription = subscription;
        this.ignored = ignored;
    }

    void fill(Exchange exchange, Delivery delivery) throws IOException {
        Message in = exchange.getMessage();
        var message = delivery.message();
        if (message.headers() == null) {
            RowHeaders.none().attachTo(exchange);
        } else {
            logIgnored(message, RowHeaders.setOn(exchange, message.headers()));
        }
        headers(in::setHeader, message, time.text(message.createdAt()), delivery.attempt());
        in.setBody(message.body());
        Part.setPayload(exchange, message.body());
    }

    /** Fills the exchange with several messages, each with its own headers and body. */
    MessageBatch batch(Exchange exchange, List<Delivery> deliveries) throws IOException {
        List<BatchMessage> messages = new ArrayList<>(deliveries.size());
        for (Delivery delivery : deliveries) {
            var message = delivery.message();
            String createdAt = time.text(message.createdAt());
            int attempt = delivery.attempt();
            BatchMessage in = new BatchMessage(
                    exchange.getContext(), message.key(), header -> headers(header, message, createdAt, attempt));
            if (message.headers() != null) {
                logIgnored(message, in.setRowHeaders(message.headers()));
            }
            in.setBody(message.body());
            messages.add(in);
        }
        exchange.getMessage().setHeader(OutboxConstants.SUBSCRIPTION, subscription);
        RowHeaders.none().attachTo(exchange);
        return MessageBatch.begin(exchange, messages);
    }

    private void headers(
            BiConsumer<String, Object> header,
            dev.caravan.base.message.Message message,
            String createdAt,
            int attempt) {
        describe(header, message, createdAt, subscription);
        header.accept(OutboxConstants.ATTEMPT, attempt);
        header.accept(KafkaConstants.KEY, message.key().id());
    }

    /** Sets the headers that describe a message, for its route and for the route {@code dead-letter}. */
    static void describe(
            BiConsumer<String, Object> header,
            dev.caravan.base.message.Message message,
            String createdAt,
            String subscription) {
        header.accept(OutboxConstants.ID, message.messageId().toString());
        header.accept(OutboxConstants.TYPE, message.type());
        header.accept(OutboxConstants.AGGREGATE_TYPE, message.key().type());
        header.accept(OutboxConstants.AGGREGATE_ID, message.key().id());
        header.accept(OutboxConstants.CREATED_AT, createdAt);
        header.accept(OutboxConstants.OUTBOX_ID, Long.toString(message.id()));
        header.accept(OutboxConstants.SUBSCRIPTION, subscription);
        header.accept(OutboxConstants.POSITION, message.id());
    }

    private void logIgnored(dev.caravan.base.message.Message message, List<String> reserved) {
        if (!reserved.isEmpty()) {
            ignored.log(message, reserved);
        }
    }
}
