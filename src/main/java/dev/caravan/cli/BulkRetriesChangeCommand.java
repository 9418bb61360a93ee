package dev.caravan.cli;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A command that pauses, resumes or cancels a bulk retry. */
abstract class BulkRetriesChangeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", description = "The bulk retry, as caravan bulk-retries list shows it.")
    private long id;

    @Mixin
    private ActorOptions actor;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    /** Returns false if the state of the bulk retry does not allow this change. */
    abstract boolean change(Jobs retries, long retry, Actor by) throws SQLException;

    @Override
    public Integer call() throws SQLException {
        Actor by = actor.actor();
        Jobs retries = new Jobs(options.database());
        find(retries);
        boolean changed = change(retries, id, by);
        Job now = find(retries);
        output.print(() -> now.statement() + (changed ? "" : " Nothing was changed."), now::bulkRetry);
        return changed ? 0 : 1;
    }

    private Job find(Jobs retries) throws SQLException {
        return retries.find(id)
                .filter(Job::isBulkRetry)
                .orElseThrow(() -> new CommandFailure("There is no bulk retry " + id + ". Nothing was changed."));
    }

    /** {@code caravan bulk-retries pause}. */
    @Command(
            name = "pause",
            sortOptions = false,
            description = "Retry no more messages until the bulk retry is resumed.")
    static final class Pause extends BulkRetriesChangeCommand {
        @Override
        boolean change(Jobs retries, long retry, Actor by) throws SQLException {
            return retries.pause(retry, by);
        }
    }

    /** {@code caravan bulk-retries resume}. */
    @Command(
            name = "resume",
            sortOptions = false,
            description =
                    "Continue a bulk retry that is paused or has stopped. After a stop, it again retries five messages"
                            + " first.")
    static final class Resume extends BulkRetriesChangeCommand {
        @Override
        boolean change(Jobs retries, long retry, Actor by) throws SQLException {
            return retries.resume(retry, by);
        }
    }

    /** {@code caravan bulk-retries cancel}. */
    @Command(
            name = "cancel",
            sortOptions = false,
            description = "End a bulk retry. Messages that were retried remain retried.")
    static final class Cancel extends BulkRetriesChangeCommand {
        @Override
        boolean change(Jobs retries, long retry, Actor by) throws SQLException {
            return retries.cancel(retry, by);
        }
    }
}
