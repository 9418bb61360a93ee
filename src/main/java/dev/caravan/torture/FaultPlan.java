package dev.caravan.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Which faults begin when. A fault may begin while another lasts. */
final class FaultPlan {
    private static final int THREADS = 4;
    private static final int LEAST_PAUSE_MILLIS = 1_000;
    private static final int MOST_PAUSE_MILLIS = 3_500;
    private static final long PATIENCE_SECONDS = 60;

    private record Planned(long atMillis, Fault fault) {}

    private final List<Planned> planned = new ArrayList<>();
    private final Duration length;
    private final Consumer<String> progress;
    private final AtomicInteger begun = new AtomicInteger();

    /**
     * @param seed the same seed makes the same plan
     * @param progress is told what begins, and what could not
     */
    FaultPlan(Stage stage, long seed, Duration length, Consumer<String> progress) {
        this.length = length;
        this.progress = progress;
        Random random = new Random(seed);
        Faults faults = new Faults(stage, random);
        for (long at = pause(random); at < length.toMillis(); at += pause(random)) {
            planned.add(new Planned(at, faults.draw()));
        }
    }

    private static long pause(Random random) {
        return LEAST_PAUSE_MILLIS + random.nextInt(MOST_PAUSE_MILLIS - LEAST_PAUSE_MILLIS);
    }

    /** How many faults have begun. */
    int begun() {
        return begun.get();
    }

    /** Runs the plan to its end; returns when every fault has ended. */
    void run() throws Exception {
        ScheduledExecutorService threads = Executors.newScheduledThreadPool(THREADS);
        for (Planned next : planned) {
            threads.schedule(() -> begin(next), next.atMillis(), TimeUnit.MILLISECONDS);
            threads.schedule(
                    () -> end(next),
                    Math.min(
                            length.toMillis(),
                            next.atMillis() + next.fault().length().toMillis()),
                    TimeUnit.MILLISECONDS);
        }
        threads.shutdown();
        if (!threads.awaitTermination(length.toSeconds() + PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            threads.shutdownNow();
            throw new IllegalStateException("A fault did not end within " + PATIENCE_SECONDS + " s");
        }
        for (Planned each : planned) {
            each.fault().end().run(); // the end of one may have come before the beginning of another of the same kind
        }
    }

    private void begin(Planned next) {
        Fault fault = next.fault();
        progress.accept("%6.1f s  %s%s"
                .formatted(
                        next.atMillis() / 1000.0,
                        fault.name(),
                        fault.length().isZero()
                                ? ""
                                : " for %.1f s".formatted(fault.length().toMillis() / 1000.0)));
        try {
            fault.begin().run();
            begun.incrementAndGet();
        } catch (Exception e) {
            progress.accept("          could not " + fault.name() + ": " + e.getMessage());
        }
    }

    private void end(Planned over) {
        try {
            over.fault().end().run();
        } catch (Exception e) {
            progress.accept("          could not end " + over.fault().name() + ": " + e.getMessage());
        }
    }
}
