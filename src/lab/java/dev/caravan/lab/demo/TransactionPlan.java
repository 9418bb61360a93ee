package dev.caravan.lab.demo;

import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;

/** The transactions of a demo in an order that the seed determines. Shared by several connections. */
final class TransactionPlan {
    private static final int MAX_MESSAGES = 3;
    private static final int ROLLBACK_PERCENT = 5;
    private static final int SLOW_PERCENT = 1;
    private static final int LONGEST_PAUSE_MILLIS = 100;

    private final long seed;
    private final int bookings;
    private final Random random;
    private long remaining;

    /**
     * @param messages number of committed messages
     * @param bookings number of different keys
     */
    TransactionPlan(long seed, int bookings, long messages) {
        this.seed = seed;
        this.bookings = bookings;
        this.random = new Random(seed);
        this.remaining = messages;
    }

    /** All bookings of the plan. */
    Stream<Booking> bookings() {
        return Stream.iterate(1, number -> number <= bookings, number -> number + 1)
                .map(number -> new Booking(number, seed));
    }

    /** The next transaction; empty after those that commit all messages. */
    synchronized Optional<PlannedTransaction> next() {
        if (remaining == 0) {
            return Optional.empty();
        }
        var booking = new Booking(1 + random.nextInt(bookings), seed);
        int count = (int) Math.min(remaining, 1 + random.nextInt(MAX_MESSAGES));
        var messageIds = Stream.generate(this::messageId).limit(count).toList();
        boolean rollsBack = random.nextInt(100) < ROLLBACK_PERCENT;
        boolean slow = random.nextInt(100) < SLOW_PERCENT;
        int pause = random.nextInt(LONGEST_PAUSE_MILLIS);
        if (!rollsBack) {
            remaining -= count;
        }
        return Optional.of(new PlannedTransaction(booking, messageIds, rollsBack, slow ? pause : 0));
    }

    private UUID messageId() {
        return UUID.nameUUIDFromBytes(longs(random.nextLong(), random.nextLong()));
    }

    private static byte[] longs(long first, long second) {
        return java.nio.ByteBuffer.allocate(16).putLong(first).putLong(second).array();
    }
}
