package dev.caravan.api;

import dev.caravan.audit.Actor;
import dev.caravan.http.Answer;
import dev.caravan.http.Body;
import dev.caravan.http.Call;
import dev.caravan.http.HttpProblem;
import dev.caravan.selection.BulkChange;
import dev.caravan.selection.ChangePace;
import dev.caravan.selection.Selection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongPredicate;
import javax.sql.DataSource;

/** What all changes of many messages share: count them without changing, or begin a job at a pace. */
record Bulk(boolean dryRun, int rate) {
    private static final int FASTEST = 1_000_000;
    private static final String RETRY = "retry";

    /** How long a request counts at most: many more messages than that are told as a lower bound. */
    static final class Deadline {
        private final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        private boolean passed;

        boolean goesOn() {
            passed = System.nanoTime() - end > 0;
            return !passed;
        }

        boolean passed() {
            return passed;
        }
    }

    /** Finds what is to be changed. */
    @FunctionalInterface
    interface Matching {
        Selection freeze(LongPredicate going) throws SQLException;
    }

    /**
     * What can be changed, and how.
     *
     * @param things their name
     * @param filter the fields of a filter
     * @param selection what a filter selects
     * @param again the action {@code retry}
     * @param trial which of those that are retried go first
     * @param end the word of the action that ends them, for which a reason is needed
     * @param ends that action
     */
    record Kind(
            String things,
            Set<String> filter,
            Function<Body, Matching> selection,
            Function<Actor, BulkChange.Change> again,
            BulkChange.Trial trial,
            String end,
            Function<Actor, BulkChange.Change> ends) {}

    /** Does what a request asks for with many. */
    static Answer answer(Call call, DataSource database, Jobs jobs, Kind kind) throws SQLException {
        Body body = call.body();
        String action = action(body, RETRY, kind.end);
        Bulk bulk = of(body);
        boolean ends = action.equals(kind.end);
        Actor by = ends && !bulk.dryRun ? call.signatureWithReason() : call.signature();
        Body filter = body.object("filter").orElse(Body.empty());
        filter.requireKnown(kind.filter);
        Optional<String> subscription = filter.text("subscription");
        if (subscription.isPresent()) {
            Operations.requireSubscription(database, subscription.get());
        }
        return bulk.answer(
                jobs,
                new Job.Task(action, subscription, details(kind.things, filter)),
                kind.selection.apply(filter),
                (ends ? kind.ends : kind.again).apply(by),
                ends ? BulkChange.Trial.NONE : kind.trial);
    }

    static Bulk of(Body body) {
        return new Bulk(
                body.flag("dryRun"), body.number("rate", 1, FASTEST).orElse(0L).intValue());
    }

    /** What is to be done, one of the known ones. */
    private static String action(Body body, String... known) {
        String action = body.text("action").orElse("");
        if (!List.of(known).contains(action)) {
            throw HttpProblem.wrong("action must be " + String.join(" or ", known) + ". Nothing was changed.");
        }
        return action;
    }

    /** What a job is about, as it is shown. */
    private static Map<String, Object> details(String of, Body filter) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("of", of);
        details.put("filter", filter.fields());
        return details;
    }

    ChangePace pace() {
        return new ChangePace(rate, ChangePace.Time.REAL);
    }

    /** Counts, or begins. */
    Answer answer(Jobs jobs, Job.Task task, Matching selection, BulkChange.Change change, BulkChange.Trial trial)
            throws SQLException {
        if (dryRun) {
            Deadline deadline = new Deadline();
            long messages = selection.freeze(found -> deadline.goesOn()).size();
            return counted(messages, deadline.passed());
        }
        ChangePace pace = pace();
        return Answer.begun(jobs.start(task, job -> {
                    Selection set = selection.freeze(found -> job.goesOn());
                    job.total(set.size());
                    return job.goesOn() && run(new BulkChange(change, pace, trial), set, job);
                })
                .fields());
    }

    private static boolean run(BulkChange sweep, Selection set, Job job) throws SQLException, InterruptedException {
        boolean whole = sweep.run(set, job::goesOn, job::done);
        if (whole && sweep.refusal().isPresent()) {
            throw HttpProblem.conflict(sweep.refusal().get());
        }
        return whole;
    }

    /** @param more whether there may be more than were counted */
    static Answer counted(long messages, boolean more) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("messages", messages);
        fields.put("more", more);
        return Answer.of(fields);
    }
}
