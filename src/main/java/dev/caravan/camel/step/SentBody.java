package dev.caravan.camel.step;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.text.StoredJson;
import dev.caravan.camel.FieldException;
import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.headers.OutboxConstants;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.TypeConverter;
import org.apache.camel.support.ExchangeHelper;

/**
 * The text or bytes that a step sends for a body. A map, list, number or boolean, as {@code unmarshal}, {@code jsonpath} and {@code payload} make
 * them of JSON, is sent as the step {@code marshal} of {@code json} writes it. Java's text of it, such as {@code {a=1}}, is no JSON.
 */
public final class SentBody {
    private static final ObjectMapper EXACT = StoredJson.payloadMapper().build();

    private SentBody() {}

    /** Whether a value is one of JSON that is not yet text. */
    public static boolean isValue(Object body) {
        return body instanceof Map
                || body instanceof Collection && !(body instanceof MessageBatch)
                || body instanceof Number
                || body instanceof Boolean;
    }

    /**
     * The JSON of a value; any other body unchanged. Errors may quote the JSON, so it is removed from their texts.
     *
     * @throws FieldException if the value cannot be written as JSON
     */
    public static Object of(Exchange exchange, Object body) {
        if (!isValue(body)) {
            return body;
        }
        String json = json(exchange.getContext(), body);
        exchange.setProperty(OutboxConstants.SENT, json);
        return json;
    }

    /**
     * The body of the message of an exchange as text; null for null.
     *
     * @throws FieldException if it is bytes that are no text: replaced characters would be sent as if they were of the message
     */
    public static String text(Exchange exchange) {
        Object body = of(exchange, exchange.getMessage().getBody());
        return body instanceof String text ? text : text(exchange.getContext(), exchange, body);
    }

    /** A body that belongs to no exchange as text; null for null. */
    public static String text(CamelContext context, Object body) {
        return isValue(body) ? json(context, body) : text(context, null, body);
    }

    private static String text(CamelContext context, Exchange exchange, Object body) {
        if (body == null) {
            return null;
        }
        Charset charset = exchange == null ? StandardCharsets.UTF_8 : ExchangeHelper.getCharset(exchange);
        try {
            return charset.newDecoder()
                    .decode(ByteBuffer.wrap(bytes(context, exchange, body)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new FieldException("The bytes of the body are no text in " + charset
                    + " and would be damaged. Send them as bytes: file: without charset, outbox: with binary=true");
        }
    }

    /**
     * A body as bytes, a text in UTF-8; null for null.
     *
     * @throws IllegalArgumentException if Camel cannot convert it
     */
    public static byte[] bytes(Exchange exchange, Object body) {
        Object sent = of(exchange, body);
        if (sent instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        return sent == null || sent instanceof byte[] ? (byte[]) sent : bytes(exchange.getContext(), exchange, sent);
    }

    private static byte[] bytes(CamelContext context, Exchange exchange, Object body) {
        TypeConverter converter = context.getTypeConverter();
        byte[] bytes = converter.convertTo(byte[].class, exchange, body);
        if (bytes == null) {
            bytes = converter.convertTo(byte[].class, exchange, converter.convertTo(InputStream.class, exchange, body));
        }
        if (bytes == null) {
            throw refused(body);
        }
        return bytes;
    }

    private static String json(CamelContext context, Object value) {
        if (value instanceof Collection<?> list
                && list.stream().anyMatch(each -> each instanceof Message || each instanceof Exchange)) {
            throw refused(value);
        }
        ObjectMapper ofRoutes = context.getRegistry().findSingleByType(ObjectMapper.class);
        try {
            byte[] json =
                    (ofRoutes == null ? EXACT : ofRoutes).writeValueAsBytes(value); // text may keep half a character
            return new String(json, StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) { // its text may contain a part of the value
            throw new FieldException(
                    "The body cannot be written as JSON. It contains what JSON cannot have, such as half a"
                            + " character, or objects of Java: write it in a step before, for example with marshal: json");
        }
    }

    private static IllegalArgumentException refused(Object body) {
        return new IllegalArgumentException(
                "The body is of the class " + body.getClass().getName()
                        + ", which is neither text, bytes nor a value of JSON: convert it in a step before, for example with"
                        + " marshal: json");
    }
}
