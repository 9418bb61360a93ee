package dev.caravan.store;

/** The position of a lane is ahead of the sequence, which will assign ids at or below the position again. Nothing was saved. */
public final class PositionAheadException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long lastId;

    /** @param lastId the last id that the sequence has assigned */
    PositionAheadException(long position, long lastId) {
        super("position " + position + " is ahead of the sequence, which has assigned ids up to " + lastId);
        this.lastId = lastId;
    }

    public long lastId() {
        return lastId;
    }
}
