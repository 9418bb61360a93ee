package dev.caravan.camel.outbox;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.camel.guard.Part;
import dev.caravan.camel.guard.Send;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.step.SentBody;
import dev.caravan.database.Sql;
import java.util.List;
import java.util.function.Consumer;
import org.apache.camel.Exchange;
import org.apache.camel.support.DefaultProducer;

/**
 * Appends the body as a message. Its message id is derived from the message in the route, the subscription, the name and type of the step,
 * the part of a split or multicast in which the step runs, and the number of its earlier runs there. A repeat of that message therefore
 * appends repeats with the same ids, not new messages. In a route that did not receive the message from an outbox, the id is random.
 */
final class OutboxProducer extends DefaultProducer {
    /** Headers of W3C Trace Context. */
    private static final List<String> TRACE_CONTEXT = List.of("traceparent", "tracestate");

    private final OutboxEndpoint endpoint;
    private final Consumer<Sql> database;

    /** @param database executes the statement that appends a message */
    OutboxProducer(OutboxEndpoint endpoint, Consumer<Sql> database) {
        super(endpoint);
        this.endpoint = endpoint;
        this.database = database;
    }

    @Override
    public void process(Exchange exchange) {
        AppendOptions options = endpoint.getAppended();
        requireAnswer(exchange);
        Send send = new Send(exchange, "outbox:" + endpoint.getName() + " " + options.getType());
        database.accept(endpoint.append()
                .with("message_id", send.uuid())
                .with(
                        "aggregate_type",
                        required(exchange, "aggregateType", options.getAggregateType(), OutboxConstants.AGGREGATE_TYPE))
                .with(
                        "aggregate_id",
                        required(exchange, "aggregateId", options.getAggregateId(), OutboxConstants.AGGREGATE_ID))
                .with("type", options.getType())
                .with("headers", trace(exchange))
                .with("payload", options.isBinary() ? null : SentBody.text(exchange))
                .with(
                        "payload_bytes",
                        options.isBinary()
                                ? SentBody.bytes(exchange, exchange.getMessage().getBody())
                                : null));
        send.succeeded();
    }

    /** A service that has answered nothing, as with 204, has not answered. */
    private void requireAnswer(Exchange exchange) {
        if (exchange.getMessage().getBody() == null && (Part.hasAnswer(exchange) || Part.hasEmptyAnswer(exchange))) {
            throw new IllegalArgumentException(
                    "Could not append a message with outbox:" + endpoint.getName()
                            + ": the answer of the service has no body. To append a message without an answer, set the body before");
        }
    }

    /** The headers that make deliveries of the appended message part of the trace of this message; null without a trace. */
    private static String trace(Exchange exchange) {
        ObjectNode headers = JsonNodeFactory.instance.objectNode();
        for (String name : TRACE_CONTEXT) {
            String value = exchange.getMessage().getHeader(name, String.class);
            if (value != null) {
                headers.put(name, value);
            }
        }
        return headers.isEmpty() ? null : headers.toString();
    }

    private String required(Exchange exchange, String option, String value, String header) {
        String found = value != null ? value : exchange.getMessage().getHeader(header, String.class);
        if (found == null) {
            throw new IllegalArgumentException("Could not append a message with outbox:" + endpoint.getName()
                    + ": set the option " + option + " or the header " + header);
        }
        return found;
    }
}
