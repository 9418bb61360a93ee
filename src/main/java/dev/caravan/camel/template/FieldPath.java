package dev.caravan.camel.template;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The path of a field in JSON, such as {@code customer.phone}, {@code items[0].name} or {@code ['unit price']}. */
final class FieldPath {
    private static final Pattern STEP = Pattern.compile(
            "\\.?(?<name>[\\p{L}\\p{N}_@-]+)|\\[(?<index>\\d{1,9})]|\\[(?<quote>['\"])(?<quoted>[^'\"]+)\\k<quote>]");

    private final String text;
    /** Names and indexes. */
    private final List<Object> steps;

    private FieldPath(String text, List<Object> steps) {
        this.text = text;
        this.steps = steps;
    }

    /** @throws IllegalArgumentException if it is not a path */
    static FieldPath parse(String text) {
        String rest = text.startsWith("$.") || text.startsWith("$[") ? text.substring(1) : text;
        List<Object> steps = new ArrayList<>();
        Matcher step = STEP.matcher(rest);
        while (step.regionStart() < rest.length() && step.lookingAt()) {
            steps.add(step(step));
            step.region(step.end(), rest.length());
        }
        if (steps.isEmpty() || step.regionStart() < rest.length()) {
            throw new IllegalArgumentException("\"" + text
                    + "\" is not the name of a field, such as customer.phone, items[0].name or ['unit price']");
        }
        return new FieldPath(text, steps);
    }

    private static Object step(Matcher step) {
        if (step.group("index") != null) {
            return Integer.valueOf(step.group("index"));
        }
        return step.group("name") != null ? step.group("name") : step.group("quoted");
    }

    /** The value; the missing node if there is none. */
    JsonNode in(JsonNode payload) {
        JsonNode found = payload;
        for (Object step : steps) {
            found = step instanceof Integer index ? found.path(index) : found.path((String) step);
        }
        return found;
    }

    /** Whether a value has the first name or index of the path, with any value. */
    boolean beginsIn(JsonNode value) {
        return steps.get(0) instanceof Integer index ? value.has(index) : value.has((String) steps.get(0));
    }

    @Override
    public String toString() {
        return text;
    }
}
