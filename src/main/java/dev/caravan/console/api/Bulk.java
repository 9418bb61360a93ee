package dev.caravan.console.api;

import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Body;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Values;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Search;
import dev.caravan.operate.job.Jobs;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongPredicate;
import javax.sql.DataSource;

/** A request to change many messages: either counts them (dry run), or starts a job with a rate limit. */
record Bulk(boolean dryRun, int rate) {
    private static final int MAX_RATE = 1_000_000;

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

    /**
     * A kind of messages that can be changed, with its actions.
     *
     * @param noun name of the messages: {@code dead letters}
     * @param known names of the filter fields
     * @param filter reads the filter
     * @param search counts the messages that match
     * @param byId loads messages that a person selected one by one
     * @param actions the possible actions
     */
    record Kind(
            String noun,
            Set<String> known,
            Function<Values, MessageFilter> filter,
            Search<?> search,
            SelectedIds.Loader byId,
            List<String> actions) {}

    /** Actions that remove messages: they require a reason. */
    private static final Set<String> REMOVALS = Set.of("discard", "give-up");

    /** Responds with the number of messages, or with the started job. */
    static ApiResponse answer(Call call, DataSource database, JobRunner jobs, Kind kind, Optional<UUID> discard)
            throws SQLException {
        Body body = call.body();
        String action = action(body, kind.actions);
        Bulk bulk = of(body);
        Actor by = REMOVALS.contains(action) && !bulk.dryRun ? call.actorWithReason() : call.actor();
        Body given = body.object("filter").orElse(Body.empty());
        given.requireKnown(kind.known);
        Optional<SelectedIds> selected = SelectedIds.of(given);
        MessageFilter filter = kind.filter.apply(given);
        requireFilterOrAll(
                body,
                selected.isPresent() || !filter.equals(MessageFilter.ALL),
                "filter with " + String.join(", ", new TreeSet<>(kind.known)));
        Operations.requireStored(database, filter.subscription());
        if (bulk.dryRun) {
            Deadline deadline = new Deadline();
            LongPredicate mayContinue = found -> deadline.mayContinue();
            long messages = selected.isPresent()
                    ? selected.get().count(kind.byId, mayContinue)
                    : kind.search.select(filter, mayContinue).size();
            return ApiResponse.of(counted(messages, deadline.passed(), given));
        }
        Map<String, ?> details =
                Map.of("of", kind.noun, "filter", selected.isPresent() ? given.fields() : filter.fields());
        return ApiResponse.accepted(jobs.start(
                new Jobs.Task(action, filter.subscription(), details),
                bulk.rate,
                discard.filter(id -> action.equals("discard")),
                by));
    }

    /**
     * Requires {@code all} for a change of everything, so that a filter left out by mistake does not change all messages.
     *
     * @param restricts whether the request has a filter
     * @param filters the possible filters, for the problem
     */
    static void requireFilterOrAll(Body body, boolean restricts, String filters) {
        if (restricts == body.flag("all")) {
            throw HttpProblem.wrong(
                    restricts
                            ? "Use all or filters, not both. Nothing was changed."
                            : "Nothing is selected. Use " + filters + "; or \"all\": true. Nothing was changed.");
        }
    }

    static Bulk of(Body body) {
        return new Bulk(
                body.flag("dryRun"), body.number("rate", 1, MAX_RATE).orElse(0L).intValue());
    }

    /** The requested action, the only one if there is one. @throws HttpProblem unless it is one of the known actions */
    private static String action(Body body, List<String> actions) {
        if (actions.size() == 1) {
            return actions.get(0);
        }
        String action = body.text("action").orElse("");
        if (!actions.contains(action)) {
            throw HttpProblem.wrong("action must be " + String.join(" or ", actions) + ". Nothing was changed.");
        }
        return action;
    }

    /**
     * The response to a dry run. It contains each age, such as 2h, as a point in time, because an age means a different time in
     * the next request. A change with these times selects the messages that were counted.
     *
     * @param more true when the count is a lower bound
     * @param filter the filter as it was given
     */
    static Counted counted(long messages, boolean more, Body filter) {
        Map<String, Instant> times = new LinkedHashMap<>();
        for (String name : List.of("since", "until", "failingSince")) {
            filter.time(name).ifPresent(time -> times.put(name, time));
        }
        return new Counted(messages, more, times);
    }

    record Counted(long messages, boolean more, Map<String, Instant> times) {}
}
