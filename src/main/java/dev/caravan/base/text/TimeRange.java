package dev.caravan.base.text;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * A range of time that a person gave.
 *
 * @param since its start; empty for any earlier time
 * @param until its end, which is not in the range; empty for any later time
 */
public record TimeRange(Optional<Instant> since, Optional<Instant> until) {
    /** Whether it contains no time. */
    public boolean isEmpty() {
        return since.isPresent() && until.isPresent() && !since.get().isBefore(until.get());
    }

    /**
     * What is wrong with an empty range.
     *
     * @param start how the start is called
     * @param end how the end is called
     */
    public String problem(String start, String end) {
        return start + " must be before " + end + ": no time is between " + text(since) + " and " + text(until) + ".";
    }

    private static String text(Optional<Instant> time) {
        return time.orElseThrow().truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
