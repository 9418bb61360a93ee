package dev.caravan.console.api;

import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Operation;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** The operations on jobs and bulk retries. */
final class JobOperations {
    private static final String JOB = "/api/jobs/{id}";
    private static final String BULK_RETRY = "/api/bulk-retries/{id}";
    private static final int MAX_JOBS = 100;

    @FunctionalInterface
    private interface Change {
        boolean of(long id, Actor by) throws SQLException;
    }

    private final Jobs jobs;
    private final JobRunner runner;

    JobOperations(Jobs jobs, JobRunner runner) {
        this.jobs = jobs;
        this.runner = runner;
    }

    List<Operation> all() {
        return List.of(
                Operation.get(
                        "/api/jobs",
                        Set.of(),
                        call -> ApiResponse.items(
                                jobs.latest(MAX_JOBS).stream().map(runner::seen).toList())),
                Operation.get(JOB, Set.of(), call -> ApiResponse.of(job(call))),
                Operation.post(JOB + "/cancel", Set.of("reason", "by"), this::cancel),
                Operation.get(
                        "/api/bulk-retries",
                        Set.of("limit"),
                        call -> ApiResponse.items(jobs.latestBulkRetries(call.limit()).stream()
                                .map(Job::bulkRetry)
                                .toList())),
                Operation.get(
                        BULK_RETRY,
                        Set.of(),
                        call -> ApiResponse.of(bulkRetry(call.pathId("id")).bulkRetry())),
                Operation.post(BULK_RETRY + "/pause", Set.of("reason", "by"), call -> change(call, jobs::pause)),
                Operation.post(BULK_RETRY + "/resume", Set.of("reason", "by"), call -> change(call, jobs::resume)),
                Operation.post(BULK_RETRY + "/cancel", Set.of("reason", "by"), call -> change(call, jobs::cancel)));
    }

    private Job job(Call call) throws SQLException {
        long id = call.pathId("id");
        return jobs.find(id)
                .filter(job -> !job.isBulkRetry())
                .map(runner::seen)
                .orElseThrow(() -> HttpProblem.missing("There is no job " + id
                        + ". Jobs are stored for seven days after they end. The audit lists the changes."));
    }

    /** Idempotent. */
    private ApiResponse cancel(Call call) throws SQLException {
        Actor by = call.actor();
        jobs.cancel(job(call).id(), by);
        return ApiResponse.of(Operations.afterChange(() -> job(call)));
    }

    private Job bulkRetry(long id) throws SQLException {
        return jobs.find(id)
                .filter(Job::isBulkRetry)
                .orElseThrow(() -> HttpProblem.missing("There is no bulk retry " + id + ". Nothing was changed."));
    }

    private ApiResponse change(Call call, Change change) throws SQLException {
        Actor by = call.actor();
        long id = bulkRetry(call.pathId("id")).id();
        if (!change.of(id, by)) {
            throw HttpProblem.conflict(bulkRetry(id).statement() + " Nothing was changed.");
        }
        return ApiResponse.of(Operations.afterChange(() -> bulkRetry(id)).bulkRetry());
    }
}
