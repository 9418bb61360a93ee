package dev.caravan.console.api;

import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Operation;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.BulkRetries;
import dev.caravan.operate.failed.BulkRetry;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/** The operations on bulk retries. */
final class BulkRetryOperations {
    private static final String ONE = "/api/bulk-retries/{id}";

    @FunctionalInterface
    private interface Change {
        boolean of(long id, Actor by) throws SQLException;
    }

    private final BulkRetries retries;

    BulkRetryOperations(DataSource database) {
        retries = new BulkRetries(database);
    }

    List<Operation> all() {
        return List.of(
                Operation.get("/api/bulk-retries", Set.of("limit"), this::list),
                Operation.get(
                        ONE,
                        Set.of(),
                        call -> ApiResponse.of(find(call.pathId("id")).fields())),
                Operation.post(ONE + "/pause", Set.of("reason", "by"), call -> change(call, retries::pause)),
                Operation.post(ONE + "/resume", Set.of("reason", "by"), call -> change(call, retries::resume)),
                Operation.post(ONE + "/cancel", Set.of("reason", "by"), call -> change(call, retries::cancel)));
    }

    private ApiResponse list(Call call) throws SQLException {
        return ApiResponse.items(retries.latest((int) call.numberOr("limit", 50, 1, 1_000)).stream()
                .map(BulkRetry::fields)
                .toList());
    }

    private BulkRetry find(long id) throws SQLException {
        return retries.find(id)
                .orElseThrow(() -> HttpProblem.missing("There is no bulk retry " + id + ". Nothing was changed."));
    }

    private ApiResponse change(Call call, Change change) throws SQLException {
        Actor by = call.actor();
        long id = find(call.pathId("id")).id();
        if (!change.of(id, by)) {
            throw HttpProblem.conflict(find(id).statement() + " Nothing was changed.");
        }
        return ApiResponse.of(Operations.afterChange(() -> find(id)).fields());
    }
}
