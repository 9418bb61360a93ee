package dev.caravan.subscription;

import dev.caravan.audit.Actor;
import dev.caravan.audit.Audit;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Gives a subscription another number of lanes. All lanes are first read up to one id, the barrier, and left by their relays with
 * nothing on its way; then one transaction changes them all. The barrier ends by itself a few seconds after whoever set it is
 * gone: relays then go on with the lanes that they had.
 */
public final class LaneChange {
    /** Ids that the lanes may differ in at most: each may become a gap of its own. */
    private static final long MOST_UNDONE = 10_000;

    /**
     * How far it is.
     *
     * @param done whether the subscription has the wanted number of lanes now
     * @param waitsFor what has to happen before, as a clause; empty when it is done
     */
    public record Step(boolean done, String waitsFor) {}

    private record Lane(int number, long position, boolean paused, Optional<String> holder) {}

    private final DataSource dataSource;
    private final String subscription;
    private final int wanted;
    private final Actor signature;

    /** @param wanted the number of lanes, 1 to 64 */
    public LaneChange(DataSource dataSource, String subscription, int wanted, Actor signature) {
        this.dataSource = dataSource;
        this.subscription = subscription;
        this.wanted = wanted;
        this.signature = signature;
    }

    /**
     * Keeps the number of lanes as it is until the end of the transaction, as what is stored must go into the right lane; and keeps
     * out saves of relays: a message that is to wait behind another one must not miss that this one is gone.
     */
    public static void keepOut(Connection connection, String subscription) throws SQLException {
        Statement.query(connection, "subscription/lock_subscription", row -> row.getInt(1), subscription);
    }

    /** @throws Refusal when the subscription does not exist */
    public int lanes() throws SQLException {
        return Transaction.run(dataSource, connection -> lock(connection).size());
    }

    /**
     * Changes the lanes if that is possible now, else keeps the barrier up. To be repeated every second or faster.
     *
     * @throws Refusal when the subscription does not exist
     */
    public Step advance() throws SQLException {
        return Transaction.run(dataSource, connection -> {
            Statement.update(connection, "subscription/shorten_leases", subscription);
            List<Lane> lanes = lock(connection);
            if (lanes.size() == wanted) {
                Statement.update(connection, "subscription/lift_barrier", subscription);
                return new Step(true, "");
            }
            long barrier = lanes.stream().mapToLong(Lane::position).max().orElseThrow();
            String waitsFor = waitsFor(lanes, barrier);
            if (waitsFor.isEmpty()) {
                change(connection, lanes.size(), barrier);
            } else {
                Statement.update(connection, "subscription/set_barrier", barrier, subscription);
            }
            return new Step(waitsFor.isEmpty(), waitsFor);
        });
    }

    /** Relays go on at once with the lanes that they had. */
    public void cancel() throws SQLException {
        Transaction.run(dataSource, connection -> {
            lock(connection);
            return Statement.update(connection, "subscription/lift_barrier", subscription);
        });
    }

    private List<Lane> lock(Connection connection) throws SQLException {
        List<Lane> lanes = Statement.query(
                connection,
                "subscription/lanes_to_change",
                row -> new Lane(
                        row.getInt("lane"),
                        row.getLong("position"),
                        row.getBoolean("paused"),
                        Optional.ofNullable(row.getString("holder"))),
                subscription);
        if (lanes.isEmpty()) {
            throw new Refusal("There is no subscription " + subscription + ". Nothing was changed.");
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
            return "its relays to finish what is on its way (" + holders + ")";
        }
        Lane last = lanes.stream().min(Comparator.comparingLong(Lane::position)).orElseThrow();
        long undone =
                lanes.stream().mapToLong(lane -> barrier - lane.position()).sum();
        if (undone <= MOST_UNDONE) {
            return "";
        }
        return "lane " + last.number() + " to come from id " + last.position() + " to " + barrier
                + ", where the others are: "
                + (last.paused()
                        ? "resume the subscription"
                        : "a relay whose route has lanes " + lanes.size() + " must run");
    }

    private void change(Connection connection, int before, long barrier) throws SQLException {
        Statement.update(connection, "subscription/change_lanes", subscription, wanted);
        Statement.update(connection, "subscription/move_retries", wanted, subscription, wanted);
        Statement.update(connection, "subscription/move_dead_letters", wanted, subscription, wanted);
        Audit.write(
                connection,
                "lanes",
                subscription,
                Map.of("before", before, "lanes", wanted, "position", barrier),
                signature);
    }
}
