package dev.caravan.api;

import dev.caravan.deadletter.FrozenSet;
import dev.caravan.deadletter.Pace;
import dev.caravan.deadletter.Sweep;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;

/** What all changes of many messages share: count them without changing, or begin a job at a pace. */
record Bulk(boolean dryRun, int rate) {
    private static final int FASTEST = 1_000_000;

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
    interface Selection {
        FrozenSet freeze(LongPredicate going) throws SQLException;
    }

    static Bulk of(Body body) {
        return new Bulk(
                body.flag("dryRun"), body.number("rate", 1, FASTEST).orElse(0L).intValue());
    }

    /** What is to be done, one of the known ones. */
    static String action(Body body, String... known) {
        String action = body.text("action").orElse("");
        if (!List.of(known).contains(action)) {
            throw Problem.wrong("action must be " + String.join(" or ", known) + ". Nothing was changed.");
        }
        return action;
    }

    /** What a job is about, as it is shown. */
    static Map<String, Object> details(String of, Body filter) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("of", of);
        details.put("filter", filter.fields());
        return details;
    }

    Pace pace() {
        return new Pace(rate, Pace.Time.REAL);
    }

    /** Counts, or begins. */
    Answer answer(Jobs jobs, Job.Task task, Selection selection, Sweep.Change change) throws SQLException {
        if (dryRun) {
            Deadline deadline = new Deadline();
            long messages = selection.freeze(found -> deadline.goesOn()).size();
            return counted(messages, deadline.passed());
        }
        Pace pace = pace();
        return Answer.begun(jobs.start(task, job -> {
                    FrozenSet set = selection.freeze(found -> job.goesOn());
                    job.total(set.size());
                    return job.goesOn() && new Sweep(change, pace).run(set, job::goesOn, job::done);
                })
                .fields());
    }

    /** @param more whether there may be more than were counted */
    static Answer counted(long messages, boolean more) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("messages", messages);
        fields.put("more", more);
        return Answer.of(fields);
    }
}
