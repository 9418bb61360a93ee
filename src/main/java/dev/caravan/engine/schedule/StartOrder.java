package dev.caravan.engine.schedule;

/**
 * Chooses the next of the deliveries that may start: in order of id, but only a share of the starts is for messages that failed
 * before while others wait. Without this limit, messages that always fail would delay all others, because they have the lowest
 * ids. The share is a quarter; each repeated failure halves it, and a success restores it.
 */
final class StartOrder {
    /** At most one in this number of starts, and of running attempts, is of a message that failed before. */
    static final int LARGEST_SHARE = 4;
    /** At least one in this number of starts is of a message that failed before, however often they fail again. */
    static final int SMALLEST_SHARE = 64;

    private final int maxStarted;
    private final ReadyQueue ready = new ReadyQueue();
    private final ReadyQueue retries = new ReadyQueue();
    /** One in this number of starts is of a message that failed before. */
    private int share = LARGEST_SHARE;

    private int startedRetries;
    private int startedSinceRetry;

    /** @param maxStarted limit of attempts that run at the same time */
    StartOrder(int maxStarted) {
        this.maxStarted = maxStarted;
    }

    /** @param isSentAlone whether later messages of its key start only after its end; otherwise it must start in order of id */
    void add(Delivery delivery, boolean isSentAlone) {
        (delivery.failedBefore() && isSentAlone ? retries : ready).add(delivery);
    }

    boolean isEmpty() {
        return ready.isEmpty() && retries.isEmpty();
    }

    /** Removes and returns the next delivery to start; null if none may start. */
    Delivery next(long below) {
        Delivery first = peek(below);
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

    /** The next delivery to start that has not failed before; null if none may start. */
    Delivery peek(long below) {
        Delivery first = ready.peek();
        return first == null || first.isGated(below) ? null : first;
    }

    /** Removes what {@link #peek} returned. */
    void take(Delivery first) {
        ready.removeFirst(first);
    }

    /**
     * Removes and returns the next delivery that failed before; null if none may start. Such deliveries never use all of
     * {@code maxStarted}: slow failures would delay messages that are read later.
     */
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

    /** Records the end of an attempt. */
    void ended(Delivery delivery) {
        if (delivery.fromRetries) {
            delivery.fromRetries = false;
            startedRetries--;
            adjustShare(delivery.result.outcome());
        }
    }

    /** Halves the share after a repeated failure, which used a start that another message needed. An outage does not change the share. */
    private void adjustShare(Outcome outcome) {
        switch (outcome) {
            case DELIVERED -> share = LARGEST_SHARE;
            case RETRY, DEAD -> share = Math.min(2 * share, SMALLEST_SHARE);
            case UNAVAILABLE -> {}
        }
    }
}
