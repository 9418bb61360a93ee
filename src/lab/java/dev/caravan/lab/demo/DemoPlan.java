package dev.caravan.lab.demo;

/**
 * The options of a demo.
 *
 * @param messages number of messages to commit; 0 for no limit
 * @param exit whether the demo ends when all have arrived
 * @param rate messages per second; 0 for as fast as possible
 * @param patienceSeconds how long to wait without arrivals
 */
record DemoPlan(long messages, boolean exit, long seed, int rate, int patienceSeconds) {
    private static final long MESSAGES_PER_BOOKING = 10;
    private static final long MAX_BOOKINGS = 500;

    /** Small enough that each booking has several messages, also in a short demo. */
    int bookings() {
        return (int) Math.max(1, Math.min(MAX_BOOKINGS, maxMessages() / MESSAGES_PER_BOOKING));
    }

    long maxMessages() {
        return messages == 0 ? Long.MAX_VALUE : messages;
    }
}
