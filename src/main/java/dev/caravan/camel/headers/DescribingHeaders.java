package dev.caravan.camel.headers;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.camel.Exchange;
import org.apache.camel.component.kafka.KafkaConstants;

/**
 * The headers of a message that say which message it is and how the next step sends it: its id, type and key, those of Kafka and of a
 * CloudEvent, its trace, and logins. Only the route changes them. An answer could otherwise send the message with another id, or to another topic.
 */
public final class DescribingHeaders {
    /** With the key of an answer, the next receiver could take the message for a repeat. */
    private static final String IDEMPOTENCY_KEY = "Idempotency-Key";

    private static final Set<String> OF_A_TRACE = Set.of("traceparent", "tracestate");

    /** A mail does not use those of an answer, and would go to the recipients of its endpoint without those of the route. */
    private static final Set<String> OF_MAIL = Set.of("to", "cc", "bcc", "from", "reply-to");

    private final Map<String, Object> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    /** Those of the row. An answer does not replace one: the next step may compute its address with it. */
    private final Map<String, Object> ofRow = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    private final boolean isEvent;

    private DescribingHeaders(Exchange exchange) {
        isEvent = EventHeaders.has(exchange);
        exchange.getMessage().getHeaders().forEach((name, value) -> {
            if (describes(name) || isOfMail(name) || ReservedNames.isOfALogin(name)) {
                values.put(name, value);
            } else if (RowHeaders.has(exchange, name, value) && !isOfBody(name)) {
                ofRow.put(name, value);
            }
        });
    }

    /** Those that an exchange has now. */
    public static DescribingHeaders of(Exchange exchange) {
        return new DescribingHeaders(exchange);
    }

    /** Sets them again on an exchange, and removes others. */
    public void restore(Exchange exchange) {
        Map<String, Object> headers = exchange.getMessage().getHeaders();
        List<String> changed = headers.keySet().stream()
                .filter(name -> describes(name) || values.containsKey(name))
                .toList();
        changed.forEach(
                headers::remove); // also those that return, because an answer may spell their names in another case
        headers.putAll(values);
        ofRow.forEach((name, value) -> {
            if (RowHeaders.isReceived(exchange, name, headers.get(name))) {
                headers.remove(name); // an answer may spell it in another case
                headers.put(name, value);
            }
        });
    }

    /** Whether a header of this name describes a body: that of an answer replaces that of the message. */
    static boolean isOfBody(String name) {
        return name.toLowerCase(Locale.ROOT).startsWith("content-");
    }

    private static boolean isOfMail(String name) {
        return OF_MAIL.contains(name.toLowerCase(Locale.ROOT));
    }

    private boolean describes(String name) {
        String plain = name.toLowerCase(Locale.ROOT);
        return ReservedNames.isOfTheOutbox(name)
                || isEvent && EventHeaders.contain(name)
                || name.equalsIgnoreCase(IDEMPOTENCY_KEY)
                || OF_A_TRACE.contains(plain)
                || plain.startsWith("cameloutbox")
                || (plain.startsWith("kafka.") || plain.startsWith("camelkafka"))
                        && !KafkaHeaderNames.same(name, KafkaConstants.KAFKA_RECORD_META);
    }
}
