package dev.caravan.delivery;

/**
 * Whose turn it is among the deliveries that may start: in order of id, but of those that failed before only a share while
 * others wait. Otherwise messages that never succeed would come first for ever, as they have the lowest ids. The share is a
 * quarter, becomes half as large with each of them that fails again, and is a quarter again when one arrives.
 */
final class Turns {
    /** At most one in so many that start, and that are on their way, failed before. */
    static final int LARGEST_SHARE = 4;
    /** At least one in so many that start failed before, however many of them fail again. */
    static final int SMALLEST_SHARE = 64;

    private final int maxStarted;
    private final ReadyQueue ready = new ReadyQueue();
    private final ReadyQueue retries = new ReadyQueue();
    /** One in so many that start failed before. */
    private int share = LARGEST_SHARE;

    private int startedRetries;
    private int startedSinceRetry;

    /** @param maxStarted how many messages may be on their way at once */
    Turns(int maxStarted) {
        this.maxStarted = maxStarted;
    }

    /** @param goesAlone whether no later message of its key may start before it has ended: else it must keep its place */
    void add(Delivery delivery, boolean goesAlone) {
        (delivery.failedBefore() && goesAlone ? retries : ready).add(delivery);
    }

    boolean isEmpty() {
        return ready.isEmpty() && retries.isEmpty();
    }

    /** Takes out the next one, or null if none may start. */
    Delivery next(long below) {
        Delivery first = ready.peek();
        if (first != null && first.isGated(below)) {
            first = null;
        }
        Delivery retry = nextRetry(first != null);
        if (retry != null) {
            return retry;
        }
        if (first != null) {
            ready.removeFirst(first);
            startedSinceRetry = Math.min(startedSinceRetry + 1, SMALLEST_SHARE);
        }
        return first;
    }

    /** Takes out the next one that failed before, or null. Slow failures never take all places: others may come at any moment. */
    Delivery nextRetry(boolean othersWait) {
        Delivery retry = retries.peek();
        int most = Math.max(1, othersWait ? maxStarted / share : maxStarted - maxStarted / LARGEST_SHARE);
        if (retry == null || startedRetries >= most || othersWait && startedSinceRetry < share - 1) {
            return null;
        }
        retries.removeFirst(retry);
        startedSinceRetry = 0;
        startedRetries++;
        retry.fromRetries = true;
        return retry;
    }

    /** One that was started has ended. */
    void ended(Delivery delivery) {
        if (delivery.fromRetries) {
            delivery.fromRetries = false;
            startedRetries--;
            learn(delivery.result.outcome());
        }
    }

    /** Attempts that fail again are for nothing while others could be delivered; a destination that is unavailable says nothing about them. */
    private void learn(Outcome outcome) {
        switch (outcome) {
            case DELIVERED -> share = LARGEST_SHARE;
            case RETRY, DEAD -> share = Math.min(2 * share, SMALLEST_SHARE);
            case UNAVAILABLE -> {}
        }
    }
}
