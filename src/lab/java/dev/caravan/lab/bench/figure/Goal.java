package dev.caravan.lab.bench.figure;

/**
 * A goal of a scenario and the measured value.
 *
 * @param promise for example {@code takeover after a kill, at most 12 s}
 * @param found the measured value
 */
public record Goal(String promise, double found, boolean met) {
    public static Goal atLeast(String what, double least, double found) {
        return new Goal(what + ", at least " + Numbers.text(least), found, found >= least);
    }

    public static Goal atMost(String what, double most, double found) {
        return new Goal(what + ", at most " + Numbers.text(most), found, found <= most);
    }

    @Override
    public String toString() {
        return promise + ": " + Numbers.text(found) + ", " + (met ? "met" : "MISSED");
    }
}
