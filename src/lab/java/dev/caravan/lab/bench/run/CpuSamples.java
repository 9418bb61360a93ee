package dev.caravan.lab.bench.run;

import java.time.Duration;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

/** The processor time of a program, noted several times a second until it is closed. */
public final class CpuSamples implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 50;

    /** The processor time used so far, by the time in milliseconds. */
    private final ConcurrentSkipListMap<Long, Duration> samples = new ConcurrentSkipListMap<>();

    private final Program program;
    private final Thread thread = new Thread(this::run, "cpu-samples");

    public CpuSamples(Program program) {
        this.program = program;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                sample();
                TimeUnit.MILLISECONDS.sleep(INTERVAL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void sample() {
        samples.put(System.currentTimeMillis(), program.cpu());
    }

    /** The processor time used from a time in milliseconds of the clock until this was closed. */
    public Duration since(long millis) {
        var from = samples.ceilingEntry(millis);
        return samples.lastEntry().getValue().minus((from == null ? samples.lastEntry() : from).getValue());
    }

    @Override
    public void close() throws InterruptedException {
        thread.interrupt();
        thread.join();
        sample();
    }
}
