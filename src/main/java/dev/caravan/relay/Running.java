package dev.caravan.relay;

/** A relay or a console that has started. */
public interface Running extends AutoCloseable {
    /** Blocks until it has ended, after {@link #close} or because of a failure. */
    void awaitEnd() throws InterruptedException;

    /** Answers no more requests. A relay stops taking messages, waits for what is in flight, saves progress and releases the leases. */
    @Override
    void close();
}
