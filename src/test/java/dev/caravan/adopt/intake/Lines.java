package dev.caravan.adopt.intake;

import java.util.LinkedHashMap;
import java.util.Map;

/** Lines of a file of an intake. */
final class Lines {
    private Lines() {}

    /** The lines, with others in place of those that begin with the same field, or after them. */
    static String[] of(String[] lines, String... others) {
        Map<String, String> all = new LinkedHashMap<>();
        for (String line : lines) {
            all.put(field(line), line);
        }
        for (String line : others) {
            all.put(field(line), line);
        }
        return all.values().toArray(String[]::new);
    }

    private static String field(String line) {
        return line.substring(0, line.indexOf(':') + 1);
    }
}
