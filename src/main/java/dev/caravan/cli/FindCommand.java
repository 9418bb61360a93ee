package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.explain.Find;
import dev.caravan.operate.explain.Found;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code caravan find}: one search over dead letters, waiting messages and the outbox. */
@Command(
        name = "find",
        sortOptions = false,
        description = {
            "Find messages by id, message id (a UUID), key or a part of their error: dead letters, waiting messages and the outbox,"
                    + " the latest failure first.",
            "For a key, the newest 50,000 messages of the outbox are searched."
        })
final class FindCommand implements Callable<Integer> {
    private static final Table<Found> TABLE = new Table<Found>()
            .column("STATE", Found::state)
            .column("SUBSCRIPTION", Found::subscription)
            .column("ID>", Found::id)
            .column("KEY", 40, Found::key)
            .column("TYPE", 40, Found::type)
            .column("WHEN", found -> found.at().map(Formatted::ago))
            .column("ERROR", found -> found.errorClass()
                    .map(errorClass ->
                            MessageText.error(errorClass, found.error().orElse(""))));

    @Parameters(paramLabel = "TEXT", description = "An id (812), a UUID, a key (order/77), or a part of an error.")
    private String text;

    @Mixin
    private LimitOption limit;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        Find.Result result = Find.of(options.database(), text, limit.get());
        output.print(text(result), result.items());
        return 0;
    }

    private static String text(Find.Result result) {
        if (result.items().isEmpty()) {
            return result.complete()
                    ? "Nothing found."
                    : "Nothing found among the latest messages: use dead-letters list or retries list with filters.";
        }
        return TABLE.text(result.items())
                + (result.complete() ? "" : "\nThere may be more: use dead-letters list or retries list with filters.");
    }
}
