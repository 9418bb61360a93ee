package dev.caravan.delivery;

/**
 * Whose turn it is among the deliveries that may start: in order of id, but of those that failed before only a quarter while
 * others wait. Otherwise messages that never succeed would come first for ever, as they have the lowest ids.
 */
final class Turns {
    /** One in so many that start, and that are on their way, failed before. */
    private static final int RETRY_SHARE = 4;

    private final int maxStarted;
    private final ReadyQueue ready = new ReadyQueue();
    private final ReadyQueue retries = new ReadyQueue();
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
            ready.removeFirst();
            startedSinceRetry = Math.min(startedSinceRetry + 1, RETRY_SHARE);
        }
        return first;
    }

    /** Takes out the next one that failed before, or null. Slow failures never take all places: others may come at any moment. */
    Delivery nextRetry(boolean othersWait) {
        Delivery retry = retries.peek();
        int share = maxStarted / RETRY_SHARE;
        int most = Math.max(1, othersWait ? share : maxStarted - share);
        if (retry == null || startedRetries >= most || othersWait && startedSinceRetry < RETRY_SHARE - 1) {
            return null;
        }
        retries.removeFirst();
        startedSinceRetry = 0;
        startedRetries++;
        retry.fromRetries = true;
        return retry;
    }

    /** One that was started has ended. */
    void ended(Delivery delivery) {
        startedRetries -= delivery.fromRetries ? 1 : 0;
        delivery.fromRetries = false;
    }
}
