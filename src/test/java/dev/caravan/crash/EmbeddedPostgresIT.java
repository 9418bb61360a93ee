package dev.caravan.crash;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ShortLived;
import dev.caravan.base.settings.Settings;
import dev.caravan.cli.Caravan;
import dev.caravan.database.Database;
import dev.caravan.database.EmbeddedFolder;
import dev.caravan.database.Sql;
import dev.caravan.lab.servers.AtEndOfJvm;
import dev.caravan.relay.postgres.ServerFolders;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command run with a Postgres of its own, as a process that is stopped and killed. */
@Tag("long")
class EmbeddedPostgresIT {
    private static final Duration LIMIT = Duration.ofSeconds(180);

    @TempDir
    private Path parent;

    private Path folder;
    private Path config;
    private AtEndOfJvm end;
    private final List<Process> relays = new ArrayList<>();

    @BeforeEach
    void createFolders() throws IOException {
        folder = ServerFolders.create(parent, "db");
        end = AtEndOfJvm.endPostgres(folder.resolve("data"));
        config = parent.resolve("application.properties");
        Files.writeString(config, "caravan.db.url = embedded:" + folder + "\ncamel.management.enabled = false\n");
        Files.writeString(Files.createDirectory(parent.resolve("routes")).resolve("orders.camel.yaml"), """
                - route:
                    id: orders
                    from:
                      uri: outbox:orders
                      steps:
                        - to:
                            uri: file:%s?fileName=${header.aggregate-id}
                """.formatted(
                        parent.resolve("arrived")));
    }

    @AfterEach
    void killAll() throws Exception {
        for (Process relay : relays) {
            relay.destroyForcibly().waitFor();
        }
        end.close(); // ends the server if a relay has not
    }

    private Process start(String name) throws IOException {
        Process relay = new ProcessBuilder(
                        ShortLived.java(List.of("-Xmx256m"), Caravan.class, "run", "--config", config.toString()))
                .redirectErrorStream(true)
                .redirectOutput(log(name).toFile())
                .start();
        relays.add(relay);
        return relay;
    }

    private Path log(String name) {
        return parent.resolve(name + ".log");
    }

    private void awaitReady(String name) throws Exception {
        eventually(LIMIT, () -> assertThat(log(name)).content().contains("The relay is ready"));
    }

    private EmbeddedFolder.Running running() throws IOException {
        return embedded().running().orElseThrow();
    }

    private EmbeddedFolder embedded() {
        return EmbeddedFolder.of(settings()).orElseThrow();
    }

    private Settings settings() {
        return Settings.of(Map.of("caravan.db.url", "embedded:" + folder));
    }

    private void write(String key) throws SQLException {
        DataSource database = Database.forCommand(settings());
        Sql.text(
                        "insert into outbox (aggregate_type, aggregate_id, type, payload) values ('order', :key, 'order.placed', '{}')")
                .with("key", key)
                .update(database);
    }

    private void awaitArrival(String key) throws Exception {
        eventually(LIMIT, () -> assertThat(parent.resolve("arrived")).isDirectoryContaining("glob:**" + key + "*"));
    }

    /** Sends SIGTERM. */
    private void stop(Process relay) throws Exception {
        relay.toHandle().destroy();
        assertThat(relay.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(relay.exitValue()).isZero();
    }

    @Test
    void an_empty_folder_becomes_a_database_that_delivers_and_continues_after_a_stop_and_after_a_kill()
            throws Exception {
        Process first = start("first");
        awaitReady("first");
        write("one");
        awaitArrival("one");
        stop(first);
        assertThat(embedded().running()).isEmpty();
        assertThat(log("first"))
                .content()
                .contains("Applied 1 migration", "Postgres in " + folder + " has stopped", "The relay has stopped")
                .doesNotContain("ERROR", "Could not", password());

        Process killed = start("killed");
        awaitReady("killed");
        write("two");
        awaitArrival("two");
        killed.destroyForcibly().waitFor();
        long survivor = running().pid();
        write("three"); // the server goes on alone

        Process last = start("last");
        awaitReady("last");
        awaitArrival("three");
        assertThat(running().pid()).isNotEqualTo(survivor);
        assertThat(log("last")).content().contains("process " + survivor);
        stop(last);
        assertThat(log("last")).content().doesNotContain(password());
    }

    private String password() throws IOException {
        return embedded().secret().orElseThrow().password();
    }

    @Test
    void after_a_crash_of_the_relay_and_of_the_server_it_recovers() throws Exception {
        Process killed = start("killed");
        awaitReady("killed");
        write("one");
        killed.destroyForcibly().waitFor();
        ProcessHandle server = ProcessHandle.of(running().pid()).orElseThrow();
        server.destroyForcibly();
        server.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);

        Process last = start("last");
        awaitReady("last");
        awaitArrival("one");
        stop(last);
    }

    @Test
    void a_second_relay_ends_with_1_and_the_first_one_goes_on() throws Exception {
        Process first = start("first");
        awaitReady("first");

        Process second = start("second");

        assertThat(second.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(second.exitValue()).isEqualTo(1);
        assertThat(log("second")).content().contains("another relay uses this folder");
        write("one");
        awaitArrival("one");
        stop(first);
    }

    @Test
    void a_relay_that_fails_after_the_start_of_the_server_stops_it() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Files.writeString(
                    config,
                    "camel.management.enabled = true\ncamel.management.port = " + taken.getLocalPort() + "\n",
                    StandardOpenOption.APPEND);

            Process relay = start("failed");

            assertThat(relay.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(relay.exitValue()).isEqualTo(2);
            assertThat(log("failed"))
                    .content()
                    .contains("runs in " + folder, "Could not listen", "Postgres in " + folder + " has stopped");
            assertThat(embedded().running()).isEmpty();
        }
    }

    @Test
    void ctrl_c_reaches_the_relay_and_not_its_server() throws Exception {
        Process relay = start("first");
        awaitReady("first");

        assertThat(session(running().pid())).isNotEqualTo(session(relay.pid()));
        stop(relay);
    }

    private static String session(long pid) throws Exception {
        Process ps = new ProcessBuilder("ps", "-o", "sess=", "-p", Long.toString(pid)).start();
        return new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
