package dev.caravan.camel.template;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.caravan.base.text.StoredJson;
import dev.caravan.camel.FieldException;
import dev.caravan.camel.guard.Part;
import dev.caravan.camel.step.SentBody;
import java.io.IOException;
import java.util.Collection;
import java.util.function.Supplier;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.util.function.Suppliers;

/** Reads the body of an exchange as JSON. Numbers keep all their digits. */
final class Payload {
    static final JsonMapper EXACT = StoredJson.payloadMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    static final String NAME = "the payload";

    private Payload() {}

    /** What people call the body in an error: an answer from outside is not the payload. */
    static String name(Exchange exchange) {
        return Part.hasAnswer(exchange) ? "the answer" : NAME;
    }

    private static String begin(Exchange exchange) {
        return name(exchange).replaceFirst("^t", "T");
    }

    /** The payload, parsed when it is first needed: a template that uses only headers does not require JSON. */
    static Supplier<JsonNode> lazy(Exchange exchange) {
        return Suppliers.memorize(() -> of(exchange));
    }

    /**
     * Returns the missing node for an empty body.
     *
     * @throws FieldException if the body is not JSON
     */
    static JsonNode of(Exchange exchange) {
        Object body = exchange.getMessage().getBody();
        if (body == null) {
            return MissingNode.getInstance();
        }
        try {
            return read(body, exchange);
        } catch (StreamConstraintsException e) { // it has no location
            throw new FieldException(begin(exchange) + " is nested too deeply for a template, or has too many values");
        } catch (JsonProcessingException e) { // its message contains a part of the payload
            throw new FieldException(kind(body, exchange) + ": error in " + place(e));
        } catch (IOException e) {
            throw new FieldException(begin(exchange) + " could not be read as JSON");
        }
    }

    static boolean isAbsent(JsonNode value) {
        return value.isMissingNode() || value.isNull();
    }

    /** Where JSON is wrong, without what it contains. */
    static String place(JsonProcessingException e) {
        JsonLocation place = e.getLocation();
        return place == null ? "its nesting" : "line " + place.getLineNr() + ", column " + place.getColumnNr();
    }

    private static String kind(Object body, Exchange exchange) {
        return body instanceof byte[] && !Part.hasAnswer(exchange)
                ? "The payload is binary, but a step of the route expects JSON"
                : begin(exchange) + " is not JSON";
    }

    private static JsonNode read(Object body, Exchange exchange) throws IOException {
        if (body instanceof JsonNode json) {
            return json;
        } else if (body instanceof byte[] bytes) {
            return EXACT.readTree(bytes);
        } else if (body instanceof Collection<?> batch && batch.stream().anyMatch(Message.class::isInstance)) {
            throw new IllegalStateException(
                    "The body is a batch, and a field belongs to one message. Put the step into a split, or remove batching");
        } else if (SentBody.isValue(body)) {
            return EXACT.valueToTree(body);
        }
        return EXACT.readTree(exchange.getMessage().getBody(String.class));
    }
}
