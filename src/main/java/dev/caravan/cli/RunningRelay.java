package dev.caravan.cli;

/** A relay that has started. */
interface RunningRelay {
    /** Stops taking messages, waits for what is in flight, saves progress and releases the leases. */
    void close();

    /** Blocks until the relay has ended, after {@link #close} or because of a failure. */
    void awaitEnd() throws InterruptedException;
}
