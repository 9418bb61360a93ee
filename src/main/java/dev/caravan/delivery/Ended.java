package dev.caravan.delivery;

import java.util.ArrayList;
import java.util.List;

/** What counts as ended after an attempt: often one delivered message, often nothing, sometimes a whole queue. */
public final class Ended {
    private List<Delivery> delivered = List.of();
    private List<Delivery> dead = List.of();
    private List<Delivery> blocked = List.of();
    private Delivery failed;

    /** These are delivered, in order. */
    public List<Delivery> delivered() {
        return delivered;
    }

    /** These are not to be tried again. */
    public List<Delivery> dead() {
        return dead;
    }

    /** This one is to be tried again later; null if none. */
    public Delivery failed() {
        return failed;
    }

    /** These wait behind the failed or dead one, in order. */
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
            return List.of(delivery);
        }
        List<Delivery> all = others.size() == 1 ? new ArrayList<>(others) : others;
        all.add(delivery);
        return all;
    }

    void fail(Delivery delivery) {
        failed = delivery;
    }

    /** Whether nothing counts as ended. */
    public boolean isEmpty() {
        return delivered.isEmpty() && dead.isEmpty() && blocked.isEmpty() && failed == null;
    }
}
