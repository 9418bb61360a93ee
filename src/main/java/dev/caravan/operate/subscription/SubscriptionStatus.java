package dev.caravan.operate.subscription;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.caravan.database.BoundedCount;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.engine.lane.Rate;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * The progress and state of a subscription, over all its lanes.
 *
 * @param lanes its lanes in order
 * @param position all lanes have taken the messages up to this id
 * @param gaps number of ids at or below the position that are not delivered
 * @param backlog upper bound of the number of undelivered messages; includes rolled-back ids and messages of other types
 * @param lag age of the oldest undelivered message, zero when there is none
 * @param halt present when a relay has halted it
 * @param changing whether the number of lanes is being changed
 * @param waiting messages that wait for another attempt
 * @param blocked messages that wait behind an earlier message of their key
 * @param blockedKeys keys of the blocked messages
 * @param keysBlockedByDead keys whose blocked messages wait for a person, because a dead letter blocks the key
 * @param blockedOldest time since the first failure of the message that has been failing longest, or of a dead letter that blocks its
 *     key; zero when there is none
 * @param deadLetters dead letters
 * @param deadLetterOldest time since the last failure of the oldest dead letter; zero when there is none
 */
@JsonPropertyOrder({
    "subscription",
    "state",
    "position",
    "delivered",
    "gaps",
    "backlog",
    "lagSeconds",
    "owner",
    "epoch",
    "leaseUntil",
    "paused",
    "halted",
    "changingLanes",
    "inFlight",
    "latencyMillis",
    "destination",
    "rate",
    "waiting",
    "blocked",
    "blockedKeys",
    "keysBlockedByDeadLetters",
    "blockedKeyOldestSeconds",
    "deadLetters",
    "oldestDeadLetterSeconds",
    "lanes"
})
public record SubscriptionStatus(
        @JsonProperty("subscription") String name,
        List<LaneStatus> lanes,
        long position,
        long gaps,
        long backlog,
        @JsonProperty("lagSeconds") Duration lag,
        boolean paused,
        @JsonProperty("halted") Optional<Halt> halt,
        @JsonProperty("changingLanes") boolean changing,
        BoundedCount waiting,
        BoundedCount blocked,
        BoundedCount blockedKeys,
        @JsonProperty("keysBlockedByDeadLetters") BoundedCount keysBlockedByDead,
        @JsonProperty("blockedKeyOldestSeconds") Duration blockedOldest,
        BoundedCount deadLetters,
        @JsonProperty("oldestDeadLetterSeconds") Duration deadLetterOldest) {

    /** Messages are counted up to this number. */
    static final int BOUND = 10_000;

    /** Keys that a dead letter blocks are counted up to this number. */
    private static final int DEAD_KEYS = 1_000;

    /**
     * Planner settings for tables of failures. Their statistics are often wrong, and the server would scan them completely or sort
     * rows that an index returns in order. {@code jit} is off because before Postgres 18 a plan with a disabled sort has such a high
     * cost that the server would compile it. A custom plan opens only partitions with the ids that a statement needs.
     */
    static final String PLANS = Transaction.PLANS + "; set local enable_sort = off; set local jit = off";

    /** Below this lag the backlog consists of messages that are being delivered now, so no time to drain is computed. */
    private static final Duration UP_TO_DATE = Duration.ofSeconds(10);

    /** Whether its backlog consists only of messages that are being delivered now. */
    public boolean isUpToDate() {
        return lag.compareTo(UP_TO_DATE) < 0;
    }

    /** The relays that own lanes, with the number of lanes of each if there are several; empty when none does. */
    @JsonProperty
    public Optional<String> owner() {
        if (lanes.size() == 1) {
            return lanes.get(0).owner();
        }
        Map<String, Long> owners = lanes.stream()
                .flatMap(lane -> lane.owner().stream())
                .collect(Collectors.groupingBy(owner -> owner, TreeMap::new, Collectors.counting()));
        return Optional.of(owners.entrySet().stream()
                        .map(owner -> owner.getKey() + " (" + owner.getValue() + ")")
                        .collect(Collectors.joining(", ")))
                .filter(text -> !text.isEmpty());
    }

    /** The highest epoch of its lanes. */
    @JsonProperty
    public long epoch() {
        return lanes.stream().mapToLong(LaneStatus::epoch).max().orElse(0);
    }

    /** Time at which the first lease expires. */
    @JsonProperty
    public Optional<Instant> leaseUntil() {
        return lanes.stream().flatMap(lane -> lane.leaseUntil().stream()).min(Comparator.naturalOrder());
    }

    /** Time until the first lease expires. */
    public Optional<Duration> leaseLeft() {
        return lanes.stream().flatMap(lane -> lane.leaseLeft().stream()).min(Comparator.naturalOrder());
    }

    /** Whether a relay works a lane without presence: after a crash of that relay the lane waits for the end of the lease. */
    public boolean lacksPresence() {
        return lanes.stream().anyMatch(lane -> lane.owner().isPresent() && !lane.presence());
    }

    /** Messages delivered since the subscription was created; repeats count again. */
    @JsonProperty
    public long delivered() {
        return lanes.stream().mapToLong(LaneStatus::delivered).sum();
    }

    /** Messages taken and not finished; empty when no owner has reported. */
    @JsonProperty
    public Optional<Integer> inFlight() {
        return lanes.stream().flatMap(lane -> lane.inFlight().stream()).reduce(Integer::sum);
    }

    /** The latency of the slowest lane. */
    @JsonProperty
    public Optional<Integer> latencyMillis() {
        return lanes.stream().flatMap(lane -> lane.latencyMillis().stream()).max(Comparator.naturalOrder());
    }

    /** Why it delivers nothing, or that it is running. */
    @JsonProperty
    public SubscriptionState state() {
        return SubscriptionState.of(this);
    }

    /** Whether its destination is available. */
    @JsonProperty
    public DestinationStatus destination() {
        return DestinationStatus.of(lanes.stream().map(LaneStatus::destination).toList());
    }

    /** The rate and its use; empty without one, and while no owner has reported. */
    @JsonProperty
    public Optional<RateStatus> rate() {
        return RateStatus.of(lanes.stream().map(LaneStatus::rate).toList());
    }

    /** All subscriptions in order of name. The cost does not depend on the backlog, because counts are bounded. */
    public static List<SubscriptionStatus> all(DataSource dataSource) throws SQLException {
        return Transaction.run(dataSource, connection -> {
            Sql.execute(connection, "set transaction isolation level repeatable read; " + PLANS);
            return all(connection);
        });
    }

    private static List<SubscriptionStatus> all(Connection connection) throws SQLException {
        long first = Sql.file("operate/first_needed")
                .first(connection, row -> row.getLong(1))
                .orElseThrow();
        Map<String, SubscriptionStatus> all = new LinkedHashMap<>();
        list(first).query(connection, row -> {
            if (!all.containsKey(row.getString("name"))) {
                all.put(row.getString("name"), of(row));
            }
            return all.get(row.getString("name")).lanes.add(lane(row));
        });
        return List.copyOf(all.values());
    }

    /** @param firstNeeded no subscription needs a message of a lower id */
    static Sql list(long firstNeeded) {
        return Sql.file("operate/list_subscriptions")
                .with("firstNeeded", firstNeeded)
                .with("rows", BOUND + 1);
    }

    private static SubscriptionStatus of(ResultSet row) throws SQLException {
        return new SubscriptionStatus(
                row.getString("name"),
                new ArrayList<>(), // filled below, one lane per row
                row.getLong("position"),
                row.getLong("gaps"),
                row.getLong("backlog"),
                seconds(row.getDouble("lag_seconds")),
                row.getBoolean("paused"),
                halt(row),
                row.getBoolean("changing"),
                BoundedCount.of(row.getLong("waiting"), BOUND),
                among(row.getLong("blocked"), row.getLong("looked_at")),
                among(row.getLong("blocked_keys"), row.getLong("looked_at")),
                keysBlockedByDead(row),
                seconds(row.getDouble("failing_seconds")),
                BoundedCount.of(row.getLong("dead_letters"), BOUND),
                seconds(row.getDouble("dead_seconds")));
    }

    private static Optional<Halt> halt(ResultSet row) throws SQLException {
        String reason = row.getString("halted_reason");
        return Sql.time(row, "halted_at").map(since -> new Halt(since, reason));
    }

    private static LaneStatus lane(ResultSet row) throws SQLException {
        Optional<Duration> leaseLeft = time(row, "lease_seconds");
        boolean held = row.getString("owner") != null
                && leaseLeft.filter(left -> !left.isNegative()).isPresent();
        return new LaneStatus(
                row.getInt("lane"),
                row.getLong("lane_position"),
                row.getLong("lane_gaps"),
                Optional.ofNullable(row.getString("owner")),
                row.getLong("epoch"),
                Sql.time(row, "lease_until"),
                leaseLeft,
                row.getBoolean("presence"),
                row.getLong("delivered"),
                reported(held, row, "in_flight", Integer.class),
                reported(held, row, "latency_millis", Integer.class),
                held ? destination(row) : DestinationStatus.UNKNOWN,
                held ? rate(row) : Optional.empty(),
                reported(held, row, "follows_tail", Boolean.class));
    }

    /** A value reported by the owner; valid only during its lease. */
    private static <T> Optional<T> reported(boolean held, ResultSet row, String column, Class<T> type)
            throws SQLException {
        return held ? Optional.ofNullable(row.getObject(column, type)) : Optional.empty();
    }

    private static DestinationStatus destination(ResultSet row) throws SQLException {
        if (row.getObject("destination_unavailable_since") == null) {
            return DestinationStatus.AVAILABLE;
        }
        return DestinationStatus.unavailable(new DestinationStatus.Outage(
                Sql.instant(row, "destination_unavailable_since"),
                time(row, "unavailable_seconds").orElseThrow(),
                row.getString("destination_error"),
                Sql.instant(row, "next_probe_at"),
                time(row, "probe_seconds").orElseThrow()));
    }

    private static Optional<RateStatus> rate(ResultSet row) throws SQLException {
        String limit = row.getString("rate_limit");
        return limit == null
                ? Optional.empty()
                : Optional.of(new RateStatus(
                        Rate.parse(limit), row.getDouble("attempts_per_second"), row.getBoolean("waits_for_rate")));
    }

    private static Optional<Duration> time(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getBigDecimal(column)).map(time -> seconds(time.doubleValue()));
    }

    private static BoundedCount among(long counted, long lookedAt) {
        return new BoundedCount(counted, lookedAt > BOUND);
    }

    private static BoundedCount keysBlockedByDead(ResultSet row) throws SQLException {
        long found = row.getLong("dead_keys");
        boolean more = row.getLong("keys_looked_at") > DEAD_KEYS || row.getLong("looked_at") > BOUND;
        return new BoundedCount(Math.min(found, DEAD_KEYS), more);
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }
}
