package dev.caravan.camel.headers;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.caravan.base.text.StoredJson;
import dev.caravan.camel.FieldException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.apache.camel.Exchange;
import org.apache.camel.SafeCopyProperty;

/**
 * The column {@code headers} of a message. It is stored in a property of the exchange and its copies that steps of a route cannot
 * remove.
 */
public final class RowHeaders implements SafeCopyProperty {
    private static final String PROPERTY = "CamelOutboxRowHeaders";

    private static final JsonFactory JSON = StoredJson.factory();
    /** A message of 16 MB can have a million: they take many times that memory, in each step that copies them. */
    private static final int MOST = 10_000;

    /** By name, ignoring case. */
    private final Map<String, String> headers;

    private final List<String> reserved;

    /**
     * The headers of answers, which the route did not set either, by name in lower case. Values are compared by identity: the route may set
     * the same text, and nobody else decides then that it is not sent. Each with what the route had set instead; may be null.
     */
    private final Map<String, Map<Object, Object>> received = new ConcurrentHashMap<>(1);

    private RowHeaders(Map<String, String> headers, List<String> reserved) {
        this.headers = headers;
        this.reserved = reserved;
    }

    /** Those of a row that has none. */
    public static RowHeaders none() {
        return new RowHeaders(Map.of(), List.of());
    }

    /**
     * Sets the headers of the row on an exchange, except those with reserved names and those that are null.
     *
     * @param json the column, a JSON object
     * @return the reserved names that were left out
     * @throws FieldException if there are too many
     */
    public static List<String> setOn(Exchange exchange, String json) throws IOException {
        RowHeaders row = of(json);
        row.attachTo(exchange);
        row.passTo(exchange.getMessage()::setHeader);
        return row.reserved;
    }

    /** @param json the column, a JSON object */
    public static RowHeaders of(String json) throws IOException {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        List<String> reserved = read(json, headers::put);
        return new RowHeaders(headers, reserved);
    }

    /** The reserved names that were left out. */
    public List<String> reserved() {
        return reserved;
    }

    /** Stores them in an exchange, so that steps can distinguish them from headers that the route has set. */
    public void attachTo(Exchange exchange) {
        exchange.getExchangeExtension().setSafeCopyProperty(PROPERTY, this);
    }

    /** Passes each header to a consumer, except those with reserved names and those that are null. */
    public void passTo(BiConsumer<String, ? super String> use) {
        headers.forEach(use);
    }

    private static RowHeaders attachedTo(Exchange exchange) {
        return exchange == null
                ? null
                : exchange.getExchangeExtension().getSafeCopyProperty(PROPERTY, RowHeaders.class);
    }

    /** Whether the value of a header is from the row of the exchange, and not the same text that the route has set. */
    public static boolean has(Exchange exchange, String name, Object value) {
        RowHeaders row = attachedTo(exchange);
        return row != null && row.has(name, value);
    }

    private boolean has(String name, Object value) {
        return value != null && headers.get(name) == value;
    }

    /**
     * Records a header of an answer, unless the route has set the same: an echo does not change whose it is.
     *
     * @return whether the exchange has a message of the outbox
     */
    static boolean receive(Exchange exchange, String name, Object value) {
        RowHeaders row = attachedTo(exchange);
        if (row != null) {
            row.receive(name, exchange.getIn().getHeader(name), value);
        }
        return row != null;
    }

    private void receive(String name, Object before, Object value) {
        if (!Objects.equals(before, value) || has(name, before) || isReceived(name, before)) {
            Map<Object, Object> values = received.computeIfAbsent(
                    name.toLowerCase(Locale.ROOT), any -> Collections.synchronizedMap(new IdentityHashMap<>()));
            Object own = has(name, before) ? null : own(name, before);
            parts(value).forEach(each -> values.put(each, own));
        }
    }

    /** The value of a header, or what the route had set before an answer replaced it; may be null. */
    static Object own(Exchange exchange, String name, Object value) {
        RowHeaders row = attachedTo(exchange);
        return row == null ? value : row.own(name, value);
    }

    private Object own(String name, Object value) {
        Map<Object, Object> values = received.getOrDefault(name.toLowerCase(Locale.ROOT), Map.of());
        for (Object part : parts(value)) {
            if (part != null && values.containsKey(part)) {
                return values.get(part);
            }
        }
        return value;
    }

    /**
     * Records the headers of a message that a step has polled: it had an exchange of its own, without the row.
     *
     * @param before the headers before the step
     */
    public static void receiveAll(Exchange exchange, Map<String, Object> before) {
        RowHeaders row = attachedTo(exchange);
        if (row != null) {
            exchange.getMessage().getHeaders().forEach((name, value) -> {
                if (before.get(name) != value) {
                    row.receive(name, before.get(name), value);
                }
            });
        }
    }

    private static Collection<?> parts(Object value) {
        return value instanceof Collection<?> several ? several : Collections.singleton(value);
    }

    /** Whether the value of a header, or a part of it, is from an answer. */
    static boolean isReceived(Exchange exchange, String name, Object value) {
        RowHeaders row = attachedTo(exchange);
        return row != null && row.isReceived(name, value);
    }

    private boolean isReceived(String name, Object value) {
        Map<Object, Object> values = received.get(name.toLowerCase(Locale.ROOT));
        return values != null && parts(value).stream().anyMatch(values::containsKey);
    }

    /**
     * Detaches the row from an exchange while a step sends its own headers: one that it takes from the row would not be sent.
     *
     * @return the headers to {@link #attach} afterwards; may be null
     */
    public static RowHeaders detach(Exchange exchange) {
        RowHeaders row = attachedTo(exchange);
        attach(exchange, null);
        return row;
    }

    /** Reverts {@link #detach}. */
    public static void attach(Exchange exchange, RowHeaders row) {
        exchange.getExchangeExtension().setSafeCopyProperty(PROPERTY, row);
    }

    @Override
    public RowHeaders safeCopy() {
        return this;
    }

    private static List<String> read(String headers, BiConsumer<String, String> use) throws IOException {
        List<String> reserved = List.of();
        int count = 0;
        try (JsonParser json = JSON.createParser(headers)) {
            json.nextToken(); // a constraint allows only objects
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                if (++count > MOST) {
                    throw new FieldException("The message has more than " + MOST + " headers");
                }
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (ReservedNames.contains(name)) {
                    json.skipChildren();
                    reserved = with(name, reserved);
                } else if (value != JsonToken.VALUE_NULL) {
                    use.accept(name, text(json, value));
                }
            }
        }
        return reserved;
    }

    private static List<String> with(String name, List<String> names) {
        List<String> more = names.isEmpty() ? new ArrayList<>() : names;
        more.add(name);
        return more;
    }

    /** Numbers as text in their original notation. As numbers, Kafka and HTTP would send them in binary or drop them. */
    private static String text(JsonParser json, JsonToken value) throws IOException {
        return value.isStructStart() ? StoredJson.text(json) : json.getText();
    }
}
