package dev.caravan.console.api;

import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Body;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.BulkChange;
import dev.caravan.operate.failed.ChangePace;
import dev.caravan.operate.failed.Selection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** A request to change many messages: either counts them (dry run), or starts a job with a rate limit. */
record Bulk(boolean dryRun, int rate) {
    private static final int MAX_RATE = 1_000_000;
    private static final String RETRY = "retry";

    /** Limits the time of a count to 3 s. A count that is cut off is reported as a lower bound. */
    static final class Deadline {
        private final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        private boolean passed;

        boolean mayContinue() {
            passed = System.nanoTime() - end > 0;
            return !passed;
        }

        boolean passed() {
            return passed;
        }
    }

    /** Reads the ids of the messages to change. */
    @FunctionalInterface
    interface Matching {
        Selection select(LongPredicate progress) throws SQLException;
    }

    /**
     * A kind of messages that can be changed, with its actions.
     *
     * @param noun name of the messages: {@code dead letters}
     * @param filter names of the filter fields
     * @param selection selects the messages that match a filter
     * @param byId loads messages that a person selected one by one
     * @param retry the action {@code retry}
     * @param observed the action {@code retry} where its outcome can be observed
     * @param removal name of the action that removes messages; it requires a reason
     * @param remove the action that removes messages
     * @param discard id of the removal, if it can be undone
     */
    record Kind(
            String noun,
            Set<String> filter,
            Function<Body, Matching> selection,
            SelectedIds.Loader byId,
            Function<Actor, BulkChange.Change> retry,
            Optional<BiFunction<Body, Actor, ObservedRetries>> observed,
            String removal,
            Function<Actor, BulkChange.Change> remove,
            Optional<UUID> discard) {}

    /** Runs the request. */
    static ApiResponse answer(Call call, DataSource database, Jobs jobs, Kind kind) throws SQLException {
        Body body = call.body();
        String action = action(body, RETRY, kind.removal);
        Bulk bulk = of(body);
        boolean removes = action.equals(kind.removal);
        Actor by = removes && !bulk.dryRun ? call.actorWithReason() : call.actor();
        Body filter = body.object("filter").orElse(Body.empty());
        filter.requireKnown(Stream.concat(kind.filter.stream(), Stream.of(SelectedIds.FIELD))
                .collect(Collectors.toCollection(TreeSet::new)));
        Optional<Matching> selected = SelectedIds.of(filter).map(ids -> ids.matching(kind.byId));
        Optional<String> subscription = filter.text("subscription");
        if (subscription.isPresent()) {
            Operations.requireSubscription(database, subscription.get());
        }
        return bulk.answer(
                jobs,
                new Job.Task(action, subscription, details(kind.noun, filter)),
                kind.discard.filter(discard -> removes),
                filter,
                selected.orElseGet(() -> kind.selection.apply(filter)),
                (removes ? kind.remove : kind.retry).apply(by),
                kind.observed.filter(retry -> !removes).map(retry -> retry.apply(filter, by)));
    }

    static Bulk of(Body body) {
        return new Bulk(
                body.flag("dryRun"), body.number("rate", 1, MAX_RATE).orElse(0L).intValue());
    }

    /** The requested action. @throws HttpProblem unless it is one of the known actions */
    private static String action(Body body, String... actions) {
        String action = body.text("action").orElse("");
        if (!List.of(actions).contains(action)) {
            throw HttpProblem.wrong("action must be " + String.join(" or ", actions) + ". Nothing was changed.");
        }
        return action;
    }

    /** The details of a job as the API shows them. */
    static Map<String, Object> details(String noun, Body filter) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("of", noun);
        details.put("filter", filter.fields());
        return details;
    }

    ChangePace pace(Job job) {
        return new ChangePace(rate, job);
    }

    /**
     * Responds with the number of messages, or with the started job.
     *
     * @param discard id of the change, if it can be undone
     * @param filter the filter as it was given
     */
    ApiResponse answer(
            Jobs jobs,
            Job.Task task,
            Optional<UUID> discard,
            Body filter,
            Matching selection,
            BulkChange.Change change,
            Optional<ObservedRetries> observed)
            throws SQLException {
        if (dryRun) {
            Deadline deadline = new Deadline();
            long messages = selection.select(found -> deadline.mayContinue()).size();
            return ApiResponse.of(counted(messages, deadline.passed(), filter));
        }
        Job started = jobs.start(task, job -> {
            if (observed.isPresent()) {
                observed.get().limitToNow();
            }
            Selection set = selection.select(found -> job.mayContinue());
            job.total(set.size());
            Selection rest = observed.isPresent() ? observed.get().start(set, rate, job) : set;
            boolean changed =
                    job.mayContinue() && new BulkChange(change, pace(job)).run(rest, job::mayContinue, job::done);
            return observed.isPresent() ? observed.get().follow(rest.size(), job) : changed;
        });
        discard.ifPresent(started::discard);
        return ApiResponse.accepted(started.fields());
    }

    /**
     * The fields of the response to a dry run. It contains each age, such as 2h, as a point in time, because an age means a different time in
     * the next request. A change with these times selects the messages that were counted.
     *
     * @param more true when the count is a lower bound
     * @param filter the filter as it was given
     */
    static Map<String, Object> counted(long messages, boolean more, Body filter) {
        Map<String, Object> times = new LinkedHashMap<>();
        for (String name : List.of("since", "until", "failingSince")) {
            filter.time(name).ifPresent(time -> times.put(name, time.toString()));
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("messages", messages);
        fields.put("more", more);
        fields.put("times", times);
        return fields;
    }
}
