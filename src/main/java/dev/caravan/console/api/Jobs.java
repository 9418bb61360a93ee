package dev.caravan.console.api;

import dev.caravan.console.http.HttpFailures;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Workers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Runs and stores the jobs of this relay, at most 100. Two of them work at the same time; others wait until one ends or pauses. When the
 * relay stops, they end after their current step.
 */
final class Jobs implements AutoCloseable {
    private static final int WORKING = 2;
    private static final int MAX_RUNNING = 20;
    private static final int MAX_STORED = 100;
    private static final int STOP_SECONDS = 7; // longer than any statement

    /** The work of a job. */
    @FunctionalInterface
    interface Work {
        /** @return true when it finished, false when it was cancelled */
        boolean run(Job job) throws Exception;
    }

    private final ExecutorService threads = Executors.newCachedThreadPool(Workers.named("http-api-job-"));
    private final Semaphore working = new Semaphore(WORKING, true);
    private final Deque<Job> jobs = new ArrayDeque<>(); // oldest first
    private long lastId;

    /** @throws HttpProblem when a job with the same task is running, or too many jobs are running */
    synchronized Job start(Job.Task task, Work work) {
        if (threads.isShutdown()) {
            throw HttpProblem.later(503, "The relay is stopping. Nothing was changed.", 5);
        }
        List<Job> running = jobs.stream().filter(Job::isRunning).toList();
        running.stream().filter(job -> job.task().equals(task)).findFirst().ifPresent(job -> {
            throw HttpProblem.conflict("Job " + job.id() + " is already doing this. Nothing was started.");
        });
        if (running.size() >= MAX_RUNNING) {
            throw HttpProblem.later(
                    503, MAX_RUNNING + " jobs are already running. Nothing was started. Cancel one, or wait.", 10);
        }
        Job job = new Job(++lastId, task, working);
        removeOldest();
        jobs.addLast(job);
        threads.execute(() -> run(job, work));
        return job;
    }

    private void removeOldest() {
        if (jobs.size() >= MAX_STORED) {
            jobs.stream().filter(job -> !job.isRunning()).findFirst().ifPresent(jobs::remove);
        }
    }

    private static void run(Job job, Work work) {
        try {
            boolean finished = job.work(() -> job.mayContinue() && work.run(job));
            job.end(finished ? Job.State.DONE : Job.State.CANCELLED, Optional.empty());
        } catch (InterruptedException e) {
            job.end(Job.State.CANCELLED, Optional.empty()); // the relay is stopping
        } catch (Exception | Error e) {
            job.end(
                    Job.State.FAILED,
                    Optional.of(HttpFailures.textOfStep(e, job.toString()) + " "
                            + job.continuation().orElseGet(() -> howToContinue(job.task()))));
        }
    }

    private static String howToContinue(Job.Task task) {
        return switch (task.action()) {
            case "replay" ->
                "Messages copied so far are delivered again. To continue, replay from the id after reachedId in the audit: the same"
                        + " replay would copy them once more.";
            case "lanes" -> "The list of subscriptions shows the number of lanes. To continue, start the job again.";
            default -> "Messages changed so far stay changed; the audit lists them. To continue, start the job again.";
        };
    }

    synchronized Optional<Job> find(long id) {
        return jobs.stream().filter(job -> job.id() == id).findFirst();
    }

    /** Newest first. */
    synchronized List<Job> all() {
        List<Job> all = new ArrayList<>(jobs);
        Collections.reverse(all);
        return all;
    }

    @Override
    public void close() {
        threads.shutdown();
        all().forEach(Job::stop);
        try {
            threads.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        threads.shutdownNow();
    }
}
