package dev.caravan.console.api;

import dev.caravan.console.http.HttpProblem;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.BulkRetries;
import dev.caravan.operate.failed.BulkRetry;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The bulk retries that a job has started and observes. They continue if the job ends. */
final class ObservedRetries {
    private static final long STEP_NANOS = 200_000_000L;

    private final BulkRetries retries;
    private MessageFilter filter;
    private final boolean areSelected;
    private final Actor actor;
    private final List<BulkRetry> started = new ArrayList<>();

    /** @param areSelected whether a person selected the messages one by one, and not by the filter */
    ObservedRetries(BulkRetries retries, MessageFilter filter, boolean areSelected, Actor actor) {
        this.retries = retries;
        this.filter = filter;
        this.areSelected = areSelected;
        this.actor = actor;
    }

    /** Limits the filter to dead letters that failed before now. Called before the dead letters are selected. */
    void limitToNow() throws SQLException {
        filter = retries.untilNow(filter);
    }

    /**
     * Starts a bulk retry for each subscription that a relay works.
     *
     * @param rate maximum number of messages per second; 0 for no limit
     * @return the messages of the other subscriptions
     */
    Selection start(Selection set, int rate, Job job) throws SQLException {
        OptionalInt limit = rate == 0 ? OptionalInt.empty() : OptionalInt.of(rate);
        for (var counted : set.counts().entrySet()) {
            String subscription = counted.getKey();
            if (job.mayContinue() && retries.isObserved(subscription)) {
                started.add(
                        areSelected
                                ? retries.startSelected(filter, subscription, set.ids(subscription), limit, actor)
                                : retries.start(filter, subscription, counted.getValue(), limit, actor));
                job.continuation(continuation());
            }
        }
        return set.without(started.stream().map(BulkRetry::subscription).toList());
    }

    private String continuation() {
        String ids = started.stream().map(each -> Long.toString(each.id())).collect(Collectors.joining(", "));
        return "Relays continue the started bulk retries that have not ended or stopped (" + ids
                + "). Resume one that has stopped. For dead letters of other subscriptions, start the job again.";
    }

    /**
     * Observes the bulk retries until they have ended, or the job may not continue. If a person has cancelled the job, they are cancelled;
     * if the relay stops, they continue.
     *
     * @param others number of messages that were retried without a bulk retry
     * @throws HttpProblem if a bulk retry has stopped, was cancelled or no longer exists
     */
    boolean follow(long others, Job job) throws SQLException, InterruptedException {
        while (job.mayContinue()) {
            for (BulkRetry each : started) {
                retries.step(each.id());
            }
            List<BulkRetry> now = retries.existing(started);
            job.done(others + now.stream().mapToLong(BulkRetry::retried).sum());
            job.waitsFor(now.stream()
                    .flatMap(each -> each.waitsFor().stream())
                    .distinct()
                    .collect(Collectors.joining(", ")));
            if (now.stream().noneMatch(each -> each.isRunning() || each.state() == BulkRetry.State.PAUSED)) {
                return ended(now);
            }
            job.pass(STEP_NANOS);
        }
        if (job.isCancelled()) {
            for (BulkRetry each : retries.existing(started)) {
                retries.cancel(each.id(), actor);
            }
        }
        return false;
    }

    private boolean ended(List<BulkRetry> now) {
        Stream<String> undone = now.stream()
                .filter(each -> each.state() != BulkRetry.State.DONE)
                .map(BulkRetry::statement);
        String problems =
                Stream.concat(undone, BulkRetry.gone(started, now).stream()).collect(Collectors.joining(" "));
        if (!problems.isEmpty()) {
            throw HttpProblem.conflict(problems);
        }
        return true;
    }
}
