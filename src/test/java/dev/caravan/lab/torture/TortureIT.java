package dev.caravan.lab.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.FailoverPostgres.Replication;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The short version of {@code ./caravan torture}. */
@Tag("long")
class TortureIT {
    /** Draws a kill, a freeze, a crash of Postgres, exhausted connections, a failing commit and a stopped Kafka. */
    private static final long SEED = 210;

    private static final Duration LENGTH = Duration.ofSeconds(30);
    /** A quarter of the usual load, because the faults matter more and other tests run at the same time. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    @Test
    void every_promise_holds_under_faults() throws Exception {
        Files.createDirectories(Path.of("target"));
        Path work = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "torture-");

        List<Invariant> invariants = new Torture(work, PAUSE, System.out::println).run(LENGTH, SEED, Replication.OFF);

        invariants.forEach(i -> System.out.printf("%s: %s%n", i.name(), i.figure()));
        assertThat(invariants).hasSizeGreaterThan(10).allMatch(Invariant::holds);
    }
}
