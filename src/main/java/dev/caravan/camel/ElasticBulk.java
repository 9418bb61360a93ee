package dev.caravan.camel;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.StoredJson;
import dev.caravan.camel.batch.BatchText;
import dev.caravan.camel.headers.OutboxConstants;
import java.util.List;
import java.util.Set;
import org.apache.camel.Exchange;
import org.apache.camel.Message;

/**
 * Steps before and after a {@code _bulk} request of Elasticsearch or OpenSearch. Each message is a version of the document with its
 * aggregate id. The version is the id in the outbox, so a repeat or an older message changes nothing.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class ElasticBulk {
    private static final ObjectMapper JSON = StoredJson.mapper().build();
    private static final String SENT = "CamelOutboxBulk";
    /** As in the error handling of the routes: a login without rights, or a blocked index, refuses every document. */
    private static final Set<Integer> OF_DESTINATION = Set.of(401, 403, 429, 503);
    /** No document is missing, but all of them: where indexes are not created by themselves, also for a delete. */
    private static final String NO_INDEX = "index_not_found_exception";

    /** Replaces the list of messages with the body of the request, and sets its content type. */
    public static String request(Exchange exchange) {
        MessageBatch batch = exchange.getMessage().getBody() instanceof MessageBatch remaining
                ? remaining
                : MessageBatch.of(exchange);
        exchange.setProperty(SENT, batch);
        exchange.getMessage().setHeader(Exchange.CONTENT_TYPE, "application/x-ndjson");
        StringBuilder lines = new StringBuilder();
        for (Message message : batch) {
            lines.append(action(actionFor(message), message)).append('\n');
            if (message.getBody() != null) {
                lines.append(BatchText.jsonLine(message)).append('\n');
            }
        }
        return lines.toString();
    }

    private static String actionFor(Message message) {
        return message.getBody() == null ? "delete" : "index";
    }

    private static ObjectNode action(String name, Message message) {
        ObjectNode action = JsonNodeFactory.instance.objectNode();
        action.putObject(name)
                .put("_id", message.getHeader(OutboxConstants.AGGREGATE_ID, String.class))
                .put("version", message.getHeader(OutboxConstants.POSITION, Long.class))
                .put("version_type", "external");
        return action;
    }

    /**
     * Reads the answer, and marks the messages that were refused.
     *
     * @throws IllegalStateException if the answer is one to another request; all messages are sent again
     */
    public static void answer(Exchange exchange) throws JsonProcessingException {
        List<Message> sent = exchange.getProperty(SENT, MessageBatch.class);
        JsonNode items =
                JSON.readTree(exchange.getMessage().getBody(String.class)).path("items");
        if (items.size() != sent.size()) {
            throw new IllegalStateException(
                    "The bulk request had " + Formatted.counted(sent.size(), "message") + ", but the answer has "
                            + Formatted.counted(items.size(), "item") + ": check that the request was sent to _bulk");
        }
        MessageBatch batch = MessageBatch.of(exchange);
        for (int i = 0; i < items.size(); i++) {
            requireAnswer(items.get(i), sent.get(i));
        }
        for (int i = 0; i < items.size(); i++) {
            mark(batch, sent.get(i), items.get(i).path(actionFor(sent.get(i))));
        }
    }

    /** An item names its action and document. Those of others would count messages as delivered that were not. */
    private static void requireAnswer(JsonNode item, Message message) {
        String action = actionFor(message);
        JsonNode result = item.path(action);
        String id = message.getHeader(OutboxConstants.AGGREGATE_ID, String.class);
        if (!result.isObject()
                || result.has("_id") && !result.path("_id").asText().equals(id)) {
            throw new IllegalStateException("The bulk request had the action " + action
                    + " for a document, but the answer has another action or document in its place");
        }
    }

    private static void mark(MessageBatch batch, Message message, JsonNode item) {
        int status = item.path("status").asInt();
        JsonNode error = item.path("error");
        boolean isAbsent = message.getBody() == null && status == 404 && !error.isObject();
        if (status / 100 == 2 || status == 409 || isAbsent) {
            return;
        }
        String reason = status + " " + error.path("type").asText() + ": "
                + error.path("reason").asText();
        if (OF_DESTINATION.contains(status) || error.path("type").asText().equals(NO_INDEX)) {
            batch.unavailable(message, reason);
        } else if (status / 100 == 4) {
            batch.dead(message, reason);
        } else {
            batch.failed(message, reason);
        }
    }
}
