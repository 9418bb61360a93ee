package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.failed.Fields;
import dev.caravan.operate.failed.Retries.Blocker;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.WaitingSearch;
import dev.caravan.operate.failed.WaitingSummary;
import java.sql.SQLException;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan retries}: commands on waiting messages. */
@Command(
        name = "retries",
        description = "List, show, retry or give up messages that wait for another attempt.",
        subcommands = {RetriesShowCommand.class, RetriesRetryCommand.class, RetriesGiveUpCommand.class})
final class RetriesCommand extends CommandGroup {
    RetriesCommand() {
        super("list", "show", "retry", "give-up");
    }

    @Command(
            name = "list",
            sortOptions = false,
            description = {
                "List messages that wait for another attempt, the next attempt first (with --key in order of id).",
                "With --blocked, list messages that wait behind an earlier message of their key, in order of id."
            })
    void list(
            @Mixin MessageFilterOptions.OfWaiting filter,
            @Option(names = "--blocked", description = "List blocked messages instead.") boolean blocked,
            @Mixin LimitOption limit,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        var page = limit.page(rows -> new WaitingSearch(options.database()).first(filter.filter(blocked), rows));
        Function<WaitingSummary, Blocker> blockers = new Retries(options.database()).blockers(page.rows());
        String nothing = page.rows().isEmpty() ? filter.nothingFound(options.database(), blocked) : "";
        output.print(
                page.rows(),
                page.text(nothing, table(blockers), "messages"),
                message -> Fields.of(message, blockers.apply(message)));
    }

    private static Table<WaitingSummary> table(Function<WaitingSummary, Blocker> blockers) {
        return new Table<WaitingSummary>()
                .column("SUBSCRIPTION", WaitingSummary::subscription)
                .column("ID>", WaitingSummary::id)
                .column("KEY", 40, WaitingSummary::key)
                .column("TYPE", 40, WaitingSummary::type)
                .column("ATTEMPTS>", WaitingSummary::attempts)
                .column("WAITS FOR", message -> WaitingText.waitsFor(message, blockers.apply(message)))
                .column("FIRST FAILED", message -> message.firstFailedAt().map(Formatted::ago))
                .column("ERROR", WaitingText::error);
    }
}
