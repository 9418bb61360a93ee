package dev.caravan.console.api;

import com.fasterxml.jackson.databind.util.RawValue;
import dev.caravan.base.settings.ProgramVersion;
import dev.caravan.base.text.TextFile;
import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.Caller;
import dev.caravan.console.http.HttpFailures;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Operation;
import dev.caravan.console.http.Role;
import dev.caravan.database.DatabaseClock;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.explain.Charts;
import dev.caravan.operate.explain.Diagnosis;
import dev.caravan.operate.explain.Diagnosis.Verdict;
import dev.caravan.operate.explain.History;
import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.explain.StoredHistory;
import dev.caravan.operate.failed.Shown;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.list.RowFormat;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** The operations on the whole system: overview, samples, relays and audit. */
final class SystemOperations {
    private static final Duration SHORTEST_RANGE = Duration.ofSeconds(10);

    /** A minute more than is kept, because the age 7d was counted before the request arrived, perhaps by another clock. */
    private static final Duration LONGEST_RANGE = StoredHistory.KEPT.plusMinutes(1);

    private final DataSource database;
    private final Observed observed;
    private final ServedBy by;
    private final Charts charts;

    SystemOperations(DataSource database, Observed observed, ServedBy by) {
        this.database = database;
        this.observed = observed;
        this.by = by;
        charts = new Charts(
                database,
                observed.samples(),
                observed.always(),
                by.routes().filter(routes -> observed.always()).map(routes -> by.name()));
    }

    List<Operation> all() {
        return List.of(
                Operation.get("/api/openapi.json", Set.of(), call -> openApi()),
                Operation.get("/api/me", Set.of("outbox"), this::me),
                Operation.get("/api/overview", Set.of(), call -> overview()),
                Operation.get("/api/history", Set.of("minutes", "from", "to", "subscription"), this::history),
                Operation.get("/api/relays", Set.of(), call -> relays()),
                Operation.get("/api/audit", Set.of("subscription", "limit", "before", "format"), this::audit));
    }

    private static ApiResponse openApi() {
        return new ApiResponse(
                200, new RawValue(TextFile.resource("/api/openapi.json").orElseThrow()));
    }

    /** @param runsRoutes false for a console whose routes run in other processes */
    record Me(Optional<String> name, Role role, String via, String relay, boolean runsRoutes, String version) {}

    private ApiResponse me(Call call) {
        Caller caller = call.caller();
        return ApiResponse.of(new Me(
                caller.name(),
                call.text("outbox").map(caller::in).orElseGet(call::role),
                caller.via().text(),
                by.name(),
                by.routes().isPresent(),
                ProgramVersion.text()));
    }

    record Overview(
            Instant at,
            Optional<Instant> databaseUnavailableSince,
            String relay,
            String version,
            Verdict verdict,
            List<Problem> problems,
            List<Subscription> subscriptions,
            List<IntakeStatus> intakes) {}

    /** While the database is unavailable, the overview has the last sample and says so. */
    private ApiResponse overview() throws SQLException {
        try {
            List<SubscriptionStatus> all = SubscriptionStatus.all(database);
            List<IntakeStatus> intakes = new Intakes(database).list();
            List<Problem> problems = Diagnosis.of(
                    database,
                    observed.samples(),
                    all,
                    intakes,
                    sampledPartitions(),
                    observed.filesNotLoaded().names());
            return overview(Instant.now(), all, intakes, problems, Diagnosis.verdict(problems, all), Optional.empty());
        } catch (SQLException e) {
            Optional<Sample> last = observed.latest().get();
            if (last.isEmpty() || !HttpFailures.isDatabaseUnavailable(e)) {
                throw e;
            }
            Instant since = observed.unavailableSince().get().orElse(last.get().at());
            Problem problem = Problem.ofDatabase(since);
            return overview(
                    last.get().at(),
                    last.get().subscriptions(),
                    last.get().intakes(),
                    List.of(problem),
                    new Verdict("down", "down: " + problem.text()),
                    Optional.of(since));
        }
    }

    private ApiResponse overview(
            Instant at,
            List<SubscriptionStatus> all,
            List<IntakeStatus> intakes,
            List<Problem> problems,
            Verdict verdict,
            Optional<Instant> databaseUnavailableSince) {
        return ApiResponse.of(new Overview(
                at,
                databaseUnavailableSince,
                by.name(),
                ProgramVersion.text(),
                verdict,
                problems,
                all.stream()
                        .map(status -> Subscription.of(status, observed.samples()))
                        .toList(),
                intakes));
    }

    /** The partitions of the last sample, because they change slowly. */
    private List<Partition> sampledPartitions() {
        return observed.latest().get().map(Sample::partitions).orElse(List.of());
    }

    private ApiResponse history(Call call) throws SQLException {
        Instant now = observed.always() ? Instant.now() : DatabaseClock.now(database);
        Optional<Instant> from = call.time("from");
        Optional<Instant> to = call.time("to");
        if (call.text("minutes").isPresent() && (from.isPresent() || to.isPresent())) {
            throw HttpProblem.wrong("minutes, and from and to, exclude each other.");
        }
        if (to.isPresent() && from.isEmpty()) {
            throw HttpProblem.wrong("from is missing: the time at which the range begins.");
        }
        int minutes = (int) call.numberOr("minutes", RecentSamples.MINUTES, 1, StoredHistory.MINUTES);
        Instant begin = from.orElse(now.minus(Duration.ofMinutes(minutes)));
        Instant end = to.orElse(now);
        from.ifPresent(any -> requireRange(begin, end, now));
        return ApiResponse.of(ofKnown(charts.history(begin, end, call.text("subscription")), call));
    }

    private static void requireRange(Instant from, Instant to, Instant now) {
        if (from.isAfter(now)) {
            throw HttpProblem.wrong("from (" + seconds(from) + ") is in the future.");
        }
        if (from.isBefore(now.minus(LONGEST_RANGE))) {
            throw HttpProblem.wrong(
                    "from (" + seconds(from) + ") is too long ago: samples are kept for 7 days. Use a time after "
                            + seconds(now.minus(StoredHistory.KEPT)) + ".");
        }
        Duration length = Duration.between(from, to);
        if (length.compareTo(SHORTEST_RANGE) < 0) {
            throw HttpProblem.wrong(
                    "from (" + seconds(from) + ") must be at least 10 s before to (" + seconds(to) + ").");
        }
        if (length.compareTo(LONGEST_RANGE) > 0) {
            throw HttpProblem.wrong(
                    "The range from " + seconds(from) + " to " + seconds(to) + " is longer than 7 days.");
        }
    }

    private static Instant seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS);
    }

    /** The history, unless it has no sample of the subscription because there is none of this name. */
    private History ofKnown(History history, Call call) throws SQLException {
        Optional<String> name = call.text("subscription");
        if (name.isPresent() && !history.subscriptions().containsKey(name.get())) {
            Operations.requireSubscription(database, name.get());
        }
        return history;
    }

    /** @param followsTail whether the lane takes its messages from the tail of its relay; empty until the relay has reported it */
    record Lane(String subscription, int lane, long epoch, Optional<Boolean> followsTail, Instant leaseUntil) {}

    private record Lease(String relay, Optional<Lane> lane, Instant until) {}

    record Relay(String relay, List<Lane> lanes, Instant seenAt) {
        /** A relay with a valid lease was seen now; otherwise it was last seen when its last lease expired. */
        static Relay of(String name, List<Lease> leases, Instant now) {
            Instant until =
                    leases.stream().map(Lease::until).max(Instant::compareTo).orElseThrow();
            return new Relay(
                    name,
                    leases.stream().flatMap(lease -> lease.lane().stream()).toList(),
                    until.isAfter(now) ? now : until);
        }
    }

    private ApiResponse relays() throws SQLException {
        Map<String, List<Lease>> byRelay =
                Transaction.run(database, connection -> Sql.file("console/relays")
                                .query(connection, Lease.class))
                        .stream()
                        .collect(Collectors.groupingBy(Lease::relay, TreeMap::new, Collectors.toList()));
        Instant now = DatabaseClock.now(database);
        return ApiResponse.items(byRelay.entrySet().stream()
                .map(held -> Relay.of(held.getKey(), held.getValue(), now))
                .toList());
    }

    private ApiResponse audit(Call call) throws SQLException {
        int limit = call.limit();
        long before = call.id("before").orElse(Long.MAX_VALUE);
        Audit audit = new Audit(database);
        Optional<String> name = call.text("subscription");
        Operations.requireStored(database, name);
        Optional<RowFormat> format = ListExport.format(call);
        if (format.isPresent()) {
            return ListExport.of(
                    format.get(), "audit", AuditEntry.COLUMNS, audit.parts(name).map(Shown.NAMES_ONLY::all));
        }
        return ApiResponse.items(Shown.NAMES_ONLY.all(audit.latest(name, before, limit)));
    }
}
