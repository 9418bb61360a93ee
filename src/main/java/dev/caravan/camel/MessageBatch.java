package dev.caravan.camel;

import dev.caravan.camel.batch.BatchMessage;
import dev.caravan.camel.batch.BatchText;
import dev.caravan.camel.batch.MessageFailedException;
import dev.caravan.camel.guard.Fault;
import dev.caravan.camel.guard.Part;
import dev.caravan.engine.schedule.Outcome;
import java.util.AbstractList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.camel.Exchange;
import org.apache.camel.Message;

/**
 * Several messages that a route delivers together: the body of an exchange of a subscription with {@code batching}. They are in the
 * order of the outbox. Steps can split it, send it to {@code kafka:}, or convert it, for example with {@code ${body.ndjson}}.
 *
 * <p>The route delivers all of them or fails. If it knows which ones failed, it calls {@link #failed} or {@link #dead} for them, and
 * the others count as delivered. Thread-safe as long as each message is used by one thread.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class MessageBatch extends AbstractList<Message> {
    /** The property of an exchange that contains the messages with which the exchange began. */
    public static final String PROPERTY = "CamelOutboxBatch";

    private final List<BatchMessage> messages;

    private MessageBatch(List<BatchMessage> messages) {
        this.messages = List.copyOf(messages);
    }

    /** Sets messages as the body of an exchange. */
    public static MessageBatch begin(Exchange exchange, List<BatchMessage> messages) {
        MessageBatch batch = new MessageBatch(messages);
        messages.forEach(message -> message.joins(batch));
        exchange.setProperty(PROPERTY, batch);
        Part.setBatch(exchange, batch);
        exchange.getMessage().setBody(batch);
        return batch;
    }

    /**
     * The messages with which an exchange began, also after a step has replaced the body.
     *
     * @throws IllegalArgumentException if it is not an exchange of a subscription with batching
     */
    public static MessageBatch of(Exchange exchange) {
        MessageBatch batch = exchange.getProperty(PROPERTY, MessageBatch.class);
        if (batch == null) {
            throw new IllegalArgumentException(
                    "The exchange has no batch: read its route from outbox: with the option batching=true");
        }
        return batch;
    }

    /** The messages, with their faults and the headers of their rows. */
    public List<BatchMessage> messages() {
        return messages;
    }

    @Override
    public Message get(int index) {
        return messages.get(index);
    }

    @Override
    public int size() {
        return messages.size();
    }

    /**
     * Records that the destination did not accept one of these messages. It is retried later, or becomes a dead letter after its last
     * attempt.
     *
     * @param reason what the destination answered; stored with the message and shown to people
     */
    public void failed(Message message, String reason) {
        fail(message, Outcome.RETRY, reason);
    }

    /** Records that the destination will never accept one of these messages: it becomes a dead letter. */
    public void dead(Message message, String reason) {
        fail(message, Outcome.DEAD, reason);
    }

    /** Records that the destination cannot accept one of these messages now: it waits, and this does not count as an attempt. */
    public void unavailable(Message message, String reason) {
        fail(message, Outcome.UNAVAILABLE, reason);
    }

    /** Like {@link #dead(Message, String)}, with an exception of a client. */
    public void dead(Message message, Exception error) {
        fail(message, Outcome.DEAD, error);
    }

    private void fail(Message message, Outcome outcome, String reason) {
        fail(message, outcome, new MessageFailedException(reason));
    }

    private void fail(Message message, Outcome outcome, Exception error) {
        if (!(message instanceof BatchMessage one) || messages.stream().noneMatch(each -> each == one)) {
            throw new IllegalArgumentException(
                    "The message is not one of this batch: pass a message of the list itself");
        }
        one.fail(new Fault(outcome, error, null, null, Collections.singletonList(one.getBody()), false));
    }

    /** Why each message failed on its own; null for those that did not. */
    public List<Fault> faults() {
        return messages.stream().map(BatchMessage::fault).toList();
    }

    /** The messages that have not failed on their own; this object if none has. */
    public MessageBatch remaining() {
        List<BatchMessage> remaining =
                messages.stream().filter(message -> message.fault() == null).toList();
        return remaining.size() == messages.size() ? this : new MessageBatch(remaining);
    }

    /** The bodies of the messages. */
    public List<Object> getBodies() {
        return messages.stream().map(Message::getBody).toList();
    }

    /** The bodies, which must be JSON, as a JSON array. An empty body is null. */
    public String getJson() {
        return BatchText.jsonArray(this);
    }

    /** The bodies, which must be JSON, one per line. An empty body is null. */
    public String getNdjson() {
        return BatchText.jsonLines(this);
    }

    /** The bodies as text, each followed by a line break. */
    public String getLines() {
        return BatchText.lines(this);
    }

    /**
     * A map for each message, for {@code sql:…?batch=true}: its headers, with underscores for dashes ({@code aggregate_id}), and
     * {@code body}.
     */
    public List<Map<String, Object>> getRows() {
        return messages.stream().map(BatchText::row).toList();
    }

    /** Shows no content. */
    @Override
    public String toString() {
        return "batch of " + size() + (size() == 1 ? " message" : " messages");
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
