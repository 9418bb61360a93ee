package dev.caravan.cli;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.BulkRetries;
import dev.caravan.operate.failed.BulkRetry;
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

    private final BulkRetries retries;
    private final Actor actor;
    private final Consumer<String> report;
    private final List<BulkRetry> started = new ArrayList<>();

    FollowedBulkRetries(BulkRetries retries, Actor actor, Consumer<String> report) {
        this.retries = retries;
        this.actor = actor;
        this.report = report;
    }

    void add(BulkRetry retry) {
        started.add(retry);
        report.accept("Started bulk retry " + retry.id() + " of " + retry.subscription() + ".");
    }

    /** The subscriptions whose dead letters they retry. */
    List<String> subscriptions() {
        return started.stream().map(BulkRetry::subscription).toList();
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
        List<BulkRetry> all = started;
        String reported = "";
        while (all.stream().anyMatch(BulkRetry::isRunning) && interruption.mayContinue()) {
            for (BulkRetry each : all) {
                retries.step(each.id());
            }
            all = retries.existing(started);
            String waits = all.stream()
                    .filter(BulkRetry::isRunning)
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
        List<BulkRetry> ended = all;
        BulkRetry.gone(started, ended).forEach(report);
        output.print(text(ended), fields(ended, others));
        if (!interruption.mayContinue()) {
            return Interruption.EXIT;
        }
        boolean allExist = ended.size() == started.size();
        return allExist && ended.stream().allMatch(each -> each.state() == BulkRetry.State.DONE) ? 0 : 1;
    }

    private void pause(List<BulkRetry> all) throws SQLException {
        for (BulkRetry each : all) {
            retries.pause(each.id(), actor);
        }
    }

    private static String text(List<BulkRetry> all) {
        return all.stream().map(each -> each.statement() + next(each)).collect(Collectors.joining("\n"));
    }

    private static Map<String, Object> fields(List<BulkRetry> all, Map<String, Object> others) {
        Map<String, Object> fields = new LinkedHashMap<>(others);
        fields.put("bulkRetries", all.stream().map(BulkRetry::fields).toList());
        return fields;
    }

    private static String next(BulkRetry retry) {
        return switch (retry.state()) {
            case PAUSED, STOPPED -> " To continue: ./caravan bulk-retries resume " + retry.id();
            default -> "";
        };
    }
}
