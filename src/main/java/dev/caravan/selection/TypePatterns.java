package dev.caravan.selection;

import java.util.Arrays;

/** Message types as users write them, {@code order.*,booking.confirmed}, as patterns of SQL {@code LIKE}. */
public final class TypePatterns {
    private TypePatterns() {}

    /** Whether every type has a name: an empty one would match no message, and all would count as delivered. */
    public static boolean areValid(String types) {
        return Arrays.stream(types.split(",", -1)).noneMatch(String::isBlank);
    }

    public static String[] like(String types) {
        return Arrays.stream(types.split(","))
                .map(String::strip)
                .map(type -> type.replace("\\", "\\\\")
                        .replace("%", "\\%")
                        .replace("_", "\\_")
                        .replace("*", "%"))
                .toArray(String[]::new);
    }
}
