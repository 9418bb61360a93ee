package dev.caravan.lane;

/** Is told how long things take, by the thread that did them: has to be quick and must not fail. */
public interface LaneTimings {
    /** For nobody who wants to know. */
    LaneTimings NONE = new LaneTimings() {
        @Override
        public void delivered(long millis) {}

        @Override
        public void read(long nanos, int messages) {}

        @Override
        public void saved(long nanos) {}
    };

    /** A message was delivered so long after it was created. */
    void delivered(long millis);

    /** A read took so long and returned so many messages, those that are not selected included. */
    void read(long nanos, int messages);

    /** A save of the progress took so long. */
    void saved(long nanos);
}
