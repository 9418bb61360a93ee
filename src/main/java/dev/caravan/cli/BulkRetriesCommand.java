package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
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

    private static final Table<Job> TABLE = new Table<Job>("No bulk retries.")
            .column("ID>", Job::id)
            .column("SUBSCRIPTION", Job::name)
            .column("STATE", retry -> retry.state().text())
            .column("RETRIED>", Job::done)
            .column("DELIVERED>", Job::delivered)
            .column("FAILED>", Job::failed)
            .column("PENDING>", Job::pending)
            .column("LEFT>", Job::left)
            .column("STARTED", retry -> Formatted.ago(retry.startedAt()))
            .column("BY", 30, Job::who)
            .column("NOTE", 80, JobsCommand::note);

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
        List<Job> all = new Jobs(options.database()).latestBulkRetries(rows);
        output.print(all, TABLE.text(all), Job::bulkRetry);
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
        return change(Jobs::pause, id, actor, output, options);
    }

    @Command(
            name = "resume",
            sortOptions = false,
            description =
                    "Continue a bulk retry that is paused or has stopped. After a stop, it again retries five messages"
                            + " first.")
    int resume(
            @Parameters(paramLabel = "ID", description = ID) long id,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        return change(Jobs::resume, id, actor, output, options);
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
        return change(Jobs::cancel, id, actor, output, options);
    }

    private interface Change {
        /** Returns false if the state of the bulk retry does not allow the change. */
        boolean of(Jobs retries, long retry, Actor by) throws SQLException;
    }

    private static int change(Change change, long id, ActorOptions actor, OutputOption output, SettingsOptions options)
            throws SQLException {
        Actor by = actor.actor();
        Jobs retries = new Jobs(options.database());
        find(retries, id);
        boolean changed = change.of(retries, id, by);
        Job now = find(retries, id);
        output.print(now.statement() + (changed ? "" : " Nothing was changed."), now.bulkRetry());
        return changed ? 0 : 1;
    }

    private static Job find(Jobs retries, long id) throws SQLException {
        return retries.find(id)
                .filter(Job::isBulkRetry)
                .orElseThrow(() -> new CommandFailure("There is no bulk retry " + id + ". Nothing was changed."));
    }
}
