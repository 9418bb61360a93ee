package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.cli.ShowOptions.Shown;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.failed.Waiting;
import dev.caravan.operate.failed.WaitingSearch;
import dev.caravan.operate.failed.WaitingSummary;
import java.sql.SQLException;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan retries}: commands on waiting messages. */
@Command(
        name = "retries",
        description = "List, show, retry or give up messages that wait for another attempt.",
        subcommands = {RetriesCommand.Retry.class, RetriesCommand.GiveUp.class})
final class RetriesCommand extends CommandGroup {
    private static final Table<WaitingSummary> TABLE = new Table<WaitingSummary>()
            .column("SUBSCRIPTION", WaitingSummary::subscription)
            .column("ID>", WaitingSummary::id)
            .column("KEY", 40, WaitingSummary::key)
            .column("TYPE", 40, WaitingSummary::type)
            .column("ATTEMPTS>", WaitingSummary::attempts)
            .column("WAITS FOR", MessageText::waitsFor)
            .column("FIRST FAILED", message -> message.firstFailedAt().map(Formatted::ago))
            .column("ERROR", message -> message.errorClass()
                    .map(name -> MessageText.error(name, message.errorText().orElse(""))));

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
    int list(
            @Mixin MessageFilterOptions.OfWaiting filter,
            @Option(names = "--blocked", description = "List blocked messages instead.") boolean blocked,
            @Mixin ListOptions list,
            @Mixin SettingsOptions options)
            throws SQLException {
        MessageFilter selected = filter.filter(blocked);
        filter.check(options.database(), "");
        WaitingSearch search = new WaitingSearch(options.database());
        Retries retries = new Retries(options.database());
        return list.print(
                rows -> retries.explained(search.first(selected, rows)),
                search.parts(selected).map(retries::explained),
                WaitingSummary.COLUMNS,
                filter.nothingFound(blocked),
                TABLE,
                "messages");
    }

    @Command(
            name = "show",
            sortOptions = false,
            description = {
                "Show a waiting message, what it waits for, its error and its changes by people: SUBSCRIPTION ID.",
                "Payload and header values may contain personal data and are shown only with --payload."
            })
    int show(@Mixin ShowOptions show, @Mixin OutputOption output, @Mixin SettingsOptions options) throws SQLException {
        Audit audit = new Audit(options.database());
        Retries retries = new Retries(options.database());
        return show.show(
                NamedMessages.waiting(options.database()),
                (found, payload) -> {
                    Waiting message = retries.explained(found);
                    WaitingSummary summary = message.summary();
                    var history = audit.ofMessage(summary.subscription(), summary.id());
                    return new Shown(
                            MessageText.text(message, history, payload),
                            message.view(history, AuditText.shown(payload)));
                },
                output);
    }

    /** Retries waiting messages now. */
    @Command(
            name = "retry",
            sortOptions = false,
            description = {
                "Retry messages that wait for another attempt now. The count of their attempts continues, so the next"
                        + " failure may be the last.",
                "A blocked message is refused: retry the message it waits for. While the destination is unavailable or"
                        + " the subscription is paused, the messages keep waiting."
            })
    static final class Retry extends RetryingCommand {
        Retry() {
            super(new MessageFilterOptions.OfWaiting());
        }

        @Override
        int change(DataSource database, Selection.Chunk chunk, Actor by) throws SQLException {
            return new Retries(database).retry(chunk, by);
        }
    }

    /** Turns waiting messages into dead letters. */
    @Command(
            name = "give-up",
            sortOptions = false,
            description = {
                "Turn messages that wait for another attempt into dead letters. --reason is required. Messages blocked"
                        + " behind them are delivered next; with onDead=block or order=strict only after the dead letter"
                        + " is retried or discarded.",
                "A blocked message is refused. An attempt in flight may still deliver the message; it becomes a dead"
                        + " letter nevertheless."
            })
    static final class GiveUp extends ChangeCommand {
        GiveUp() {
            super("give-up", "give up", "gave up", "given up", "Giving up", new MessageFilterOptions.OfWaiting());
        }

        @Override
        int change(DataSource database, Selection.Chunk chunk, Actor by) throws SQLException {
            return new Retries(database).giveUp(chunk, by);
        }
    }
}
