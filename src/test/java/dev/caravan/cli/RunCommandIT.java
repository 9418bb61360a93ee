package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.ShortLived;
import dev.caravan.camel.outbox.TestOutbox;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class RunCommandIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    @BeforeEach
    void writeRoute() throws IOException {
        RoutesFixture.write(
                Files.createDirectory(folder.resolve("destinations")), "orders", "outbox:orders", "log:orders");
    }

    @Test
    void the_relay_gets_the_settings_with_the_routes_beside_them() throws Exception {
        String config = CommandRun.config(folder, TestOutbox.create(), "caravan.routes=destinations", "x=y");
        String[] seen = new String[2];

        CommandRun.of(
                        (settings, beforeRoutes) -> {
                            seen[0] = settings.text("caravan.routes", null);
                            seen[1] = settings.text("x", null);
                            RelayThatWaits relay = new RelayThatWaits();
                            relay.close();
                            return relay;
                        },
                        "run",
                        "--config",
                        config)
                .assertDone();
        assertThat(seen).containsExactly(folder.resolve("destinations").toString(), "y");
    }

    @Test
    void a_database_that_is_not_ready_ends_with_1_before_anything_starts() throws Exception {
        CommandRun.of(
                        (settings, beforeRoutes) -> {
                            throw new AssertionError("started");
                        },
                        "run",
                        "--config",
                        CommandRun.config(folder, TestOutbox.withoutTables(), "caravan.routes=destinations"))
                .assertFailed("Could not start the relay", "./caravan schema apply", "Nothing was started.");
    }

    @Test
    void no_routes_is_for_a_postgres_of_the_relay() throws Exception {
        CommandRun.of(
                        "run",
                        "--no-routes",
                        "--config",
                        CommandRun.config(folder, "jdbc:postgresql://localhost:1/x", "x"))
                .assertWrongUse("--no-routes", "embedded:FOLDER", "Nothing was started.");
    }

    @Test
    @Timeout(180)
    void a_relay_that_is_asked_to_stop_closes_and_ends_with_0() throws Exception {
        Process relay = start(CommandRun.config(folder, TestOutbox.create(), "caravan.routes=destinations"));
        try (BufferedReader out = relay.inputReader()) {
            assertThat(out.readLine()).isEqualTo("waiting");
            assertThat(out.readLine()).isEqualTo("started");

            relay.toHandle().destroy(); // SIGTERM, and unlike Process.destroy leaves the output open

            assertThat(out.readLine()).isEqualTo("closed");
            assertThat(relay.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(relay.exitValue()).isZero();
            assertThat(Files.readString(folder.resolve("err"))).contains("INFO  RunCommand - The relay has stopped");
        } finally {
            relay.destroyForcibly();
        }
    }

    @Test
    @Tag("long")
    @Timeout(180)
    void a_relay_that_waits_for_its_database_ends_with_0_at_once() throws Exception {
        Process relay = start(CommandRun.config(
                folder, "jdbc:postgresql://localhost:1/nothing_here", "postgres", "caravan.routes=destinations"));
        try (BufferedReader out = relay.inputReader()) {
            assertThat(out.readLine()).isEqualTo("waiting");

            relay.toHandle().destroy();

            assertThat(relay.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(relay.exitValue()).isZero();
            assertThat(out.readLine()).as("started").isNull();
            assertThat(Files.readString(folder.resolve("err")))
                    .containsOnlyOnce("WARN  DatabaseReadiness - The routes wait for the database. Could not connect")
                    .contains("INFO  RunCommand - The relay has stopped");
        } finally {
            relay.destroyForcibly();
        }
    }

    @Test
    @Timeout(180)
    void why_a_relay_does_not_start_is_in_a_log_of_json_too() throws Exception {
        Process relay = start(CommandRun.config(
                folder,
                "jdbc:postgresql://localhost:1/nothing_here",
                "postgres",
                "caravan.routes=destinations",
                "caravan.log.format=json",
                "caravan.retention=7"));

        assertThat(relay.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(relay.exitValue()).isEqualTo(2);
        List<String> lines = Files.readAllLines(folder.resolve("err"));
        assertThat(lines)
                .allSatisfy(line -> assertThat(JSON.readTree(line).isObject()).isTrue());
        JsonNode last = JSON.readTree(lines.get(lines.size() - 1));
        assertThat(last.path("level").asText()).isEqualTo("ERROR");
        assertThat(last.path("message").asText()).contains("Could not start the relay", "caravan.retention must be");
    }

    private Process start(String config) throws IOException {
        return new ProcessBuilder(ShortLived.java(List.of(), RelayThatWaits.class, "run", "--config", config))
                .redirectError(folder.resolve("err").toFile())
                .start();
    }
}
