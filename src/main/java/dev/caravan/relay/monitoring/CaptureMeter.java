package dev.caravan.relay.monitoring;

import dev.caravan.adopt.capture.Captures;
import dev.caravan.operate.watch.Sample;
import dev.caravan.operate.watch.Sampler;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the captures that miss changes of their tables. Reads the catalog with every sixth sample, because only migrations change it. */
public final class CaptureMeter implements Consumer<Sample> {
    private static final Logger LOG = LoggerFactory.getLogger(CaptureMeter.class);
    private static final String NAMES = "caravan.";
    private static final int SAMPLES_PER_READ = 6;

    private final Captures captures;
    private volatile double incomplete = Double.NaN;
    private int samples;

    CaptureMeter(MeterRegistry registry, DataSource dataSource) {
        captures = new Captures(dataSource);
        Gauge.builder(NAMES + "captures.incomplete", () -> incomplete)
                .description("Captures that miss changes of their tables")
                .register(registry);
    }

    /** Reads with the connection and on the thread of the samples. */
    public static void add(MeterRegistry registry, Sampler sampler) {
        sampler.listen(new CaptureMeter(registry, sampler.connections()));
    }

    @Override
    public void accept(Sample sample) {
        if (samples++ % SAMPLES_PER_READ == 0) {
            read();
        }
    }

    private void read() {
        try {
            incomplete = captures.list().stream()
                    .filter(capture -> !capture.enabled())
                    .count();
        } catch (SQLException e) {
            LOG.debug("Could not read the captures, will retry", e);
        }
    }
}
