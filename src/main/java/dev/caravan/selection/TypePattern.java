package dev.caravan.selection;

import java.util.Arrays;

/** Message types as people write them, {@code order.*,booking.confirmed}, as patterns of SQL {@code LIKE}. */
public final class TypePattern {
    private TypePattern() {}

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
