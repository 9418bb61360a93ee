package dev.caravan.console.api;

import dev.caravan.base.message.Mask;
import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Operation;
import dev.caravan.console.http.Values;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.failed.BlockedText;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Page;
import dev.caravan.operate.failed.Retries;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.failed.SortOrder;
import dev.caravan.operate.failed.Waiting;
import dev.caravan.operate.failed.WaitingSearch;
import dev.caravan.operate.failed.WaitingSummary;
import dev.caravan.operate.list.RowFormat;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/** The operations on waiting messages. */
final class RetryOperations {
    private static final Set<String> FILTER = Set.of("subscription", "type", "key", "error", "failingSince");
    private static final String ONE = "/api/retries/{subscription}/{id}";

    private final DataSource database;
    private final JobRunner jobs;
    private final Mask mask;
    private final Retries retries;

    RetryOperations(DataSource database, JobRunner jobs, Mask mask) {
        this.database = database;
        this.jobs = jobs;
        this.mask = mask;
        retries = new Retries(database);
    }

    List<Operation> all() {
        return List.of(
                Operation.get(
                        "/api/retries",
                        DeadLetterOperations.with(FILTER, "blocked", "sort", "limit", "after", "format", "payload"),
                        this::list),
                Operation.post(
                        "/api/retries/bulk",
                        Set.of("action", "filter", "all", "rate", "reason", "by", "dryRun"),
                        this::bulk),
                Operation.get(ONE, Set.of("payload"), this::show),
                Operation.post(ONE + "/retry", Set.of("reason", "by"), this::retry),
                Operation.post(ONE + "/give-up", Set.of("reason", "by"), this::giveUp));
    }

    private ApiResponse list(Call call) throws SQLException {
        int limit = call.limit();
        MessageFilter filter = filter(call, call.flag("blocked"));
        Operations.requireStored(database, filter.subscription());
        String field = filter.blocked() || filter.key().isPresent() ? "id" : "nextAttemptAt";
        SortOrder order = ListOrder.of(call, field, List.of(field));
        WaitingSearch search = new WaitingSearch(database, order.isDescending());
        Optional<RowFormat> format = ListExport.format(call);
        if (format.isPresent()) {
            return ListExport.withContent(
                    call,
                    mask,
                    format.get(),
                    filter.blocked() ? "blocked" : "retries",
                    WaitingSummary.COLUMNS,
                    search.parts(filter).map(retries::explained),
                    message ->
                            retries.find(message.subscription(), message.id()).map(Waiting::content));
        }
        Page<WaitingSummary> page = search.page(filter, ListOrder.after(call, order), limit);
        return ApiResponse.page(retries.explained(page.items()), page.next().map(Cursors::text));
    }

    private ApiResponse show(Call call) throws SQLException {
        Waiting message = retries.explained(find(call));
        WaitingSummary summary = message.summary();
        return ApiResponse.of(message.view(
                new Audit(database).ofMessage(summary.subscription(), summary.id()),
                DeadLetterOperations.shown(call, mask)));
    }

    private Waiting find(Call call) throws SQLException {
        String name = call.path("subscription");
        long id = call.pathId("id");
        Optional<Waiting> message = retries.find(name, id);
        if (message.isPresent()) {
            return message.get();
        }
        boolean dead = new DeadLetters(database).find(name, id).isPresent();
        return DeadLetterOperations.notFound(
                call, database, name, id, dead ? "is not waiting, it is a dead letter" : "is not waiting");
    }

    private ApiResponse retry(Call call) throws SQLException {
        Actor by = call.actor();
        Waiting message = findUnblocked(call);
        requireDone(retries.retry(Selection.only(message.summary()), by) == 1, "retry", message);
        return ApiResponse.changed();
    }

    private ApiResponse giveUp(Call call) throws SQLException {
        Actor by = call.actorWithReason();
        Waiting message = findUnblocked(call);
        requireDone(retries.giveUp(Selection.only(message.summary()), by) == 1, "give up", message);
        return ApiResponse.changed();
    }

    private Waiting findUnblocked(Call call) throws SQLException {
        Waiting message = find(call);
        WaitingSummary summary = message.summary();
        if (summary.isBlocked()) {
            throw HttpProblem.conflict(BlockedText.of(summary, retries.blocker(summary)) + " Nothing was changed.");
        }
        return message;
    }

    private static void requireDone(boolean done, String verb, Waiting message) {
        Operations.requireDone(done, verb + " " + message, "tried, given up, or blocked");
    }

    private ApiResponse bulk(Call call) throws SQLException {
        return Bulk.answer(
                call,
                database,
                jobs,
                new Bulk.Kind(
                        "retries",
                        DeadLetterOperations.with(FILTER, SelectedIds.FIELD),
                        given -> filter(given, false),
                        new WaitingSearch(database),
                        (name, ids) -> retries.load(name, ids).stream()
                                .filter(message -> !message.summary().isBlocked())
                                .toList(),
                        List.of("retry", "give-up")),
                Optional.empty());
    }

    private static MessageFilter filter(Values given, boolean blocked) {
        return DeadLetterOperations.filterOfAll(given).waiting(given.time("failingSince"), blocked);
    }
}
