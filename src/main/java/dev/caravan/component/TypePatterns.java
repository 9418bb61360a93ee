package dev.caravan.component;

import java.util.Arrays;

/** Message types as users write them, {@code order.*,booking.confirmed}, as patterns of SQL {@code LIKE}. */
final class TypePatterns {
    private TypePatterns() {}

    /** Whether every type has a name: an empty one would match no message, and all would count as delivered. */
    static boolean areValid(String types) {
        return Arrays.stream(types.split(",", -1)).noneMatch(String::isBlank);
    }

    static String[] like(String types) {
        return Arrays.stream(types.split(","))
                .map(String::strip)
                .map(type -> type.replace("\\", "\\\\")
                        .replace("%", "\\%")
                        .replace("_", "\\_")
                        .replace("*", "%"))
                .toArray(String[]::new);
    }
}
