package dev.caravan.engine.store;

/**
 * The sequence does not continue after the position of a lane: it will assign ids at or below the position again, or may have done so.
 * Nothing was saved, and no message of this read was taken.
 */
public final class SequenceRestartedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient SequenceState found;

    SequenceRestartedException(long position, SequenceState found) {
        super(
                position > found.lastId()
                        ? "position " + position + " is ahead of the sequence, which has assigned ids up to "
                                + found.lastId()
                        : "the sequence was restarted or altered, and ids up to position " + position
                                + " may have been assigned again");
        this.found = found;
    }

    /** The state of the sequence that does not continue after the position. */
    public SequenceState found() {
        return found;
    }
}
