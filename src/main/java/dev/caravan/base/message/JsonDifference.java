package dev.caravan.base.message;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.caravan.base.text.StoredJson;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A difference between two versions of a JSON document.
 *
 * @param path path of the value, for example {@code payload.lines[2].price}
 * @param from the old value; a missing node when there was none
 * @param to the new value; equal to the old one when only the notation of the document differs
 */
public record JsonDifference(String path, JsonNode from, JsonNode to) {
    /** Does not remove zeros at the end of a number, which takes time with the square of their number: equal numbers are equal with them. */
    private static final JsonMapper JSON = StoredJson.mapper().build();

    /** One difference for each changed value; empty when both documents have the same text. */
    static List<JsonDifference> between(String name, Optional<String> before, Optional<String> after) {
        if (before.equals(after)) {
            return List.of();
        }
        List<JsonDifference> found = new ArrayList<>();
        compare(name, tree(before), tree(after), found);
        return found.isEmpty() ? List.of(new JsonDifference(name, tree(before), tree(after))) : found;
    }

    /** The difference of two binary payloads, whose values are Base64 in JSON; empty when they are equal. */
    static List<JsonDifference> betweenBytes(String name, Optional<byte[]> before, Optional<byte[]> after) {
        JsonNode from = node(before);
        JsonNode to = node(after);
        return from.equals(to) ? List.of() : List.of(new JsonDifference(name, from, to));
    }

    private static JsonNode node(Optional<byte[]> bytes) {
        return bytes.<JsonNode>map(BinaryNode::valueOf).orElse(MissingNode.getInstance());
    }

    /** Whether only the notation differs. */
    public boolean isOnlyNotation() {
        return from.equals(to);
    }

    /** Whether a value equals a document, ignoring notation. */
    public static boolean isSame(JsonNode value, Optional<String> document) {
        JsonNode before = tree(document);
        return before.isMissingNode() ? value.isNull() : before.equals(tree(Optional.of(StoredJson.text(value))));
    }

    private static JsonNode tree(Optional<String> text) {
        try {
            return text.isEmpty() ? MissingNode.getInstance() : JSON.readTree(text.get());
        } catch (JsonProcessingException e) {
            return TextNode.valueOf(
                    text.get()); // Java has no such number, or no stack for the depth: compared as a whole
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
