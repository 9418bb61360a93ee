package dev.caravan.console.api;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.NearestName;
import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.HttpFailures;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.ManagementSettings;
import dev.caravan.console.http.Operation;
import dev.caravan.console.http.Rights;
import dev.caravan.console.http.Role;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.partition.PartitionReader;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.subscription.Subscriptions;
import dev.caravan.operate.watch.OutboxSurvey;
import dev.caravan.routes.context.FilesNotLoaded;
import dev.caravan.routes.context.RouteOutline;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.util.function.ThrowingSupplier;

/** All operations of the HTTP API on one outbox. {@code openapi.json} describes them. */
final class Operations implements AutoCloseable {
    /** The operations on this relay and its routes, not on an outbox. */
    private static final Set<String> OF_THE_RELAY = Set.of(
            "GET /api/openapi.json",
            "GET /api/me",
            "GET /api/outboxes",
            "GET /api/routes",
            "POST /api/dead-letters/{subscription}/{id}/try");

    private final JobRunner runner;
    private final PartitionReader partitions = new PartitionReader();
    private final List<Operation> all;

    /**
     * @param database its sessions have the schema of the outbox
     * @param by the process that answers
     * @param retention determines the state of the partitions
     */
    Operations(
            DataSource database,
            Settings settings,
            ManagementSettings management,
            ServedBy by,
            Observed observed,
            OutboxSurvey survey,
            Retention retention) {
        Discards discards = Discards.from(settings, database);
        Jobs jobs = new Jobs(database, discards.canBeUndone());
        runner = new JobRunner(jobs);
        MissingGrants grants = new MissingGrants(database);
        all = Stream.of(
                        new SystemOperations(database, observed, by).all(),
                        new SubscriptionOperations(database, runner, observed.samples()).all(),
                        new IntakeOperations(database).all(),
                        new DeadLetterOperations(
                                        database,
                                        runner,
                                        management.mask(),
                                        by.routes().map(routes -> new Trials(settings, management.mask())),
                                        discards)
                                .all(),
                        new DiscardedOperations(database, runner, discards).all(),
                        new JobOperations(jobs, runner).all(),
                        new RetryOperations(database, runner, management.mask()).all(),
                        new MessageOperations(database, management.mask(), observed.samples()).all(),
                        List.of(
                                Operation.get(
                                        "/api/outboxes",
                                        Set.of(),
                                        call -> outboxes(survey, call.caller().rights())),
                                Operation.get("/api/partitions", Set.of(), call -> partitions(database, retention)),
                                Operation.get("/api/routes", Set.of(), call -> routes(by, call.role()))))
                .flatMap(List::stream)
                .map(operation -> operation.handledBy(grants.reportedBy(operation.handler())))
                .toList();
    }

    private static ApiResponse outboxes(OutboxSurvey survey, Rights rights) throws SQLException {
        return ApiResponse.items(survey.latest().stream()
                .filter(status -> rights.in(status.outbox().schema()).isPresent())
                .toList());
    }

    record Routes(List<RouteOutline> items, List<String> errorHandling, Set<String> filesNotLoaded) {}

    /** Addresses may contain credentials in their paths, which only an administrator needs. */
    private static ApiResponse routes(ServedBy by, Role role) {
        return ApiResponse.of(by.routes()
                .map(context -> new Routes(
                        RouteOutline.all(context).stream()
                                .map(route -> role.includes(Role.ADMIN) ? route : route.masked())
                                .toList(),
                        RouteOutline.errorHandling(context),
                        FilesNotLoaded.of(context).names()))
                .orElseGet(() -> new Routes(List.of(), List.of(), Set.of())));
    }

    private ApiResponse partitions(DataSource database, Retention retention) throws SQLException {
        return ApiResponse.items(partitions.all(database, retention));
    }

    List<Operation> all() {
        return all;
    }

    /** The operations that can be requested for another outbox of the database too. */
    List<Operation> ofAnOutbox() {
        return all.stream()
                .filter(operation -> !OF_THE_RELAY.contains(operation.toString()))
                .toList();
    }

    /** The kinds of changes by people that are counted. */
    Set<String> kindsOfChange() {
        return all.stream()
                .map(Operation::change)
                .filter(kind -> !kind.isEmpty() && !kind.equals("bulk")) // counted as the action in the body
                .collect(Collectors.toSet());
    }

    /** Stops the jobs after their current step. */
    @Override
    public void close() {
        runner.close();
    }

    /**
     * Reads what the response to a committed change shows.
     *
     * @throws HttpProblem if it cannot be read: the text says that the change was made
     */
    static <T> T afterChange(ThrowingSupplier<T, SQLException> reading) {
        try {
            return reading.get();
        } catch (SQLException e) {
            throw new HttpProblem(
                    503,
                    "The change was made. Could not read its result: "
                            + HttpFailures.textOfStep(e, "the result of a change"));
        }
    }

    /**
     * @param change what could not be done otherwise: {@code retry order 7}
     * @param meanwhile what may have happened to the message
     */
    static void requireDone(boolean done, String change, String meanwhile) {
        if (!done) {
            throw HttpProblem.conflict(
                    "Could not " + change + ": it changed meanwhile (" + meanwhile + "). Nothing was changed.");
        }
    }

    /** @throws HttpProblem for an unknown subscription, with the nearest known name */
    static void requireSubscription(DataSource database, String name) throws SQLException {
        require("subscription", name, new Subscriptions(database).names());
    }

    /**
     * @param kind {@code subscription} or {@code intake}
     * @throws HttpProblem for an unknown name, with the nearest known one
     */
    static void require(String kind, String name, List<String> names) {
        if (!names.contains(name)) {
            throw HttpProblem.missing("There is no " + kind + " " + name.replaceAll("\\p{Cc}", " ")
                    + NearestName.suggestion(name, names, ".")
                    + " Nothing was changed.");
        }
    }

    /**
     * Like {@link #requireSubscription}, for what is read of a message: also accepts the subscription of the rejected rows of an intake.
     */
    static void requireReader(DataSource database, String name) throws SQLException {
        require("subscription", name, new Subscriptions(database).withIntakes());
    }

    /**
     * Like {@link #requireSubscription}, for a filter: also accepts a subscription that was deleted while something of it is stored.
     *
     * @param name empty for all subscriptions
     */
    static void requireStored(DataSource database, Optional<String> name) throws SQLException {
        if (name.isPresent() && !new Subscriptions(database).isStored(name.get())) {
            requireReader(database, name.get());
        }
    }
}
