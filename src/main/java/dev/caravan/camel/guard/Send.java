package dev.caravan.camel.guard;

import dev.caravan.camel.headers.OutboxConstants;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;

/**
 * One send of a message by a step. A message may be sent several times: by several subscriptions and steps, and in parts. Each of these
 * sends has an id of its own, which is the same on every attempt that takes the same path through the route.
 */
public final class Send {
    private final Exchange exchange;
    private final String step;
    private final Part part;
    private final String place;
    private final String messageId;

    /**
     * The next send of a step.
     *
     * @param step what tells the step from others of its route; one object for all messages, because each part keeps it
     */
    public Send(Exchange exchange, String step) {
        this.exchange = exchange;
        this.step = step;
        part = Part.of(exchange);
        place = part == null ? "" : part.placeOfNext(step);
        messageId = exchange.getMessage().getHeader(OutboxConstants.ID, String.class);
    }

    /** The id for a receiver that drops repeats: the message id, and digits that are derived for this send. Null without a message id. */
    public String id() {
        return messageId == null ? null : messageId + "-" + uuid().toString().substring(24);
    }

    /** The id for a receiver of events: the message id; for parts and for further sends of the step {@link #id}. */
    public String eventId() {
        return place.isEmpty() ? messageId : id();
    }

    /** The id for a message that is appended. Random without a message id. */
    public UUID uuid() {
        if (messageId == null) {
            return UUID.randomUUID();
        }
        Endpoint from = exchange.getFromEndpoint(); // null for a dead letter
        String name = String.join(
                "\n",
                messageId,
                from == null ? "" : from.getEndpointBaseUri(),
                exchange.getMessage().getHeader(OutboxConstants.SUBSCRIPTION, "", String.class),
                step,
                place);
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }

    /** Records that it has succeeded. If Camel repeats a step that has failed, its id stays the same. */
    public void succeeded() {
        if (part != null) {
            part.sent(step);
        }
    }
}
