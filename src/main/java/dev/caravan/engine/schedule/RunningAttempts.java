package dev.caravan.engine.schedule;

/** Counts the running attempts and their messages: one message each, or a batch. */
final class RunningAttempts {
    private final int most;
    private int messages;
    /** Messages that were started together with an earlier one, as part of the same attempt. */
    private int joined;

    private int tests;
    private long starts;
    private long ends;

    /** @param most limit of the attempts that run at the same time */
    RunningAttempts(int most) {
        this.most = most;
    }

    boolean areAtLimit() {
        return messages - joined >= most;
    }

    /** Counts the start of an attempt. */
    void start(Delivery delivery, long now) {
        starts++;
        started(delivery, now);
    }

    /** Counts a message that starts in the last started attempt. */
    void join(Delivery delivery, long now) {
        delivery.joined = true;
        joined++;
        started(delivery, now);
    }

    private void started(Delivery delivery, long now) {
        delivery.queue.started(delivery);
        delivery.startNumber = starts;
        delivery.startedAt = now;
        messages++;
    }

    /** Counts a started message as a test or a probe. */
    void test(Delivery delivery) {
        delivery.isTest = true;
        tests++;
    }

    /** Counts the end of an attempt, before {@link #stopped}. */
    void ended(Delivery delivery) {
        ends += delivery.joined ? 0 : 1;
    }

    /** Records that a message no longer belongs to a running attempt. */
    void stopped(Delivery delivery) {
        messages--;
        joined -= delivery.joined ? 1 : 0;
        tests -= delivery.isTest ? 1 : 0;
        delivery.joined = false;
        delivery.isTest = false;
        delivery.isRepeat = false;
    }

    /** Lower bound of the attempts that started before this one and are still running; exact if attempts end in order of start. */
    long earlierThan(Delivery delivery) {
        return Math.max(0, delivery.startNumber - ends);
    }

    /** Number of messages in running attempts. */
    int messages() {
        return messages;
    }

    /** Number of running tests and probes. */
    int tests() {
        return tests;
    }
}
