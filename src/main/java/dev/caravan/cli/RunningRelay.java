package dev.caravan.cli;

/** A relay that was started. */
interface RunningRelay {
    /** Stops taking messages, waits for what is in flight, saves progress and releases the leases. */
    void close();

    /** Blocks until the relay has ended, by close or by itself. */
    void awaitEnd() throws InterruptedException;
}
