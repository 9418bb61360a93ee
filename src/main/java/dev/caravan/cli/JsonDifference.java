package dev.caravan.cli;

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

/** Which values of a JSON document changed, by path; the first of many. */
final class JsonDifference {
    static final String ONLY_WRITTEN_DIFFERENTLY = "the same value, written differently";
    private static final int SHOWN = 20;
    private static final int WIDTH = 60;
    private static final JsonMapper JSON = JsonMapper.builder(MessageLine.JSON)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final String name;
    private final List<String> lines = new ArrayList<>();
    private int more;

    JsonDifference(String name) {
        this.name = name;
    }

    /** One line per changed value; empty when both are written alike. */
    List<String> between(Optional<String> before, Optional<String> after) {
        if (before.equals(after)) {
            return List.of();
        }
        compare(name, tree(before), tree(after));
        if (lines.isEmpty()) {
            lines.add("  " + name + ": " + ONLY_WRITTEN_DIFFERENTLY);
        }
        if (more > 0) {
            lines.add("  … and " + Humane.counted(more, "more change") + " in " + name);
        }
        return lines;
    }

    private static JsonNode tree(Optional<String> text) {
        try {
            return text.isEmpty() ? MissingNode.getInstance() : JSON.readTree(text.get());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e); // both were read as JSON before
        }
    }

    private void compare(String path, JsonNode before, JsonNode after) {
        if (before.isObject() && after.isObject()) {
            Set<String> fields = new LinkedHashSet<>();
            before.fieldNames().forEachRemaining(fields::add);
            after.fieldNames().forEachRemaining(fields::add);
            fields.forEach(field -> compare(path + "." + field, before.path(field), after.path(field)));
        } else if (before.isArray() && after.isArray()) {
            for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
                compare(path + "[" + i + "]", before.path(i), after.path(i));
            }
        } else if (!before.equals(after)) {
            add("  " + Humane.line(path, WIDTH) + ": " + shown(before) + " -> " + shown(after));
        }
    }

    private void add(String line) {
        if (lines.size() < SHOWN) {
            lines.add(line);
        } else {
            more++;
        }
    }

    private static String shown(JsonNode value) {
        return value.isMissingNode() ? "nothing" : Humane.line(value.toString(), WIDTH);
    }
}
