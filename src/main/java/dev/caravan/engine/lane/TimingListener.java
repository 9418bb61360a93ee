package dev.caravan.engine.lane;

/** Receives durations on the thread that measured them. Its methods must return quickly and must not throw. */
public interface TimingListener {
    /** Discards everything. */
    TimingListener NONE = new TimingListener() {};

    /** @param millis time from the creation of a message to its delivery */
    default void delivered(long millis) {}

    /**
     * @param nanos duration of a read
     * @param messages number of messages returned, including those of types that are not selected
     */
    default void read(long nanos, int messages) {}

    /** @param nanos duration of a save of progress */
    default void saved(long nanos) {}

    /** @param messages number of messages of a batch whose exchange has ended */
    default void batch(int messages) {}
}
