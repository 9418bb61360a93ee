package dev.caravan.schema;

/**
 * A number that was counted up to a bound, so that counting is cheap however many there are.
 *
 * @param more whether there may be more than {@code atLeast}; otherwise it is exact
 */
public record BoundedCount(long atLeast, boolean more) {
    /** {@code 12}, {@code 10000+}. */
    @Override
    public String toString() {
        return atLeast + (more ? "+" : "");
    }
}
