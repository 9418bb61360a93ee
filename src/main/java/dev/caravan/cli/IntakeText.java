package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Span;
import dev.caravan.operate.intake.IntakeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Intakes below the subscriptions, as {@code status} and {@code top} show them. */
final class IntakeText {
    private static final int ERROR_WIDTH = 300;

    private IntakeText() {}

    /** The state, and how long it has been failing: {@code failing 3m 5s}. */
    static String state(IntakeStatus intake) {
        return intake.state()
                + (intake.state() == IntakeStatus.State.FAILING
                        ? intake.failingSince()
                                .map(since -> " " + Span.text(Duration.between(since, Instant.now())))
                                .orElse("")
                        : "");
    }

    /** The table with an empty line before it, then a line for each error; empty if there are no intakes. */
    static <T> String below(Table<T> table, List<T> rows, List<IntakeStatus> intakes, int width, List<String> details) {
        return rows.isEmpty() ? "" : "\n\n" + table.text(rows, width, details) + errors(intakes);
    }

    private static String errors(List<IntakeStatus> intakes) {
        return intakes.stream()
                .filter(intake -> intake.error().isPresent())
                .map(intake -> String.format(
                        Locale.ROOT,
                        "%nIntake %s %s: %s",
                        intake.name(),
                        intake.state() == IntakeStatus.State.HALTED ? "is halted" : "fails",
                        Formatted.line(intake.error().get(), ERROR_WIDTH)
                                + (intake.state() == IntakeStatus.State.HALTED
                                        ? ". When it is fixed: caravan intake resume " + intake.name()
                                        : "")))
                .collect(Collectors.joining());
    }
}
