package dev.caravan.lab.servers;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ShortLived;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a JVM has started ends with it, even if it is killed, so that nothing is left for the next run of the tests. */
@Tag("long")
class AtEndOfJvmIT {
    /** A program with a Postgres and a frozen relay. */
    static final class Program {
        public static void main(String[] folder) throws Exception {
            StoppablePostgres postgres = new StoppablePostgres(Path.of(folder[0], "data"));
            RelayProcess relay = RelayProcess.start(
                    "frozen", Path.of(folder[0]), Map.of("caravan.db.url", postgres.url(postgres.port())));
            relay.freeze();
            System.out.println("ready");
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    @Test
    void a_killed_jvm_leaves_neither_a_postgres_nor_a_frozen_relay(@TempDir Path folder) throws Exception {
        Process program = new ProcessBuilder(ShortLived.java(List.of(), Program.class, folder.toString()))
                .redirectError(folder.resolve("err").toFile())
                .start();
        assertThat(program.inputReader().lines().anyMatch("ready"::equals)).isTrue();
        Path running = folder.resolve("data").resolve("postmaster.pid");
        assertThat(running).exists();
        List<ProcessHandle> children = program.descendants().toList();
        assertThat(children).hasSizeGreaterThanOrEqualTo(3);

        program.destroyForcibly();

        eventually(Duration.ofSeconds(60), () -> {
            assertThat(Files.exists(running)).isFalse();
            assertThat(children).noneMatch(ProcessHandle::isAlive);
        });
    }
}
