package dev.caravan.publisher;

import java.security.SecureRandom;
import java.util.UUID;

/**
 * Creates message ids: UUID version 7 (RFC 9562, section 5.7). They begin with the time in milliseconds, so that an index of them grows at
 * its end; 74 bits are random. Ids of the same millisecond are not ordered.
 */
final class MessageIds {
    private static final SecureRandom RANDOM = new SecureRandom();

    private MessageIds() {}

    static UUID next() {
        return at(System.currentTimeMillis(), RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** @param millis since 1970; its lower 48 bits are used */
    static UUID at(long millis, long random, long moreRandom) {
        long high = millis << 16 | 0x7000 | random & 0xFFF;
        long low = moreRandom & 0x3FFF_FFFF_FFFF_FFFFL | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }
}
