package dev.caravan.console.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.Operation;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.failed.Shown;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.intake.Intakes;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/** The operations on intakes. */
final class IntakeOperations {
    private static final int ENTRIES = 10;

    private final DataSource database;
    private final Intakes intakes;

    IntakeOperations(DataSource database) {
        this.database = database;
        intakes = new Intakes(database);
    }

    List<Operation> all() {
        return List.of(
                Operation.get("/api/intakes", Set.of(), call -> ApiResponse.items(intakes.list())),
                Operation.get("/api/intakes/{name}", Set.of(), this::show),
                Operation.post(
                        "/api/intakes/{name}/pause", Set.of("reason", "by"), call -> change(call, intakes::pause)),
                Operation.post(
                        "/api/intakes/{name}/resume", Set.of("reason", "by"), call -> change(call, intakes::resume)));
    }

    /** An intake and what people did with it. */
    record Details(@JsonUnwrapped IntakeStatus intake, List<AuditEntry> audit) {}

    private ApiResponse show(Call call) throws SQLException {
        IntakeStatus intake = find(call.path("name"));
        return ApiResponse.of(new Details(
                intake,
                Shown.NAMES_ONLY.all(
                        new Audit(database).latest(Optional.of(intake.subscription()), Long.MAX_VALUE, ENTRIES))));
    }

    record Changed(boolean changed, IntakeStatus intake) implements ApiResponse.Change {}

    @FunctionalInterface
    private interface Change {
        /** Returns false if there is nothing to change. */
        boolean of(String name, Actor by) throws SQLException;
    }

    private ApiResponse change(Call call, Change change) throws SQLException {
        String name = call.path("name");
        Actor by = call.actor();
        find(name);
        boolean changed = change.of(name, by);
        return ApiResponse.of(new Changed(changed, changed ? Operations.afterChange(() -> find(name)) : find(name)));
    }

    /** @throws dev.caravan.console.http.HttpProblem for an unknown intake, with the nearest known name */
    private IntakeStatus find(String name) throws SQLException {
        List<IntakeStatus> all = intakes.list();
        Operations.require("intake", name, all.stream().map(IntakeStatus::name).toList());
        return all.stream()
                .filter(intake -> intake.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
