package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.explain.Outcome;
import dev.caravan.operate.explain.Why;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import picocli.CommandLine.Option;

/** {@code --wait}: how long a command waits for what becomes of the messages that it has retried. */
final class WaitOption extends CommandOptions {
    private static final int MOST_MESSAGES = 100;

    private static final int ON_A_TERMINAL = 5;
    private static final long STEP_MILLIS = 250;
    private static final int TEXT_WIDTH = 1_000;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            description =
                    "Seconds to wait until named messages (at most 100) are delivered or dead again. Then the exit code"
                            + " is 1 unless all are delivered. Default: 5 on a terminal, with exit code 0, otherwise 0")
    private Integer seconds;

    /** @throws picocli.CommandLine.ParameterException if the value is wrong, or no messages are named */
    void require(List<String> names) {
        if (seconds != null && (seconds < 0 || seconds > 3_600)) {
            throw wrong("--wait must be between 0 and 3600 seconds, got " + seconds + ". Nothing was changed.");
        }
        if (isAsked() && names.isEmpty()) {
            throw wrong("--wait waits for named messages only, not with --all. Nothing was changed.");
        }
    }

    /** @throws picocli.CommandLine.ParameterException if there are more messages than the command was asked to wait for */
    void require(Selection set) {
        if (isAsked() && set.size() > MOST_MESSAGES) {
            throw wrong("--wait waits for at most " + MOST_MESSAGES + " messages, got " + set.size()
                    + ". Nothing was changed.");
        }
    }

    private boolean isAsked() {
        return seconds != null && seconds > 0;
    }

    private int seconds(OutputOption output) {
        return seconds != null ? seconds : output.isRedrawn() ? ON_A_TERMINAL : 0;
    }

    /** What became of each message when all are settled, or after the time; empty if the command does not wait. */
    List<Outcome> follow(DataSource database, Selection set, OutputOption output, Interruption interruption)
            throws SQLException, InterruptedException {
        int limit = seconds(output);
        if (limit == 0 || set.size() > MOST_MESSAGES) {
            return List.of();
        }
        report("Waiting at most " + limit + "s for the outcome.");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(limit);
        Why why = new Why(database, name -> Optional.empty());
        List<Outcome> all = read(why, set);
        while (!all.stream().allMatch(Outcome::settled) && System.nanoTime() < end && interruption.mayContinue()) {
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
            for (int i = 0; i < all.size(); i++) {
                Outcome last = all.get(i);
                all.set(i, last.settled() ? last : why.outcome(last.subscription(), last.id()));
            }
        }
        return all;
    }

    private static List<Outcome> read(Why why, Selection set) throws SQLException {
        List<Outcome> all = new ArrayList<>();
        for (String subscription : set.counts().keySet()) {
            for (long id : set.ids(subscription)) {
                all.add(why.outcome(subscription, id));
            }
        }
        return all;
    }

    /** One line for each message, each after a line break. */
    static String text(List<Outcome> all) {
        return all.stream()
                .map(each -> "\n" + each.subscription() + " " + each.id() + ": "
                        + Formatted.line(each.text(), TEXT_WIDTH) + ".")
                .collect(Collectors.joining());
    }

    /** Whether a person has asked to wait and not all messages were delivered. */
    boolean isMissed(List<Outcome> all) {
        return seconds != null && !all.stream().allMatch(Outcome::isDelivered);
    }
}
