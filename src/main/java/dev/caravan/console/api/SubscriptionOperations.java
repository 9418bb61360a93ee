package dev.caravan.console.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.text.TimeRange;
import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Body;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Operation;
import dev.caravan.console.http.Role;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.explain.Gaps;
import dev.caravan.operate.explain.OpenTransaction;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.failed.BlockedKey;
import dev.caravan.operate.failed.Shown;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.replay.Replay;
import dev.caravan.operate.replay.ReplayFilter;
import dev.caravan.operate.subscription.HaltedSubscription;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** The operations on subscriptions. */
final class SubscriptionOperations {
    private static final int KEYS = 20;
    private static final int ENTRIES = 10;

    private final DataSource database;
    private final JobRunner jobs;
    private final RecentSamples samples;

    SubscriptionOperations(DataSource database, JobRunner jobs, RecentSamples samples) {
        this.database = database;
        this.jobs = jobs;
        this.samples = samples;
    }

    List<Operation> all() {
        return List.of(
                Operation.get("/api/subscriptions", Set.of(), call -> list()),
                Operation.get("/api/subscriptions/{name}", Set.of(), this::show),
                Operation.post("/api/subscriptions/{name}/pause", Set.of("reason", "by"), this::pause),
                Operation.post(
                        "/api/subscriptions/{name}/resume",
                        Set.of("after", "whereItStopped", "reason", "by"),
                        this::resume),
                Operation.adminPost(
                        "/api/subscriptions/{name}/replay",
                        Set.of(
                                "since", "until", "fromId", "toId", "type", "key", "all", "forget", "rate", "reason",
                                "by", "dryRun"),
                        this::replay),
                Operation.adminPost("/api/subscriptions/{name}/lanes", Set.of("lanes", "reason", "by"), this::lanes),
                Operation.get("/api/blocked-keys", Set.of("subscription", "limit"), this::blockedKeys));
    }

    private ApiResponse list() throws SQLException {
        return ApiResponse.items(SubscriptionStatus.all(database).stream()
                .map(status -> Subscription.of(status, samples))
                .toList());
    }

    private Subscription find(String name) throws SQLException {
        return SubscriptionStatus.all(database).stream()
                .filter(status -> status.name().equals(name))
                .findFirst()
                .map(status -> Subscription.of(status, samples))
                .orElseThrow(() -> HttpProblem.missing("The subscription no longer exists."));
    }

    /** A subscription with what delays it. */
    record Details(
            @JsonUnwrapped Subscription subscription,
            @JsonUnwrapped Gaps gaps,
            List<OpenTransaction> writers,
            List<BlockedKey> longestBlockedKeys,
            List<AuditEntry> audit) {}

    private ApiResponse show(Call call) throws SQLException {
        String name = call.path("name");
        Operations.requireSubscription(database, name);
        return ApiResponse.of(new Details(
                find(name),
                Gaps.of(database, name),
                OpenTransaction.all(database),
                BlockedKey.first(database, Optional.of(name), Instant.MAX, KEYS),
                Shown.NAMES_ONLY.all(new Audit(database).latest(Optional.of(name), Long.MAX_VALUE, ENTRIES))));
    }

    private ApiResponse pause(Call call) throws SQLException {
        String name = call.path("name");
        Actor by = call.actor();
        Operations.requireSubscription(database, name);
        return changed(name, new Subscriptions(database).pause(name, by));
    }

    private ApiResponse resume(Call call) throws SQLException {
        String name = call.path("name");
        Optional<Long> after = call.body().number("after", 0, Long.MAX_VALUE);
        boolean whereItStopped = call.body().flag("whereItStopped");
        Actor by = call.actor();
        if (after.isPresent() || whereItStopped) {
            call.require(Role.ADMIN); // messages up to this id are not delivered
        }
        if (after.isPresent() && whereItStopped) {
            throw HttpProblem.wrong("after and whereItStopped exclude each other. Nothing was changed.");
        }
        Operations.requireSubscription(database, name);
        if (whereItStopped) {
            new HaltedSubscription(database, name).resumeWhereItStopped(by);
            return changed(name, true);
        }
        if (after.isEmpty()) {
            return changed(name, new Subscriptions(database).resume(name, by));
        }
        new HaltedSubscription(database, name).resume(after.get(), by);
        return changed(name, true);
    }

    record Changed(boolean changed, Subscription subscription) implements ApiResponse.Change {}

    private ApiResponse changed(String name, boolean changed) throws SQLException {
        return ApiResponse.of(new Changed(changed, changed ? Operations.afterChange(() -> find(name)) : find(name)));
    }

    private ApiResponse replay(Call call) throws SQLException {
        String name = call.path("name");
        Body body = call.body();
        Actor by = call.actor();
        ReplayFilter filter = replayFilter(body);
        Bulk bulk = Bulk.of(body);
        boolean forget = body.flag("forget");
        Operations.requireSubscription(database, name);
        Replay replay = Replay.of(database, name, filter, forget);
        if (bulk.dryRun()) {
            return ApiResponse.of(counted(database, replay, body));
        }
        return ApiResponse.accepted(jobs.start(
                new Jobs.Task("replay", Optional.of(name), replay.details()), bulk.rate(), Optional.empty(), by));
    }

    record CountedReplay(@JsonUnwrapped Bulk.Counted counted, long neverDeliveredAtLeast, long edited) {}

    private static CountedReplay counted(DataSource database, Replay replay, Body body) throws SQLException {
        Bulk.Deadline deadline = new Bulk.Deadline();
        long messages = replay.count(database, deadline::mayContinue);
        return new CountedReplay(
                Bulk.counted(messages, deadline.passed(), body), replay.neverDelivered(), replay.edited());
    }

    private static ReplayFilter replayFilter(Body body) {
        TimeRange times = body.timeRange();
        ReplayFilter filter = new ReplayFilter(
                body.number("fromId", 0, Long.MAX_VALUE),
                body.number("toId", 0, Long.MAX_VALUE),
                times.since(),
                times.until(),
                body.text("type"),
                body.key("key"));
        boolean restricts = Stream.of(
                        filter.fromId(), filter.toId(), filter.since(), filter.until(), filter.types(), filter.key())
                .anyMatch(Optional::isPresent);
        Bulk.requireFilterOrAll(body, restricts, "fromId, toId, since, until, type, key");
        if (filter.isEmptyRange()) {
            throw HttpProblem.wrong("fromId must not be higher than toId. Nothing was changed.");
        }
        return filter;
    }

    private ApiResponse lanes(Call call) throws SQLException {
        String name = call.path("name");
        int lanes = call.body()
                .number("lanes", 1, 64)
                .orElseThrow(
                        () -> HttpProblem.wrong("lanes is missing: a number between 1 and 64. Nothing was changed."))
                .intValue();
        Actor by = call.actor();
        Operations.requireSubscription(database, name);
        return ApiResponse.accepted(
                jobs.start(new Jobs.Task("lanes", Optional.of(name), Map.of("lanes", lanes)), 0, Optional.empty(), by));
    }

    private ApiResponse blockedKeys(Call call) throws SQLException {
        int limit = call.limit();
        Optional<String> subscription = call.text("subscription");
        Operations.requireStored(database, subscription);
        return ApiResponse.items(BlockedKey.first(database, subscription, Instant.MAX, limit));
    }
}
