package dev.caravan.outbox;

import dev.caravan.batch.BatchMessage;
import dev.caravan.batch.MessageBatch;
import dev.caravan.delivery.Delivery;
import dev.caravan.headers.OutboxConstants;
import dev.caravan.headers.RowHeaders;
import dev.caravan.text.IsoTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
        if (message.headers() != null) {
            ignored(message, RowHeaders.give(exchange, message.headers()));
        }
        content(in, delivery);
    }

    /** Fills the exchange with several messages, each with its own headers and body. */
    MessageBatch batch(Exchange exchange, List<Delivery> deliveries) throws IOException {
        List<BatchMessage> messages = new ArrayList<>(deliveries.size());
        for (Delivery delivery : deliveries) {
            BatchMessage in = new BatchMessage(exchange.getContext());
            if (delivery.message().headers() != null) {
                ignored(delivery.message(), in.setRowHeaders(delivery.message().headers()));
            }
            content(in, delivery);
            messages.add(in);
        }
        exchange.getMessage().setHeader(OutboxConstants.SUBSCRIPTION, subscription);
        MessageBatch batch = new MessageBatch(messages);
        batch.begin(exchange);
        return batch;
    }

    private void content(Message in, Delivery delivery) {
        var message = delivery.message();
        describe(in, message, time.text(message.createdAt()), subscription);
        in.setHeader(OutboxConstants.ATTEMPT, delivery.attempt());
        in.setHeader(KafkaConstants.KEY, message.key().id());
        in.setBody(message.body());
    }

    /** Sets the headers that describe a message, for its route and for the route {@code dead-letter}. */
    static void describe(Message in, dev.caravan.delivery.Message message, String createdAt, String subscription) {
        in.setHeader(OutboxConstants.ID, message.messageId().toString());
        in.setHeader(OutboxConstants.TYPE, message.type());
        in.setHeader(OutboxConstants.AGGREGATE_TYPE, message.key().type());
        in.setHeader(OutboxConstants.AGGREGATE_ID, message.key().id());
        in.setHeader(OutboxConstants.CREATED_AT, createdAt);
        in.setHeader(OutboxConstants.OUTBOX_ID, Long.toString(message.id()));
        in.setHeader(OutboxConstants.SUBSCRIPTION, subscription);
        in.setHeader(OutboxConstants.POSITION, message.id());
    }

    private void ignored(dev.caravan.delivery.Message message, List<String> reserved) {
        if (!reserved.isEmpty()) {
            ignored.of(message, reserved);
        }
    }
}
