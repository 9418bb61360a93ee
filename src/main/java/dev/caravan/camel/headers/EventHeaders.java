package dev.caravan.camel.headers;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.apache.camel.Exchange;
import org.apache.camel.Message;

/**
 * The headers of a CloudEvents event in binary mode. A message has the headers of both bindings, {@code ce_} for Kafka and {@code ce-}
 * for HTTP, and each endpoint sends only its own.
 */
public final class EventHeaders {
    static final String KAFKA = "ce_";
    static final String HTTP = "ce-";

    private static final String PROPERTY = "CamelOutboxCloudEvent";

    private EventHeaders() {}

    /** Removes headers with these prefixes, so that a row cannot add an attribute. */
    public static void clear(Exchange exchange) {
        Message message = exchange.getMessage();
        List<String> names = message.getHeaders().keySet().stream()
                .filter(EventHeaders::contain)
                .toList();
        names.forEach(message::removeHeader);
        exchange.setProperty(PROPERTY, true);
    }

    /** Sets an attribute. For HTTP it is percent-encoded as in the HTTP binding of CloudEvents (1.0.2, section 3.1.3.2). */
    public static void set(Exchange exchange, String attribute, String value) {
        exchange.getMessage().setHeader(KAFKA + attribute, value);
        exchange.getMessage().setHeader(HTTP + attribute, encoded(value));
    }

    /** Encodes the whole value including percent signs, so that decoding returns the original text. */
    static String encoded(String value) {
        StringBuilder encoded = new StringBuilder(value.length() * 2);
        HexFormat hex = HexFormat.of().withUpperCase();
        for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
            if (b > ' ' && b <= '~' && b != '"' && b != '%') {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(hex.toHexDigits(b));
            }
        }
        return encoded.toString();
    }

    /** Whether a header belongs to an event in another binding. */
    static boolean isForeign(String prefix, String name, Exchange exchange) {
        return isOf(prefix, name) && exchange != null && has(exchange);
    }

    /** Whether the message of an exchange is an event. */
    static boolean has(Exchange exchange) {
        return exchange.getProperty(PROPERTY) != null;
    }

    /** Whether a header is one of an event. */
    public static boolean contain(String name) {
        return isOf(KAFKA, name) || isOf(HTTP, name);
    }

    private static boolean isOf(String prefix, String name) {
        return name.regionMatches(true, 0, prefix, 0, prefix.length());
    }
}
