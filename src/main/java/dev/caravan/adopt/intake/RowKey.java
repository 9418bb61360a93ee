package dev.caravan.adopt.intake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DecimalNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.caravan.base.message.Json;
import dev.caravan.base.text.StoredJson;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The key of a row in the source. It can be stored as JSON and be bound again by another relay: the same column has the same value with each driver.
 *
 * @param values one for each column of the key, none null: String, Long, BigDecimal, Boolean, byte[] or UUID. Whole numbers are a Long if they fit
 */
public record RowKey(List<Object> values) {
    private static final String BYTES = "bytes";
    private static final String UUID_TEXT = "uuid";
    /** A text that jsonb cannot store: it contains the character 0 or half of a character. */
    private static final String UTF_16 = "utf16";
    /** More than any database has but those that know 1e999999999, whose zeros need more than the memory. */
    private static final int MOST_ZEROS = 200_000;

    public RowKey(List<Object> values) {
        this.values = values.stream()
                .map(value -> value instanceof Number number ? Value.number(number) : value)
                .toList();
    }

    /** The key as a JSON array, without line breaks. */
    public String json() {
        return StoredJson.text(tree());
    }

    private ArrayNode tree() {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        for (Object value : values) {
            if (value instanceof Long number) {
                array.add(number);
            } else if (value instanceof BigDecimal number) {
                array.add(DecimalNode.valueOf(number)); // with its zeros at the end
            } else if (value instanceof Boolean flag) {
                array.add(flag);
            } else if (value instanceof byte[] bytes) {
                array.addObject().put(BYTES, Base64.getEncoder().encodeToString(bytes));
            } else if (value instanceof UUID uuid) {
                array.addObject().put(UUID_TEXT, uuid.toString());
            } else if (Texts.problem((String) value).isEmpty()) {
                array.add((String) value);
            } else {
                byte[] bytes = bytes((String) value);
                array.addObject().put(UTF_16, Base64.getEncoder().encodeToString(bytes));
            }
        }
        return array;
    }

    private static byte[] bytes(String text) {
        ByteBuffer bytes = ByteBuffer.allocate(text.length() * Character.BYTES);
        bytes.asCharBuffer().put(text);
        return bytes.array();
    }

    /** The key of which {@link #json} was stored. */
    public static RowKey of(String json) {
        return of(Json.read(json));
    }

    /** The key of which {@link #json} was stored, as a tree. */
    public static RowKey of(JsonNode array) {
        List<Object> values = new ArrayList<>();
        array.forEach(each -> values.add(value(each)));
        return new RowKey(values);
    }

    private static Object value(JsonNode value) {
        if (value.isTextual()) {
            return value.textValue();
        }
        if (value.isBoolean()) {
            return value.booleanValue();
        }
        if (value.isNumber()) {
            return value.decimalValue();
        }
        if (value.has(UUID_TEXT)) {
            return UUID.fromString(value.get(UUID_TEXT).textValue());
        }
        if (value.has(BYTES)) {
            return Base64.getDecoder().decode(value.get(BYTES).textValue());
        }
        if (value.has(UTF_16)) {
            byte[] bytes = Base64.getDecoder().decode(value.get(UTF_16).textValue());
            return ByteBuffer.wrap(bytes).asCharBuffer().toString();
        }
        throw new IllegalArgumentException("is not a key of a row: " + value);
    }

    /** The key for people, and as the aggregate id of its dead letter: the values with commas, at most 900 bytes, without characters that Postgres cannot store. */
    public String text() {
        String text = values.stream().map(RowKey::text).collect(Collectors.joining(","));
        return Texts.bounded(Texts.storable(text), 900);
    }

    /** The text of one value: the same for each driver of a database. */
    static String text(Object value) {
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        return value instanceof BigDecimal number && Math.abs((long) number.scale()) <= MOST_ZEROS
                ? number.toPlainString()
                : String.valueOf(value);
    }

    /** The message id of a row without an id: the same for each relay and each driver, if texts have no blanks with which a column pads them. */
    UUID messageId(String intake) {
        String text = values.size() == 1
                ? text(values.get(0))
                : Json.line(values.stream().map(RowKey::text).toList());
        return messageId(intake, text);
    }

    static UUID messageId(String intake, String text) {
        return UUID.nameUUIDFromBytes((intake + "/" + text).getBytes(StandardCharsets.UTF_8));
    }

    /** Keys are equal if they are stored as the same JSON. */
    @Override
    public boolean equals(Object other) {
        return other instanceof RowKey key
                && Arrays.deepEquals(values.toArray(), key.values.toArray()); // also the content of bytes
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(values.toArray());
    }

    @Override
    public String toString() {
        return json();
    }
}
