package dev.caravan.cli;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The bulk retries that a command has started. Reports what they wait for until they have ended. Also runs their steps, so that they
 * advance even if the role of the relays has no privilege to retry. Ctrl-C pauses them.
 */
final class FollowedBulkRetries {
    private static final long STEP_MILLIS = 200;

    private final Jobs retries;
    private final Actor actor;
    private final Consumer<String> report;
    private final List<Job> started = new ArrayList<>();

    FollowedBulkRetries(Jobs retries, Actor actor, Consumer<String> report) {
        this.retries = retries;
        this.actor = actor;
        this.report = report;
    }

    void add(Job retry) {
        started.add(retry);
        report.accept("Started bulk retry " + retry.id() + " of " + retry.name() + ".");
    }

    /** The subscriptions whose dead letters they retry. */
    List<String> subscriptions() {
        return started.stream().map(Job::name).toList();
    }

    /** Reports that they continue without the command. */
    void reportContinuing() {
        if (!started.isEmpty()) {
            report.accept("Relays continue what was started. To see it, run: caravan bulk-retries list");
        }
    }

    /**
     * Returns the exit code: 0 when all are done, {@link Interruption#EXIT} after Ctrl-C, else 1.
     *
     * @param others further fields of the output
     */
    int follow(Interruption interruption, OutputOption output, Map<String, Object> others)
            throws SQLException, InterruptedException {
        List<Job> all = started;
        String reported = "";
        while (all.stream().anyMatch(Job::isRunning) && interruption.mayContinue()) {
            for (Job each : all) {
                retries.step(each.id());
            }
            all = retries.existing(started);
            String waits = all.stream()
                    .filter(Job::isRunning)
                    .flatMap(each -> each.waitsFor().stream()
                            .map(what -> "Bulk retry " + each.id() + " waits for " + what + "."))
                    .collect(Collectors.joining(" "));
            if (!waits.equals(reported)) {
                reported = waits;
                report.accept(waits.isEmpty() ? "Retrying …" : waits);
            }
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
        }
        if (!interruption.mayContinue()) {
            pause(all);
            all = retries.existing(started);
        }
        List<Job> ended = all;
        Job.gone(started, ended).forEach(report);
        output.print(text(ended), fields(ended, others));
        if (!interruption.mayContinue()) {
            return Interruption.EXIT;
        }
        boolean allExist = ended.size() == started.size();
        return allExist && ended.stream().allMatch(each -> each.state() == Job.State.DONE) ? 0 : 1;
    }

    private void pause(List<Job> all) throws SQLException {
        for (Job each : all) {
            retries.pause(each.id(), actor);
        }
    }

    private static String text(List<Job> all) {
        return all.stream().map(each -> each.statement() + next(each)).collect(Collectors.joining("\n"));
    }

    private static Map<String, Object> fields(List<Job> all, Map<String, Object> others) {
        Map<String, Object> fields = new LinkedHashMap<>(others);
        fields.put("bulkRetries", all.stream().map(Job::bulkRetry).toList());
        return fields;
    }

    private static String next(Job retry) {
        return switch (retry.state()) {
            case PAUSED, STOPPED -> " To continue: ./caravan bulk-retries resume " + retry.id();
            default -> "";
        };
    }
}
