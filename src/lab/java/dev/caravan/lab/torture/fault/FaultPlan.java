package dev.caravan.lab.torture.fault;

import dev.caravan.lab.torture.stage.TortureStage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Plans which faults begin when. Faults may overlap. */
public final class FaultPlan {
    private static final int MAX_AT_ONCE = 20;
    private static final int MIN_PAUSE_MILLIS = 1_000;
    private static final int MAX_PAUSE_MILLIS = 3_500;
    private static final Duration END_LIMIT = Duration.ofSeconds(60);
    private static final long PAUSE_NANOS = 100_000_000;
    private static final Duration LONG = Duration.ofMinutes(2);

    private record Planned(long atMillis, TortureFault fault) {}

    private final List<Planned> planned = new ArrayList<>();
    private final Faults faults;
    private final Duration length;
    private final Consumer<String> progress;
    private final AtomicInteger begun = new AtomicInteger();

    /**
     * @param seed the same seed gives the same plan
     * @param progress receives a line for each fault that begins or fails to begin
     */
    public FaultPlan(TortureStage stage, long seed, Duration length, Consumer<String> progress) {
        this.length = length;
        this.progress = progress;
        Random random = new Random(seed);
        faults = new Faults(stage, random, length.compareTo(LONG) >= 0);
        planned.add(new Planned(0, faults.missingTopic(fraction(random))));
        for (long at = pause(random); at < length.toMillis(); at += pause(random)) {
            planned.add(new Planned(at, faults.draw()));
        }
    }

    /** A time between a fifth and a half of the run. */
    private Duration fraction(Random random) {
        return Duration.ofMillis(Math.round(length.toMillis() * (0.2 + 0.3 * random.nextDouble())));
    }

    private static long pause(Random random) {
        return MIN_PAUSE_MILLIS + random.nextInt(MAX_PAUSE_MILLIS - MIN_PAUSE_MILLIS);
    }

    /** The number of faults that have begun. */
    public int begun() {
        return begun.get();
    }

    public Failovers failovers() {
        return faults.failovers();
    }

    /** Runs the plan. Returns when every fault has ended. */
    public void run() throws Exception {
        ScheduledExecutorService threads = new ScheduledThreadPoolExecutor(MAX_AT_ONCE);
        try {
            List<Future<?>> running = new ArrayList<>();
            long start = System.nanoTime();
            for (Planned next : planned) {
                running.add(threads.schedule(() -> inject(next, start), next.atMillis(), TimeUnit.MILLISECONDS));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void inject(Planned next, long start) {
        begin(next);
        long end = Math.min(
                length.toMillis(), next.atMillis() + next.fault().length().toMillis());
        LockSupport.parkNanos(start + TimeUnit.MILLISECONDS.toNanos(end) - System.nanoTime());
        end(next.fault());
    }

    private void begin(Planned next) {
        TortureFault fault = next.fault();
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

    /** Ends a fault. Retries until it succeeds, because another fault, such as a stopped Postgres, may prevent it. */
    private static void end(TortureFault fault) {
        long began = System.nanoTime();
        boolean ended = false;
        while (!ended) {
            try {
                fault.end().run();
                ended = true;
            } catch (Exception e) {
                if (System.nanoTime() - began > END_LIMIT.toNanos()) {
                    throw new IllegalStateException("Could not end this fault: " + fault.name(), e);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
