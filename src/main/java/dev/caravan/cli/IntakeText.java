package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Span;
import dev.caravan.operate.intake.IntakeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Intakes as {@code intake list}, {@code status} and {@code top} show them. */
final class IntakeText {
    static final Table<IntakeStatus> TABLE = new Table<IntakeStatus>("No relay has worked an intake yet.")
            .column("INTAKE", IntakeStatus::name)
            .column("SOURCE", 60, IntakeStatus::source)
            .column("COPIED>", IntakeStatus::copied)
            .column("LAG>", intake -> Span.text(intake.lag()))
            .column("REJECTED>", IntakeStatus::rejected)
            .column("DEAD>", IntakeStatus::deadLetters)
            .column("LAST COPY", intake -> intake.copiedAt().map(Formatted::ago))
            .column("RELAY", IntakeStatus::relay)
            .column("STATE", IntakeText::state);

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

    /** The table with an empty line before it, then each error, shortened; empty if there are no intakes. */
    static <T> String below(Table<T> table, List<T> rows, List<IntakeStatus> intakes, int width, List<String> details) {
        return rows.isEmpty()
                ? ""
                : "\n\n" + table.text(rows, width, details)
                        + errors(intakes, error -> Formatted.line(error, ERROR_WIDTH));
    }

    /** Why intakes fail or are halted, and the command that a person has to run; empty if they work. */
    static String errors(List<IntakeStatus> intakes, UnaryOperator<String> shown) {
        return intakes.stream()
                .filter(intake -> intake.error().isPresent())
                .map(intake -> error(intake, shown.apply(intake.error().get())))
                .collect(Collectors.joining());
    }

    private static String error(IntakeStatus intake, String error) {
        String name = "\nIntake " + intake.name();
        return intake.state() == IntakeStatus.State.HALTED
                ? name + " is halted: " + error + "\nWhen that is corrected, run: ./caravan intake resume "
                        + intake.name()
                : name + " fails: " + error;
    }
}
