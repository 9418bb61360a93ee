package dev.caravan.lab.history;

import dev.caravan.engine.loop.TailLoop;

/** The reads and saves that the lanes of a relay share, in place of {@code TailConsumer} and Camel. */
final class SteppedTail implements SteppedLoop {
    private final TailLoop loop;
    private final SteppedThread thread;

    SteppedTail(String relay, TailLoop loop) {
        this.loop = loop;
        thread = new SteppedThread(relay + "-tail");
        loop.start();
    }

    @Override
    public SteppedThread thread() {
        return thread;
    }

    @Override
    public Object turn() throws Exception {
        try {
            loop.turn(() -> SteppedLoop.read(loop));
        } catch (RuntimeException e) {
            loop.failed(e);
        }
        return null;
    }

    void stop() {
        loop.stop();
    }
}
