package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.BulkRetries;
import dev.caravan.operate.failed.BulkRetry;
import java.sql.SQLException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code caravan bulk-retries}: commands on bulk retries of dead letters. */
@Command(
        name = "bulk-retries",
        description =
                "List, pause, resume or cancel bulk retries of dead letters, which dead-letters retry --all starts.")
final class BulkRetriesCommand extends CommandGroup {
    private static final String ID = "The bulk retry, as caravan bulk-retries list shows it.";

    private static final Table<BulkRetry> TABLE = new Table<BulkRetry>("No bulk retries.")
            .column("ID>", BulkRetry::id)
            .column("SUBSCRIPTION", BulkRetry::subscription)
            .column("STATE", retry -> retry.state().text())
            .column("RETRIED>", BulkRetry::retried)
            .column("DELIVERED>", BulkRetry::delivered)
            .column("FAILED>", BulkRetry::failed)
            .column("PENDING>", BulkRetry::pending)
            .column("LEFT>", BulkRetry::left)
            .column("STARTED", retry -> Formatted.ago(retry.startedAt()))
            .column("BY", 30, BulkRetry::who)
            .column("NOTE", 80, retry -> retry.stoppedBecause()
                    .or(() -> retry.waitsFor().map(what -> "waits for " + what)));

    BulkRetriesCommand() {
        super("list", "pause", "resume", "cancel");
    }

    @Command(
            name = "list",
            sortOptions = false,
            description = "List bulk retries, latest first. They are stored for seven days after they end.")
    void list(@Mixin LimitOption limit, @Mixin OutputOption output, @Mixin SettingsOptions options)
            throws SQLException {
        int rows = limit.get();
        List<BulkRetry> all = new BulkRetries(options.database()).latest(rows);
        output.print(all, TABLE.text(all), BulkRetry::fields);
    }

    @Command(
            name = "pause",
            sortOptions = false,
            description = "Retry no more messages until the bulk retry is resumed.")
    int pause(
            @Parameters(paramLabel = "ID", description = ID) long id,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        return change(BulkRetries::pause, id, actor, output, options);
    }

    @Command(
            name = "resume",
            sortOptions = false,
            description =
                    "Continue a bulk retry that is paused or has stopped. After a stop, it again retries five messages first.")
    int resume(
            @Parameters(paramLabel = "ID", description = ID) long id,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        return change(BulkRetries::resume, id, actor, output, options);
    }

    @Command(
            name = "cancel",
            sortOptions = false,
            description = "End a bulk retry. Messages that were retried remain retried.")
    int cancel(
            @Parameters(paramLabel = "ID", description = ID) long id,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        return change(BulkRetries::cancel, id, actor, output, options);
    }

    private interface Change {
        /** Returns false if the state of the bulk retry does not allow the change. */
        boolean of(BulkRetries retries, long retry, Actor by) throws SQLException;
    }

    private static int change(Change change, long id, ActorOptions actor, OutputOption output, SettingsOptions options)
            throws SQLException {
        Actor by = actor.actor();
        BulkRetries retries = new BulkRetries(options.database());
        boolean changed = change.of(retries, id, by);
        BulkRetry now = retries.find(id)
                .orElseThrow(() -> new CommandFailure("There is no bulk retry " + id + ". Nothing was changed."));
        output.print(now.statement() + (changed ? "" : " Nothing was changed."), now.fields());
        return changed ? 0 : 1;
    }
}
