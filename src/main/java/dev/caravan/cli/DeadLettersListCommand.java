package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.failed.DeadLetterSearch;
import dev.caravan.operate.failed.DeadLetterSummary;
import dev.caravan.operate.failed.Fields;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan dead-letters list}: the dead letters that match, latest failure first. */
@Command(name = "list", sortOptions = false, description = "List dead letters, latest failure first.")
final class DeadLettersListCommand implements Callable<Integer> {
    @Mixin
    private DeadLetterFilterOptions filter;

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
        List<DeadLetterSummary> found = new DeadLetterSearch(database).first(filter.filter(), rows + 1);
        List<DeadLetterSummary> shown = found.subList(0, Math.min(rows, found.size()));
        String nothing = found.isEmpty() ? filter.nothingFound(database) : "";
        output.print(
                () -> found.isEmpty() ? nothing : text(shown, found.size() > rows),
                () -> shown.stream().map(Fields::of).toList());
        return 0;
    }

    private static String text(List<DeadLetterSummary> shown, boolean more) {
        Table table = new Table("SUBSCRIPTION", "ID>", "KEY", "TYPE", "ATTEMPTS>", "FAILED", "ERROR");
        for (DeadLetterSummary letter : shown) {
            table.row(
                    letter.subscription(),
                    letter.id(),
                    Formatted.line(letter.key().toString(), 40),
                    Formatted.line(letter.type(), 40),
                    letter.attempts(),
                    Formatted.ago(letter.lastFailedAt()),
                    DeadLetterText.error(letter));
        }
        return table + (more ? "\nMore dead letters match: use filters or --limit." : "");
    }
}
