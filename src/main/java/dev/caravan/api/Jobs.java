package dev.caravan.api;

import dev.caravan.http.HttpFailures;
import dev.caravan.http.HttpProblem;
import dev.caravan.http.Workers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The jobs of this relay, the last of them. They end with the relay, between two steps: what is done stays done. */
final class Jobs implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int RUNNING = 20;
    private static final int KEPT = 100;
    private static final int SECONDS_TO_END = 7; // longer than any statement

    /** What a job does. */
    @FunctionalInterface
    interface Work {
        /** @return whether it came to its end; false when it was cancelled before */
        boolean run(Job job) throws Exception;
    }

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, Workers.named("http-api-job-"));
    private final Deque<Job> jobs = new ArrayDeque<>(); // oldest first
    private long lastId;

    /** @throws HttpProblem when a job that does the same runs already, or too many run */
    synchronized Job start(Job.Task task, Work work) {
        if (threads.isShutdown()) {
            throw HttpProblem.later(503, "The relay stops. Nothing was changed.", 5);
        }
        List<Job> running = jobs.stream().filter(Job::isRunning).toList();
        running.stream().filter(job -> job.task().equals(task)).findFirst().ifPresent(job -> {
            throw HttpProblem.conflict("Job " + job.id() + " does the same already. Nothing was started.");
        });
        if (running.size() >= RUNNING) {
            throw HttpProblem.later(503, RUNNING + " jobs run already. Nothing was started; cancel one, or wait.", 10);
        }
        Job job = new Job(++lastId, task);
        forgetOldest();
        jobs.addLast(job);
        threads.execute(() -> run(job, work));
        return job;
    }

    private void forgetOldest() {
        if (jobs.size() >= KEPT) {
            jobs.stream().filter(job -> !job.isRunning()).findFirst().ifPresent(jobs::remove);
        }
    }

    private static void run(Job job, Work work) {
        try {
            boolean whole = job.goesOn() && work.run(job);
            job.end(whole ? Job.State.DONE : Job.State.CANCELLED, Optional.empty());
        } catch (InterruptedException e) {
            job.end(Job.State.CANCELLED, Optional.empty()); // the relay stops
        } catch (Exception e) {
            job.end(
                    Job.State.FAILED,
                    Optional.of(HttpFailures.problem(e, job.toString()).getMessage()
                            + " What is done stays done; the audit says what. Start it again to go on."));
        }
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
        all().forEach(Job::cancel);
        try {
            threads.awaitTermination(SECONDS_TO_END, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        threads.shutdownNow();
    }
}
