package dev.caravan.lab.torture;

import dev.caravan.lab.torture.stage.RecordedChanges.Movement;
import dev.caravan.lab.torture.stage.RecordedChanges.State;
import dev.caravan.lab.torture.stage.TortureDestination;
import dev.caravan.lab.torture.stage.TorturedOutbox;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The owners of the lanes of a subscription over time, and the time at which each message was finished. */
final class SubscriptionHistory {
    private final List<List<State>> lanes;
    private final Map<Long, Integer> laneOf;
    private final Map<Long, Long> leftRetry;

    /**
     * @param lanes the states of each lane, oldest first
     * @param laneOf the lane of each message by id; lane 0 when the id is missing
     * @param leftRetry the time at which a message left outbox_retry for the last time, by id; {@link Long#MAX_VALUE} while it is there
     */
    SubscriptionHistory(List<List<State>> lanes, Map<Long, Integer> laneOf, Map<Long, Long> leftRetry) {
        this.lanes = lanes;
        this.laneOf = laneOf;
        this.leftRetry = leftRetry;
    }

    static SubscriptionHistory of(TorturedOutbox outbox, TortureDestination destination) throws SQLException {
        String subscription = destination.subscription();
        Map<Long, Long> leftRetry = new HashMap<>();
        for (Movement movement : outbox.changes().movements()) {
            if (movement.subscription().equals(subscription) && movement.table().equals("outbox_retry")) {
                leftRetry.put(movement.id(), movement.entered() ? Long.MAX_VALUE : movement.atMillis());
            }
        }
        List<List<State>> lanes = new ArrayList<>();
        for (int lane = 0; lane < destination.lanes(); lane++) {
            lanes.add(outbox.changes().history(subscription, lane));
        }
        return new SubscriptionHistory(lanes, outbox.laneOf(destination.lanes()), leftRetry);
    }

    /** The number of successive owners of the leases, over all lanes. */
    long epochs() {
        return lanes.stream()
                .mapToLong(states -> states.get(states.size() - 1).epoch())
                .sum();
    }

    private List<State> statesFor(long id) {
        return lanes.get(laneOf.getOrDefault(id, 0));
    }

    /** The time at which a message was acknowledged and had left all side tables, in milliseconds since 1970. */
    long finishedAt(long id) {
        List<State> states = statesFor(id);
        int low = 0;
        int high = states.size();
        while (low < high) {
            int middle = (low + high) / 2;
            if (states.get(middle).covers(id)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        long covered = low == states.size() ? Long.MAX_VALUE : states.get(low).atMillis();
        return Math.max(covered, leftRetry.getOrDefault(id, 0L));
    }

    /**
     * Whether a relay may have sent a message after it had lost the lease of its lane: no relay or another relay held the lease
     * then, or the relay had claimed it again and still had messages in flight from before.
     */
    boolean isLate(long id, String relay, long atMillis) {
        List<State> states = statesFor(id);
        int last = lastUpTo(states, atMillis);
        if (last < 0 || !relay.equals(states.get(last).owner())) {
            return true;
        }
        long epoch = states.get(last).epoch();
        return states.subList(0, last).stream().anyMatch(s -> s.epoch() < epoch && Objects.equals(s.owner(), relay));
    }

    private static int lastUpTo(List<State> states, long atMillis) {
        int low = 0;
        int high = states.size();
        while (low < high) {
            int middle = (low + high) / 2;
            if (states.get(middle).atMillis() <= atMillis) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }
}
