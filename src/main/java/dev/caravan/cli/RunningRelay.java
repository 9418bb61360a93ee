package dev.caravan.cli;

/** A relay or a console that has started. */
interface RunningRelay {
    /** Stops taking messages, waits for what is in flight, saves progress and releases the leases. */
    void close();

    /** @param awaitEnd see {@link #awaitEnd} */
    static RunningRelay of(End awaitEnd, Runnable close) {
        return new RunningRelay() {
            @Override
            public void close() {
                close.run();
            }

            @Override
            public void awaitEnd() throws InterruptedException {
                awaitEnd.await();
            }
        };
    }

    /** Blocks until it has ended. */
    @FunctionalInterface
    interface End {
        void await() throws InterruptedException;
    }

    /** Blocks until the relay has ended, after {@link #close} or because of a failure. */
    void awaitEnd() throws InterruptedException;
}
