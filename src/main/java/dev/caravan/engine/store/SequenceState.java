package dev.caravan.engine.store;

/**
 * The state of the sequence that assigns the ids of the outbox.
 *
 * @param lastId the last id that it has assigned; 0 before the first
 * @param file the number of its file (relfilenode), which is another one after a restart of the sequence
 */
public record SequenceState(long lastId, long file) {
    /** @param text both numbers, separated by a space */
    static SequenceState parse(String text) {
        String[] numbers = text.split(" ");
        return new SequenceState(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
    }
}
