package dev.caravan.console.api;

import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Operation;
import dev.caravan.console.http.Values;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.Discarded;
import dev.caravan.operate.failed.DiscardedSearch;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Page;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.list.RowFormat;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/** The operations on discarded dead letters. */
final class DiscardedOperations {
    private static final String LIST = "/api/dead-letters/discarded";
    private static final Set<String> FILTER =
            Set.of("subscription", "type", "key", "error", "since", "until", "discard");

    private final DataSource database;
    private final JobRunner jobs;
    private final Discards discards;
    private final DiscardedSearch search;

    DiscardedOperations(DataSource database, JobRunner jobs, Discards discards) {
        this.database = database;
        this.jobs = jobs;
        this.discards = discards;
        search = new DiscardedSearch(database);
    }

    List<Operation> all() {
        return List.of(
                Operation.get(LIST, DeadLetterOperations.with(FILTER, "limit", "after", "format"), this::list),
                Operation.post(
                                LIST + "/undo",
                                Set.of("filter", "all", "rate", "reason", "by", "dryRun"),
                                this::undoMany)
                        .countedAs("undo-discard"),
                Operation.post(LIST + "/{subscription}/{id}/undo", Set.of("reason", "by"), this::undo)
                        .countedAs("undo-discard"));
    }

    private ApiResponse list(Call call) throws SQLException {
        MessageFilter filter = filter(call);
        Operations.requireStored(database, filter.subscription());
        Optional<RowFormat> format = ListExport.format(call);
        if (format.isPresent()) {
            return ListExport.of(format.get(), "discarded", Discarded.COLUMNS, search.parts(filter));
        }
        Page<Discarded> page = search.page(filter, call.text("after").map(Cursors::read), call.limit());
        return ApiResponse.page(page.items(), page.next().map(Cursors::text));
    }

    private ApiResponse undo(Call call) throws SQLException {
        Actor by = call.actor();
        String name = call.path("subscription");
        long id = call.pathId("id");
        Optional<Discarded> found = discards.find(name, id);
        if (found.isEmpty()) {
            return DeadLetterOperations.notFound(call, database, name, id, "is not a stored discarded dead letter");
        }
        if (discards.undo(Selection.only(found.get()), by) == 0) {
            throw HttpProblem.conflict("Could not undo the discard of " + name + " " + id
                    + ": it changed meanwhile (restored, deleted, or replayed), or another message has its id now."
                    + " Nothing was changed.");
        }
        return ApiResponse.changed();
    }

    private ApiResponse undoMany(Call call) throws SQLException {
        return Bulk.answer(
                call,
                database,
                jobs,
                new Bulk.Kind(
                        "discarded dead letters",
                        FILTER,
                        DiscardedOperations::filter,
                        search,
                        (name, ids) -> List.of(),
                        List.of("undo-discard")),
                Optional.empty());
    }

    private static MessageFilter filter(Values given) {
        return DeadLetterOperations.filterOfAll(given)
                .between(given.timeRange())
                .discardedBy(given.uuid("discard"));
    }
}
