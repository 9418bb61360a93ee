package dev.caravan.relay.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.watch.Sample;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CaptureMeterIT {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void captures_without_their_triggers_are_counted_with_every_sixth_sample() throws Exception {
        try (TestOutbox database = TestOutbox.create()) {
            var meter = new CaptureMeter(registry, database.pool());
            assertThat(incomplete()).isNaN();
            samples(meter, 1);
            assertThat(incomplete()).isZero();

            database.execute("create function outbox_capture_gone() returns trigger language plpgsql as"
                    + " 'begin return null; end'"); // as after drop table and create table
            samples(meter, 5);
            assertThat(incomplete()).isZero();
            samples(meter, 1);
            assertThat(incomplete()).isEqualTo(1);

            database.execute("drop function outbox_capture_gone()");
            samples(meter, 6);
            assertThat(incomplete()).isZero();
        }
    }

    private double incomplete() {
        return registry.get("caravan.captures.incomplete").gauge().value();
    }

    private static void samples(CaptureMeter meter, int count) {
        for (int i = 0; i < count; i++) {
            meter.accept(new Sample(Instant.EPOCH, List.of(), List.of(), List.of(), List.of()));
        }
    }
}
