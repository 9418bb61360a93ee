package dev.caravan.console.api;

import dev.caravan.base.clock.Timers;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts jobs, and makes steps of all running jobs of an outbox while there are any, so that they begin at once and also continue where no relay
 * works the outbox. Relays continue them when this one stops.
 */
final class JobRunner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobRunner.class);
    private static final int MAX_RUNNING = 20;
    private static final int STEP_MILLIS = 200;
    private static final int MAX_ROUNDS_TO_SKIP = 150;
    private static final int STOP_SECONDS = 7; // longer than any statement

    private final Jobs jobs;
    private final ScheduledExecutorService timer = Timers.daemons("http-api-job", 1);
    private volatile boolean mayRun;
    private int failures;
    private int roundsToSkip;

    JobRunner(Jobs jobs) {
        this.jobs = jobs;
        timer.scheduleWithFixedDelay(this::steps, STEP_MILLIS, STEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** @throws HttpProblem when too many jobs are running */
    Job start(Jobs.Task task, int rate, Optional<UUID> discard, Actor by) throws SQLException {
        if (timer.isShutdown()) {
            throw HttpProblem.later(503, "The relay is stopping. Nothing was changed.", 5);
        }
        if (jobs.latest(100).stream().filter(Job::isRunning).count() >= MAX_RUNNING) {
            throw HttpProblem.later(
                    503, MAX_RUNNING + " jobs are already running. Nothing was started. Cancel one, or wait.", 10);
        }
        Job started = jobs.start(
                task,
                rate == 0 ? OptionalInt.empty() : OptionalInt.of(rate),
                discard,
                task.action().equals("lanes") ? OptionalLong.of(1) : OptionalLong.empty(),
                by);
        mayRun = true;
        return started;
    }

    /** Called with a job that a person reads: one that another process has started runs here too. */
    Job seen(Job job) {
        mayRun |= job.isRunning();
        return job;
    }

    private void steps() {
        if (!mayRun) {
            return;
        }
        if (roundsToSkip > 0) {
            roundsToSkip--;
            return;
        }
        mayRun = false;
        try {
            mayRun |= jobs.stepAll();
            failures = 0;
        } catch (SQLException | RuntimeException e) {
            mayRun = true;
            roundsToSkip = Math.min(5 * ++failures, MAX_ROUNDS_TO_SKIP);
            LOG.debug("Could not continue the jobs, will retry", e);
        }
    }

    /** Ends after the current step. */
    @Override
    public void close() {
        timer.shutdown();
        try {
            timer.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        timer.shutdownNow();
    }
}
