package dev.caravan.camel.cloudevents;

import dev.caravan.camel.InvalidEventException;
import dev.caravan.camel.headers.OutboxConstants;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.camel.Message;

/** The attributes of an event, without the type of its data: names and values as in CloudEvents 1.0.2, section 3. */
final class Attributes {
    private static final Set<String> OF_THE_SPECIFICATION = Set.of(
            "id",
            "source",
            "specversion",
            "type",
            "datacontenttype",
            "dataschema",
            "subject",
            "time",
            "data",
            "partitionkey");

    private static final int LAST_YEAR = 9999;

    private Attributes() {}

    /**
     * The attributes of a message of the outbox.
     *
     * @param id null if the message has none
     * @param extensions names of more attributes by the names of their headers
     * @throws InvalidEventException if a value cannot be an attribute
     */
    static Map<String, String> of(Message message, String id, String source, Map<String, String> extensions) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("specversion", "1.0");
        require(attributes, "id", id);
        require(attributes, "source", source);
        require(attributes, "type", message.getHeader(OutboxConstants.TYPE, String.class));
        String key = message.getHeader(OutboxConstants.AGGREGATE_ID, String.class);
        put(attributes, "subject", key);
        put(attributes, "time", time(message.getHeader(OutboxConstants.CREATED_AT, String.class)));
        put(attributes, "partitionkey", key);
        extensions.forEach((header, name) -> put(attributes, name, message.getHeader(header, String.class)));
        return attributes;
    }

    private static void require(Map<String, String> attributes, String name, String value) {
        if (value == null || value.isEmpty()) {
            throw new InvalidEventException("the event has no attribute " + name + ", which CloudEvents requires");
        }
        put(attributes, name, value);
    }

    private static void put(Map<String, String> attributes, String name, String value) {
        if (value != null && !value.isEmpty()) {
            attributes.put(name, valid(name, value));
        }
    }

    /** @throws InvalidEventException if CloudEvents does not allow a character of the value */
    static String valid(String name, String value) {
        value.codePoints().filter(Attributes::isForbidden).findFirst().ifPresent(c -> {
            throw new InvalidEventException(String.format(
                    Locale.ROOT,
                    "the attribute %s of the event contains the character U+%04X, which CloudEvents does not allow",
                    name,
                    c));
        });
        return value;
    }

    private static boolean isForbidden(int c) {
        boolean isControl = c < 0x20 || c >= 0x7f && c <= 0x9f;
        boolean isNoCharacter = c >= 0xfdd0 && c <= 0xfdef || (c & 0xfffe) == 0xfffe;
        return isControl || isNoCharacter || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
    }

    /** The time if RFC 3339 can express it, which has years of four digits. */
    private static String time(String text) {
        try {
            int year = text == null ? -1 : OffsetDateTime.parse(text).getYear();
            return year >= 0 && year <= LAST_YEAR ? text : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    /**
     * The name of the extension attribute of a header.
     *
     * @throws IllegalArgumentException if no attribute can have such a name
     */
    static String extensionName(String header) {
        String name = header.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
        if (name.isEmpty() || OF_THE_SPECIFICATION.contains(name)) {
            String reason = name.isEmpty()
                    ? "its name has no letter or digit of ASCII"
                    : "CloudEvents defines the attribute '" + name + "'";
            throw new IllegalArgumentException("cloud-event: the header " + header
                    + " cannot become an extension attribute: " + reason + ", remove it from extensions");
        }
        return name;
    }
}
