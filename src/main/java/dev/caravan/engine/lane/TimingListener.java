package dev.caravan.engine.lane;

/** Receives durations on the thread that measured them. Its methods must return quickly and must not throw. */
public interface TimingListener {
    /** Discards everything. */
    TimingListener NONE = new TimingListener() {
        @Override
        public void delivered(long millis) {}

        @Override
        public void read(long nanos, int messages) {}

        @Override
        public void saved(long nanos) {}

        @Override
        public void batch(int messages) {}
    };

    /** @param millis time from the creation of a message to its delivery */
    void delivered(long millis);

    /**
     * @param nanos duration of a read
     * @param messages number of messages returned, including those of types that are not selected
     */
    void read(long nanos, int messages);

    /** @param nanos duration of a save of progress */
    void saved(long nanos);

    /** @param messages number of messages of a batch whose exchange has ended */
    void batch(int messages);
}
