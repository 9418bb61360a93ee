package dev.caravan.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A value of a JSON document that changed.
 *
 * @param path where it is, for example {@code payload.lines[2].price}
 * @param from the value before; missing when there was none
 * @param to the value now; the same as before when the whole document is only written differently
 */
public record JsonDifference(String path, JsonNode from, JsonNode to) {
    private static final JsonMapper JSON = JsonMapper.builder(MessageLine.JSON)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /** One for each changed value; empty when both documents are written alike. */
    static List<JsonDifference> between(String name, Optional<String> before, Optional<String> after) {
        if (before.equals(after)) {
            return List.of();
        }
        List<JsonDifference> found = new ArrayList<>();
        compare(name, tree(before), tree(after), found);
        return found.isEmpty() ? List.of(new JsonDifference(name, tree(before), tree(after))) : found;
    }

    /** The same value, written differently. */
    public boolean isOnlyWriting() {
        return from.equals(to);
    }

    /** Whether a value says the same as a document, however that is written. */
    public static boolean isSame(JsonNode value, Optional<String> document) {
        JsonNode before = tree(document);
        return before.isMissingNode() ? value.isNull() : before.equals(tree(Optional.of(value.toString())));
    }

    private static JsonNode tree(Optional<String> text) {
        try {
            return text.isEmpty() ? MissingNode.getInstance() : JSON.readTree(text.get());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e); // both were read as JSON before
        }
    }

    private static void compare(String path, JsonNode before, JsonNode after, List<JsonDifference> found) {
        if (before.isObject() && after.isObject()) {
            Set<String> fields = new LinkedHashSet<>();
            before.fieldNames().forEachRemaining(fields::add);
            after.fieldNames().forEachRemaining(fields::add);
            fields.forEach(field -> compare(path + "." + field, before.path(field), after.path(field), found));
        } else if (before.isArray() && after.isArray()) {
            for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
                compare(path + "[" + i + "]", before.path(i), after.path(i), found);
            }
        } else if (!before.equals(after)) {
            found.add(new JsonDifference(path, before, after));
        }
    }
}
