package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.failed.Fields;
import dev.caravan.operate.failed.Retries.Blocker;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.WaitingSearch;
import dev.caravan.operate.failed.WaitingSummary;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan retries list}: the messages that wait for an attempt, or the blocked ones. */
@Command(
        name = "list",
        sortOptions = false,
        description = {
            "List messages that wait for another attempt, the next attempt first (with --key in order of id).",
            "With --blocked, list messages that wait behind an earlier message of their key, in order of id."
        })
final class RetriesListCommand implements Callable<Integer> {
    @Mixin
    private WaitingFilterOptions filter;

    @Option(names = "--blocked", description = "List blocked messages instead.")
    private boolean blocked;

    @Mixin
    private LimitOption limit;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        int rows = limit.get();
        DataSource database = options.database();
        List<WaitingSummary> found = new WaitingSearch(database).first(filter.filter(blocked), rows + 1);
        List<WaitingSummary> shown = found.subList(0, Math.min(rows, found.size()));
        Function<WaitingSummary, Blocker> blockers = new Retries(database).blockers(shown);
        String nothing = found.isEmpty() ? filter.nothingFound(database, blocked) : "";
        output.print(() -> found.isEmpty() ? nothing : text(shown, blockers, found.size() > rows), () -> shown.stream()
                .map(message -> Fields.of(message, blockers.apply(message)))
                .toList());
        return 0;
    }

    private static String text(List<WaitingSummary> shown, Function<WaitingSummary, Blocker> blockers, boolean more) {
        Table table =
                new Table("SUBSCRIPTION", "ID>", "KEY", "TYPE", "ATTEMPTS>", "WAITS FOR", "FIRST FAILED", "ERROR");
        for (WaitingSummary message : shown) {
            table.row(
                    message.subscription(),
                    message.id(),
                    Formatted.line(message.key().toString(), 40),
                    Formatted.line(message.type(), 40),
                    message.attempts(),
                    WaitingText.waitsFor(message, blockers.apply(message)),
                    message.firstFailedAt().map(Formatted::ago).orElse("-"),
                    WaitingText.error(message));
        }
        return table + (more ? "\nMore messages match: use filters or --limit." : "");
    }
}
