package dev.caravan.database;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A number that was counted up to a bound, so that counting is cheap however many there are.
 *
 * @param more whether there may be more than {@code atLeast}; otherwise it is exact
 */
public record BoundedCount(long atLeast, boolean more) {
    /** As it is printed in JSON. */
    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("atLeast", atLeast);
        fields.put("more", more);
        return fields;
    }

    /** {@code 12}, {@code 10000+}. */
    @Override
    public String toString() {
        return atLeast + (more ? "+" : "");
    }
}
