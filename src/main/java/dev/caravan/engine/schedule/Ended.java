package dev.caravan.engine.schedule;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The messages that leave the schedule after an attempt: mostly one delivered message or none, or those of a batch, sometimes a
 * whole queue. Lists of up to one element are those of {@link Collections}, which need no iterator: an instance is created for
 * each message.
 */
public final class Ended {
    private List<Delivery> delivered = Collections.emptyList();
    private List<Delivery> dead = Collections.emptyList();
    private List<Delivery> failed = Collections.emptyList();
    private List<Delivery> blocked = Collections.emptyList();

    /** The delivered messages, in order. */
    public List<Delivery> delivered() {
        return delivered;
    }

    /** The new dead letters. */
    public List<Delivery> dead() {
        return dead;
    }

    /** The messages to retry later, at most one of each key. */
    public List<Delivery> failed() {
        return failed;
    }

    /** The messages that are blocked behind a failed or dead one, in order. */
    public List<Delivery> blocked() {
        return blocked;
    }

    void delivered(Delivery delivery) {
        delivered = with(delivery, delivered);
    }

    void dead(Delivery delivery) {
        dead = with(delivery, dead);
    }

    void blocked(Delivery delivery) {
        blocked = with(delivery, blocked);
    }

    private static List<Delivery> with(Delivery delivery, List<Delivery> others) {
        if (others.isEmpty()) {
            return Collections.singletonList(delivery);
        }
        List<Delivery> all = others.size() == 1 ? new ArrayList<>(others) : others;
        all.add(delivery);
        return all;
    }

    void fail(Delivery delivery) {
        failed = with(delivery, failed);
    }

    /** Whether no message leaves the schedule. */
    public boolean isEmpty() {
        return delivered.isEmpty() && dead.isEmpty() && failed.isEmpty() && blocked.isEmpty();
    }
}
