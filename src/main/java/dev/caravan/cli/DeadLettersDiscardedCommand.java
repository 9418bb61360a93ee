package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.failed.Discarded;
import dev.caravan.operate.failed.DiscardedSearch;
import dev.caravan.operate.failed.Fields;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code caravan dead-letters discarded}: the discarded dead letters that are kept, latest discard first. */
@Command(
        name = "discarded",
        sortOptions = false,
        description = "List discarded dead letters that are still kept, latest discard first.")
final class DeadLettersDiscardedCommand implements Callable<Integer> {
    @Mixin
    private DiscardedFilterOptions filter;

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
        List<Discarded> found = new DiscardedSearch(database).first(filter.filter(), rows + 1);
        List<Discarded> shown = found.subList(0, Math.min(rows, found.size()));
        String nothing = found.isEmpty() ? filter.nothingFound(database) : "";
        output.print(
                () -> found.isEmpty() ? nothing : text(shown, found.size() > rows),
                () -> shown.stream().map(Fields::of).toList());
        return 0;
    }

    private static String text(List<Discarded> shown, boolean more) {
        Table table = new Table("SUBSCRIPTION", "ID>", "KEY", "TYPE", "DISCARDED", "BY", "REASON", "DISCARD");
        for (Discarded message : shown) {
            table.row(
                    message.subscription(),
                    message.id(),
                    Formatted.line(message.letter().key().toString(), 40),
                    Formatted.line(message.letter().type(), 40),
                    Formatted.ago(message.at()),
                    Formatted.line(message.who(), 30),
                    Formatted.line(message.reason(), 40),
                    message.discard());
        }
        return table + (more ? "\nMore discarded dead letters match: use filters or --limit." : "");
    }
}
