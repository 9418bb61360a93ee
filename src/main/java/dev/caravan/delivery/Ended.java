package dev.caravan.delivery;

import java.util.ArrayList;
import java.util.List;

/** What counts as ended after an attempt: often one delivered message, often nothing, sometimes a whole queue. */
public final class Ended {
    private final List<Delivery> delivered = new ArrayList<>(1);
    private final List<Delivery> dead = new ArrayList<>(0);
    private final List<Delivery> blocked = new ArrayList<>(0);
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

    void fail(Delivery delivery) {
        failed = delivery;
    }

    boolean isEmpty() {
        return delivered.isEmpty() && dead.isEmpty() && blocked.isEmpty() && failed == null;
    }
}
