package dev.caravan.database;

/**
 * A number counted up to a bound, which limits the cost of counting.
 *
 * @param more true when the number may be larger than {@code atLeast}; otherwise it is exact
 */
public record BoundedCount(long atLeast, boolean more) {

    /** @param counted a number that was counted up to one more than the bound, or further */
    public static BoundedCount of(long counted, long bound) {
        return new BoundedCount(Math.min(counted, bound), counted > bound);
    }

    /** {@code 1 message}, {@code 10000+ messages}. */
    public String counted(String noun) {
        return this + " " + noun + (atLeast == 1 && !more ? "" : "s");
    }

    /** {@code 12}, {@code 10000+}. */
    @Override
    public String toString() {
        return atLeast + (more ? "+" : "");
    }
}
