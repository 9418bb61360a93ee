package dev.caravan.console.api;

import com.fasterxml.jackson.databind.util.RawValue;
import dev.caravan.base.settings.ProgramVersion;
import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpFailures;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Operation;
import dev.caravan.database.DatabaseClock;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.explain.Diagnosis;
import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.explain.StoredHistory;
import dev.caravan.operate.failed.Fields;
import dev.caravan.operate.failed.Shown;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import javax.sql.DataSource;

/** The operations on the whole system: overview, samples, relays, audit and jobs. */
final class SystemOperations {
    private final DataSource database;
    private final Observed observed;
    private final Jobs jobs;
    private final String relay;

    SystemOperations(DataSource database, Observed observed, Jobs jobs, String relay) {
        this.database = database;
        this.observed = observed;
        this.jobs = jobs;
        this.relay = relay;
    }

    List<Operation> all() {
        return List.of(
                Operation.get("/api/openapi.json", Set.of(), call -> openApi()),
                Operation.get("/api/me", Set.of("outbox"), this::me),
                Operation.get("/api/overview", Set.of(), call -> overview()),
                Operation.get("/api/history", Set.of("minutes"), this::history),
                Operation.get("/api/relays", Set.of(), call -> relays()),
                Operation.get("/api/audit", Set.of("subscription", "limit", "before"), this::audit),
                Operation.get(
                        "/api/jobs",
                        Set.of(),
                        call -> ApiResponse.items(
                                jobs.all().stream().map(Job::fields).toList())),
                Operation.get(
                        "/api/jobs/{id}",
                        Set.of(),
                        call -> ApiResponse.of(job(call).fields())),
                Operation.post("/api/jobs/{id}/cancel", Set.of(), this::cancel));
    }

    private static ApiResponse openApi() {
        try (var stream = SystemOperations.class.getResourceAsStream("/api/openapi.json")) {
            return new ApiResponse(200, new RawValue(new String(stream.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ApiResponse me(Call call) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", call.caller().name().orElse(null));
        fields.put(
                "role",
                call.text("outbox").map(call.caller()::in).orElseGet(call::role).toString());
        fields.put("via", call.caller().via().text());
        fields.put("relay", relay);
        fields.put("version", ProgramVersion.text());
        return ApiResponse.of(fields);
    }

    /** While the database is unavailable, the overview has the last sample and says so. */
    private ApiResponse overview() throws SQLException {
        try {
            List<SubscriptionStatus> all = SubscriptionStatus.all(database);
            List<Problem> problems = Diagnosis.of(
                    database,
                    observed.samples(),
                    all,
                    sampledPartitions(),
                    observed.filesNotLoaded().names());
            return overview(Instant.now(), all, problems, Diagnosis.verdict(problems, all), Optional.empty());
        } catch (SQLException e) {
            Optional<Sample> last = observed.latest();
            if (last.isEmpty() || !HttpFailures.isDatabaseUnavailable(e)) {
                throw e;
            }
            Instant since = observed.unavailableSince().orElse(last.get().at());
            Problem problem = Problem.ofDatabase(since);
            return overview(
                    last.get().at(),
                    last.get().subscriptions(),
                    List.of(problem),
                    Map.of("state", "down", "text", "down: " + problem.text()),
                    Optional.of(since));
        }
    }

    private ApiResponse overview(
            Instant at,
            List<SubscriptionStatus> all,
            List<Problem> problems,
            Map<String, Object> verdict,
            Optional<Instant> databaseUnavailableSince) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("at", at.toString());
        fields.put(
                "databaseUnavailableSince",
                databaseUnavailableSince.map(Instant::toString).orElse(null));
        fields.put("relay", relay);
        fields.put("version", ProgramVersion.text());
        fields.put("verdict", verdict);
        fields.put("problems", problems.stream().map(Problem::fields).toList());
        fields.put(
                "subscriptions",
                all.stream()
                        .map(status -> Subscription.of(status, observed.samples()))
                        .toList());
        return ApiResponse.of(fields);
    }

    /** The partitions of the last sample, because they change slowly. */
    private List<Partition> sampledPartitions() {
        return observed.latest().map(Sample::partitions).orElse(List.of());
    }

    private ApiResponse history(Call call) throws SQLException {
        int minutes = (int) call.numberOr("minutes", RecentSamples.MINUTES, 1, StoredHistory.MINUTES);
        return ApiResponse.of(
                minutes <= RecentSamples.MINUTES && observed.always()
                        ? observed.samples().fields(minutes, Instant.now())
                        : new StoredHistory(database).fields(minutes, DatabaseClock.now(database)));
    }

    private record Lease(String relay, Optional<Map<String, Object>> lane, Instant until) {}

    private ApiResponse relays() throws SQLException {
        List<Lease> leases = Transaction.run(
                database,
                connection -> Statement.query(
                        connection,
                        "console/relays",
                        row -> new Lease(
                                row.getString("relay"),
                                row.getObject("lane") == null ? Optional.empty() : Optional.of(lane(row)),
                                row.getObject("until", OffsetDateTime.class).toInstant())));
        Map<String, List<Lease>> byRelay = new TreeMap<>();
        leases.forEach(lease -> byRelay.computeIfAbsent(lease.relay(), name -> new ArrayList<>())
                .add(lease));
        List<Map<String, Object>> items = new ArrayList<>();
        Instant now = DatabaseClock.now(database);
        byRelay.forEach((name, held) -> items.add(relay(name, held, now)));
        return ApiResponse.items(items);
    }

    private static Map<String, Object> lane(java.sql.ResultSet row) throws SQLException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", row.getString("subscription"));
        fields.put("lane", row.getInt("lane"));
        fields.put("epoch", row.getLong("epoch"));
        fields.put(
                "leaseUntil",
                row.getObject("lease_until", OffsetDateTime.class).toInstant().toString());
        return fields;
    }

    /** A relay with a valid lease was seen now; otherwise it was last seen when its last lease expired. */
    private static Map<String, Object> relay(String name, List<Lease> leases, Instant now) {
        Instant until =
                leases.stream().map(Lease::until).max(Instant::compareTo).orElseThrow();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("relay", name);
        fields.put(
                "lanes", leases.stream().flatMap(lease -> lease.lane().stream()).toList());
        fields.put("seenAt", (until.isAfter(now) ? now : until).toString());
        return fields;
    }

    private ApiResponse audit(Call call) throws SQLException {
        int limit = (int) call.numberOr("limit", 50, 1, 1_000);
        long before = call.id("before").orElse(Long.MAX_VALUE);
        Audit audit = new Audit(database);
        Optional<String> name = call.text("subscription");
        List<AuditEntry> entries =
                name.isPresent() ? audit.ofSubscription(name.get(), before, limit) : audit.latest(before, limit);
        return ApiResponse.items(entries.stream()
                .map(entry -> Fields.of(entry, Shown.NAMES_ONLY))
                .toList());
    }

    private Job job(Call call) {
        return jobs.find(call.pathId("id"))
                .orElseThrow(() -> HttpProblem.missing(
                        "This relay (" + relay + ") does not have this job. Only the relay that started"
                                + " a job can show it, until 100 newer jobs exist. The audit lists the changes."));
    }

    /** Idempotent. */
    private ApiResponse cancel(Call call) {
        Job job = job(call);
        job.cancel();
        return ApiResponse.of(job.fields());
    }
}
