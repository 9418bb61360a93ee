package dev.caravan.cli;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * A job that a command has started. The command runs its steps, so that it advances without a relay too. Ctrl-C cancels it, and so does a
 * failure; relays continue it when the command is killed.
 */
final class FollowedJob {
    private static final long STEP_MILLIS = 100;

    private final Jobs jobs;
    private final Actor actor;
    private Job job;

    FollowedJob(Jobs jobs, Job started, Actor actor) {
        this.jobs = jobs;
        this.job = started;
        this.actor = actor;
    }

    /** The last known state. */
    Job job() {
        return job;
    }

    /** A sentence that says that it continues without the command; empty if it has ended. */
    String continuation() {
        return job.isRunning() ? " Relays continue it as job " + job.id() + "." : "";
    }

    /**
     * Returns when it has ended, also after Ctrl-C.
     *
     * @param progress receives the number of changed messages after each step
     * @return false if it was cancelled
     * @throws CommandFailure if it failed, or no longer exists
     */
    boolean follow(Interruption interruption, LongConsumer progress) throws SQLException, InterruptedException {
        try {
            while (job.isRunning() && interruption.mayContinue()) {
                boolean more = jobs.step(job.id());
                read();
                progress.accept(job.done());
                if (job.isRunning() && !more) {
                    TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
                }
            }
            if (job.isRunning()) {
                jobs.cancel(job.id(), actor);
                read();
            }
        } catch (SQLException e) {
            cancelAfter(e);
            throw e;
        }
        if (job.state() == Job.State.FAILED) {
            throw new CommandFailure(job.error().orElseThrow());
        }
        return job.state() == Job.State.DONE;
    }

    private void read() throws SQLException {
        job = jobs.find(job.id())
                .filter(found -> found.startedAt().equals(job.startedAt()))
                .orElseThrow(() -> new CommandFailure("Job " + job.id()
                        + " no longer exists: a replica that lacks it was promoted, or a backup was restored."
                        + " To see what was changed, run: caravan audit list"));
    }

    /** A change that its person has seen fail does not continue later, if the database answers. */
    private void cancelAfter(SQLException failure) {
        try {
            jobs.cancel(job.id(), actor);
            read();
        } catch (SQLException | CommandFailure e) {
            failure.addSuppressed(e);
        }
    }
}
