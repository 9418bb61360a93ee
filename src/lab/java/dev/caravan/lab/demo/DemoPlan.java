package dev.caravan.lab.demo;

/**
 * What the person who starts the demo asked for.
 *
 * @param messages to commit; 0 for no end
 * @param exit end when all have arrived
 * @param rate messages per second; 0 for as fast as possible
 * @param patienceSeconds how long to wait while nothing arrives
 */
record DemoPlan(long messages, boolean exit, long seed, int rate, int patienceSeconds) {
    private static final long MESSAGES_PER_BOOKING = 10;
    private static final long MOST_BOOKINGS = 500;

    /** Few enough that each booking sees several messages, also in a short demo. */
    int bookings() {
        return (int) Math.max(1, Math.min(MOST_BOOKINGS, messagesOrEndless() / MESSAGES_PER_BOOKING));
    }

    long messagesOrEndless() {
        return messages == 0 ? Long.MAX_VALUE : messages;
    }
}
