package dev.caravan.camel.cloudevents;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.caravan.base.text.StoredJson;
import dev.caravan.base.text.TextFile;
import dev.caravan.camel.InvalidEventException;
import dev.caravan.camel.step.SentBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.apache.camel.Exchange;
import org.apache.camel.Message;

/**
 * The data of an event.
 *
 * @param body text or bytes; null for no data
 * @param contentType its media type; null without data
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EventData(Object body, String contentType) {
    private static final String JSON = "application/json";
    private static final String BYTES = "application/octet-stream";

    /** Accepts what Postgres accepts. */
    private static final JsonFactory PARSERS = StoredJson.factory();

    /** The body of a message. Without a content type, text is JSON, like the payload of a row, and bytes are {@code octet-stream}. */
    static EventData of(Message message) {
        Object body = body(message);
        if (body == null) {
            return new EventData(null, null);
        }
        String type = message.getHeader(Exchange.CONTENT_TYPE, String.class);
        if (type == null || type.isBlank()) {
            type = body instanceof String ? JSON : BYTES;
        }
        return new EventData(body, Attributes.valid("datacontenttype", type.strip()));
    }

    private static Object body(Message message) {
        Object body = SentBody.of(message.getExchange(), message.getBody());
        return body instanceof String ? body : SentBody.bytes(message.getExchange(), body);
    }

    /** In binary mode a receiver of such a type reads the whole event from the data, with an id and source of the writer of the row. */
    void requireNoEvent() {
        if (contentType != null && contentType.toLowerCase(Locale.ROOT).startsWith("application/cloudevents")) {
            throw new InvalidEventException(
                    "the content type of the data is that of an event in structured mode: correct the"
                            + " header Content-Type, or use cloud-event:structured");
        }
    }

    /** Appends the member of a JSON document; nothing if there is no data. */
    void appendTo(StringBuilder json) {
        if (body == null) {
            return;
        }
        if (isJson()) {
            json.append(",\"data\":").append(requireJson(text()));
        } else if (body instanceof String text) {
            json.append(",\"data\":");
            quote(json, text);
        } else {
            json.append(",\"data_base64\":\"")
                    .append(Base64.getEncoder().encodeToString((byte[]) body))
                    .append('"');
        }
    }

    static void quote(StringBuilder json, String text) {
        json.append('"');
        JsonStringEncoder.getInstance().quoteAsString(text, json);
        json.append('"');
    }

    private boolean isJson() {
        String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return type.equals(JSON) || type.equals("text/json") || type.endsWith("+json");
    }

    private String text() {
        if (body instanceof String text) {
            return text;
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap((byte[]) body))
                    .toString();
            return TextFile.unmarked(text);
        } catch (CharacterCodingException e) {
            throw notJson();
        }
    }

    /** Checks that a text is one JSON value. It becomes part of the document unchanged, with all digits of its numbers. */
    private String requireJson(String text) {
        try (JsonParser parser = PARSERS.createParser(text)) {
            if (parser.nextToken() != null) {
                parser.skipChildren();
                if (parser.nextToken() == null) {
                    return text;
                }
            }
        } catch (IOException e) { // its text contains a part of the body
            throw notJson();
        }
        throw notJson();
    }

    private InvalidEventException notJson() {
        return new InvalidEventException("the body of the event is not JSON, but its content type is " + contentType
                + ": correct the header Content-Type, or use cloud-event:binary");
    }
}
