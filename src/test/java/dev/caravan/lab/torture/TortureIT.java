package dev.caravan.lab.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.FailoverPostgres.Replication;
import dev.caravan.lab.torture.stage.TortureDestination;
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
    /** Draws a pause, locked rows, exhausted connections, freezes and a kill. */
    private static final long SEED_OF_MANY = 1;

    private static final Duration LENGTH = Duration.ofSeconds(30);
    /** A quarter of the usual load, because the faults matter more and other tests run at the same time. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    @Test
    void every_promise_holds_under_faults() throws Exception {
        check(TortureDestination.USUAL_COUNT, SEED, PAUSE);
    }

    @Test
    void every_promise_holds_for_many_subscriptions_of_different_speed() throws Exception {
        check(20, SEED_OF_MANY, Torture.pause(20));
    }

    private static void check(int subscriptions, long seed, Duration pause) throws Exception {
        Files.createDirectories(Path.of("target"));
        Path work = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "torture-");

        List<Invariant> invariants =
                new Torture(work, subscriptions, pause, System.out::println).run(LENGTH, seed, Replication.OFF);

        invariants.forEach(i -> System.out.printf("%s: %s%n", i.name(), i.figure()));
        assertThat(invariants).hasSizeGreaterThan(10).allMatch(Invariant::holds);
    }
}
