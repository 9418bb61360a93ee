package dev.caravan.component;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.caravan.delivery.Delivery;
import dev.caravan.headers.ReservedNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.camel.Message;
import org.apache.camel.component.kafka.KafkaConstants;

/**
 * Fills what a route receives: the payload, the headers that describe the message, and the row's own headers, except those
 * with reserved names. For one thread.
 */
final class Envelope {
    /** Postgres writes numbers of up to 131,072 digits, and decimals keep every digit. */
    private static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNumberLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();

    private final String subscription;
    private final IgnoredHeaders ignored;
    private final IsoTime time = new IsoTime();

    /** @param ignored of the subscription, shared by its threads */
    Envelope(String subscription, IgnoredHeaders ignored) {
        this.subscription = subscription;
        this.ignored = ignored;
    }

    void fill(Message in, Delivery delivery) throws IOException {
        var message = delivery.message();
        if (message.headers() != null) {
            own(in, message);
        }
        describe(in, message, time.text(message.createdAt()), subscription);
        in.setHeader(OutboxConstants.ATTEMPT, delivery.attempt());
        in.setHeader(KafkaConstants.KEY, message.key().id());
        in.setBody(message.payload());
    }

    /** Sets the headers that describe a message, on its way and dead. */
    static void describe(Message in, dev.caravan.delivery.Message message, String createdAt, String subscription) {
        in.setHeader(OutboxConstants.ID, message.messageId().toString());
        in.setHeader(OutboxConstants.TYPE, message.type());
        in.setHeader(OutboxConstants.AGGREGATE_TYPE, message.key().type());
        in.setHeader(OutboxConstants.AGGREGATE_ID, message.key().id());
        in.setHeader(OutboxConstants.CREATED_AT, createdAt);
        in.setHeader(OutboxConstants.SUBSCRIPTION, subscription);
        in.setHeader(OutboxConstants.POSITION, message.id());
    }

    private void own(Message in, dev.caravan.delivery.Message message) throws IOException {
        List<String> reserved = List.of();
        try (JsonParser json = JSON.createParser(message.headers())) {
            json.nextToken(); // the table takes nothing but an object
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (ReservedNames.contains(name)) {
                    json.skipChildren();
                    reserved = with(name, reserved);
                } else {
                    in.setHeader(name, text(json, value));
                }
            }
        }
        if (!reserved.isEmpty()) {
            ignored.of(message, reserved);
        }
    }

    private static List<String> with(String name, List<String> names) {
        List<String> more = names.isEmpty() ? new ArrayList<>() : names;
        more.add(name);
        return more;
    }

    /** Values travel as text, numbers as they are spelled: Kafka and HTTP would send numbers in binary or drop what they do not know. */
    private static String text(JsonParser json, JsonToken value) throws IOException {
        return value.isStructStart() ? JSON.writeValueAsString(JSON.readTree(json)) : json.getText();
    }
}
