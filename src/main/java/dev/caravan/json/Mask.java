package dev.caravan.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.caravan.text.StoredJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Hides the values of fields with given names, at any depth of a document. */
public final class Mask {
    /** The replacement for a hidden value. */
    public static final String HIDDEN = "•••";

    private static final JsonMapper JSON = StoredJson.mapper().build();
    /** Stands for a document that is nested too deeply to be searched. */
    private static final JsonNode TOO_DEEP = TextNode.valueOf(HIDDEN);

    private final Set<String> names;

    private Mask(Set<String> names) {
        this.names = names;
    }

    /** @param names field names separated by commas, ignoring case; an empty text hides nothing */
    public static Mask of(String names) {
        return new Mask(Arrays.stream(names.split(","))
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet()));
    }

    /** The document with values hidden; unchanged text when it has nothing to hide. */
    public String hide(String document) {
        JsonNode tree = read(document);
        return tree == TOO_DEEP || hide(tree) ? StoredJson.text(tree) : document;
    }

    /** The texts and numbers that a document hides, to hide them in other texts too. */
    public List<String> hiddenValues(String document) {
        List<String> values = new ArrayList<>();
        hiddenValues(read(document), false, values);
        return values;
    }

    private void hiddenValues(JsonNode node, boolean hidden, List<String> values) {
        if (node.isValueNode()) {
            if (hidden && !node.isNull() && !node.asText().isEmpty()) {
                values.add(node.asText());
            }
        } else if (node instanceof ObjectNode object) {
            fieldNames(object).forEach(name -> hiddenValues(object.get(name), hidden || hides(name), values));
        } else {
            node.forEach(element -> hiddenValues(element, hidden, values));
        }
    }

    /** Hides values in this document, and returns it. */
    public JsonNode hidden(JsonNode value) {
        hide(value);
        return value;
    }

    /** Whether a path such as {@code payload.lines[2].phone} contains a hidden field. */
    public boolean hidesPath(String path) {
        String lower = path.toLowerCase(Locale.ROOT);
        return names.stream().anyMatch(name -> Pattern.compile("[.\\]]" + Pattern.quote(name) + "(?:$|[.\\[])")
                .matcher(lower)
                .find());
    }

    private boolean hide(JsonNode node) {
        boolean hidden = false;
        if (node instanceof ObjectNode object) {
            for (String name : fieldNames(object)) {
                if (!hides(name)) {
                    hidden |= hide(object.get(name));
                } else if (!object.get(name).isNull()) {
                    object.put(name, HIDDEN);
                    hidden = true;
                }
            }
        } else {
            for (JsonNode element : node) {
                hidden |= hide(element);
            }
        }
        return hidden;
    }

    /**
     * Replaces each mask in an edited document by the original value.
     *
     * @throws BadLine when the original has no value at that path
     */
    public JsonNode reveal(JsonNode edited, String original) throws BadLine {
        return revealed(edited, read(original), "");
    }

    private JsonNode revealed(JsonNode edited, JsonNode original, String path) throws BadLine {
        if (edited instanceof ObjectNode object) {
            for (String name : fieldNames(object)) {
                String field = path.isEmpty() ? name : path + "." + name;
                JsonNode before = original.path(name);
                boolean isMasked = hides(name) && TextNode.valueOf(HIDDEN).equals(object.get(name));
                if (isMasked && before.isMissingNode()) {
                    throw new BadLine("the field " + MessageLine.shortened(field)
                            + " contains the mask, but the original has no such field. Give its value");
                }
                object.set(name, isMasked ? before : revealed(object.get(name), before, field));
            }
        } else if (edited instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, revealed(array.get(i), original.path(i), path + "[" + i + "]"));
            }
        }
        return edited;
    }

    private boolean hides(String name) {
        return names.contains(name.toLowerCase(Locale.ROOT));
    }

    private static List<String> fieldNames(ObjectNode object) {
        List<String> all = new ArrayList<>();
        object.fieldNames().forEachRemaining(all::add);
        return all;
    }

    private static JsonNode read(String document) {
        try {
            return JSON.readTree(document);
        } catch (StreamConstraintsException e) {
            return TOO_DEEP;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(
                    "not JSON"); // impossible: the column is JSON; the message must not contain the content
        }
    }
}
