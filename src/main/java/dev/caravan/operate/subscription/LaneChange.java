package dev.caravan.operate.subscription;

import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.intake.Intakes;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Changes the number of lanes of a subscription. All lanes are first read up to one id, the barrier, and released by their relays
 * with nothing in flight; then one transaction changes them all. The barrier is removed when a statement fails, and expires a few
 * seconds after the process that set it has ended; relays then continue with the previous lanes.
 */
public final class LaneChange {
    /** The largest difference between the positions of the lanes, in ids. Each of these ids may become a separate gap. */
    private static final long MAX_DIFFERENCE = 10_000;

    /**
     * The progress of the change.
     *
     * @param done whether the subscription has the new number of lanes
     * @param waitsFor what has to happen first, as a clause; empty when done
     */
    public record Step(boolean done, String waitsFor) {}

    private record Lane(int lane, long position, boolean paused, Optional<String> holder) {}

    private final DataSource dataSource;
    private final String subscription;
    private final int wanted;
    private final Actor actor;
    private boolean barrierIsSet;

    /** @param wanted the new number of lanes, 1 to 64 */
    public LaneChange(DataSource dataSource, String subscription, int wanted, Actor actor) {
        this.dataSource = dataSource;
        this.subscription = subscription;
        this.wanted = wanted;
        this.actor = actor;
    }

    /**
     * Locks the lanes of a subscription until the end of the transaction. The number of lanes does not change meanwhile, so that rows
     * are stored for the correct lane. Relays do not save meanwhile, so that a message is not blocked behind a removed one. An intake has no
     * lanes and is locked itself.
     *
     * @return false if the subscription does not exist
     */
    public static boolean lockLanes(Connection connection, String subscription) throws SQLException {
        Optional<String> intake = Intakes.ofSubscription(subscription);
        if (intake.isPresent()) {
            return Intakes.lock(connection, intake.get());
        }
        return !Sql.file("operate/lock_subscription")
                .with("name", subscription)
                .query(connection, row -> row.getInt(1))
                .isEmpty();
    }

    /** @throws Refusal when the subscription does not exist */
    public int lanes() throws SQLException {
        return Transaction.run(dataSource, connection -> lock(connection).size());
    }

    /**
     * Changes the lanes if possible now; otherwise renews the barrier. Must be called at least once per second until done. If it fails, the
     * change has ended, and its barrier is removed if the database answers.
     *
     * @throws Refusal when the subscription does not exist
     */
    public Step advance() throws SQLException {
        try {
            return Transaction.run(dataSource, this::advance);
        } catch (SQLException | RuntimeException e) {
            removeBarrierAfterFailure(e);
            throw e;
        }
    }

    /** The same in a transaction of the caller, who calls it again after a failure, or removes the barrier. */
    public static Step advance(Connection connection, String subscription, int wanted, Actor actor)
            throws SQLException {
        return new LaneChange(null, subscription, wanted, actor).advance(connection);
    }

    private Step advance(Connection connection) throws SQLException {
        Sql.file("operate/shorten_leases").with("name", subscription).update(connection);
        List<Lane> lanes = lock(connection);
        if (lanes.size() == wanted) {
            Sql.file("operate/lift_barrier").with("name", subscription).update(connection);
            return new Step(true, "");
        }
        long barrier = lanes.stream().mapToLong(Lane::position).max().orElseThrow();
        String waitsFor = waitsFor(lanes, barrier);
        if (waitsFor.isEmpty()) {
            change(connection, lanes.size(), barrier);
        } else {
            Sql.file("operate/set_barrier")
                    .with("barrier", barrier)
                    .with("name", subscription)
                    .update(connection);
            barrierIsSet = true; // before the commit, because its response can be lost
        }
        return new Step(waitsFor.isEmpty(), waitsFor);
    }

    /** Removes the barrier, because no message of the subscription is read until it expires. */
    private void removeBarrierAfterFailure(Exception cause) {
        if (!barrierIsSet) {
            return;
        }
        try {
            Transaction.run(dataSource, connection -> {
                Sql.execute(connection, "set local lock_timeout = '1s'");
                return removeBarrier(connection, subscription);
            });
        } catch (SQLException | RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /** Removes the barrier: relays continue at once with the previous lanes. */
    public void cancel() throws SQLException {
        Transaction.run(dataSource, connection -> removeBarrier(connection, subscription));
    }

    /** The same in a transaction of the caller. */
    public static int removeBarrier(Connection connection, String subscription) throws SQLException {
        lockLanes(connection, subscription);
        return Sql.file("operate/lift_barrier").with("name", subscription).update(connection);
    }

    private List<Lane> lock(Connection connection) throws SQLException {
        List<Lane> lanes =
                Sql.file("operate/lanes_to_change").with("name", subscription).query(connection, Lane.class);
        if (lanes.isEmpty()) {
            throw new Refusal("Subscription " + subscription + " does not exist. Nothing was changed.");
        }
        return lanes;
    }

    private String waitsFor(List<Lane> lanes, long barrier) {
        String holders = lanes.stream()
                .flatMap(lane -> lane.holder().stream())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        if (!holders.isEmpty()) {
            return "its relays to finish the messages in flight (" + holders + ")";
        }
        Lane last = lanes.stream().min(Comparator.comparingLong(Lane::position)).orElseThrow();
        long undone =
                lanes.stream().mapToLong(lane -> barrier - lane.position()).sum();
        if (undone <= MAX_DIFFERENCE) {
            return "";
        }
        return "lane " + last.lane() + " to read from id " + last.position() + " to " + barrier
                + ", which the other lanes have reached: "
                + (last.paused()
                        ? "resume the subscription"
                        : "a relay whose route has lanes " + lanes.size() + " must run");
    }

    private void change(Connection connection, int before, long barrier) throws SQLException {
        Sql.file("operate/change_lanes")
                .with("name", subscription)
                .with("lanes", wanted)
                .update(connection);
        Sql.file("operate/move_retries")
                .with("lanes", wanted)
                .with("name", subscription)
                .update(connection);
        Sql.file("operate/move_dead_letters")
                .with("lanes", wanted)
                .with("name", subscription)
                .update(connection);
        Audit.write(
                connection,
                "lanes",
                subscription,
                Map.of("before", before, "lanes", wanted, "position", barrier),
                actor);
    }
}
