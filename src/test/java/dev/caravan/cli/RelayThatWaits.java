package dev.caravan.cli;

import dev.caravan.relay.Running;
import java.util.concurrent.CountDownLatch;

/** A program with a relay that does nothing until it is closed, so that signals can be tested on a real process. */
final class RelayThatWaits implements Running {
    private final CountDownLatch closed = new CountDownLatch(1);

    public static void main(String[] args) {
        ProcessHandle.current().parent().ifPresent(test -> test.onExit()
                .thenRun(() -> Runtime.getRuntime().halt(1)));
        System.exit(Caravan.commandLine((settings, beforeRoutes) -> {
                    System.out.println("waiting");
                    beforeRoutes.await();
                    System.out.println("started");
                    return new RelayThatWaits();
                })
                .execute(args));
    }

    @Override
    public void close() {
        System.out.println("closed");
        closed.countDown();
    }

    @Override
    public void awaitEnd() throws InterruptedException {
        closed.await();
    }
}
