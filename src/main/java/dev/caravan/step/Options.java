package dev.caravan.step;

/** Checks of options of steps. */
public final class Options {
    private Options() {}

    /** @throws IllegalArgumentException if the option is missing or empty */
    public static String required(String option, String value) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("the option " + option + " is missing or empty");
        }
        return value;
    }
}
