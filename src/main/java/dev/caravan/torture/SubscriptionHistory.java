package dev.caravan.torture;

import dev.caravan.torture.TorturedOutbox.Movement;
import dev.caravan.torture.TorturedOutbox.State;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Who worked a subscription when, and when each of its messages was finished. */
final class SubscriptionHistory {
    private final List<State> states;
    /** When a message left outbox_retry for the last time, by id; never while it is there. */
    private final Map<Long, Long> leftRetry;

    SubscriptionHistory(List<State> states, Map<Long, Long> leftRetry) {
        this.states = states;
        this.leftRetry = leftRetry;
    }

    static SubscriptionHistory of(TorturedOutbox outbox, String subscription) throws SQLException {
        Map<Long, Long> leftRetry = new HashMap<>();
        for (Movement movement : outbox.movements()) {
            if (movement.subscription().equals(subscription) && movement.table().equals("outbox_retry")) {
                leftRetry.put(movement.id(), movement.entered() ? Long.MAX_VALUE : movement.atMillis());
            }
        }
        return new SubscriptionHistory(outbox.history(subscription), leftRetry);
    }

    /** How many holders the lease had, one after the other. */
    long epochs() {
        return states.get(states.size() - 1).epoch();
    }

    /** When a message was acknowledged and in no side table any more, in milliseconds since 1970. */
    long finishedAt(long id) {
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
     * Whether a relay may have sent this although it had lost its lease: nobody, or another one, held the lease then, or it
     * had taken it anew and had something on its way from before.
     */
    boolean isLate(String relay, long atMillis) {
        int last = lastUpTo(atMillis);
        if (last < 0 || !relay.equals(states.get(last).owner())) {
            return true;
        }
        long epoch = states.get(last).epoch();
        return states.subList(0, last).stream().anyMatch(s -> s.epoch() < epoch && Objects.equals(s.owner(), relay));
    }

    private int lastUpTo(long atMillis) {
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
