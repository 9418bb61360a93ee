package dev.caravan;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.caravan.lab.servers.AtEndOfJvm;
import dev.caravan.lab.servers.FreePorts;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A connection pooler before the Postgres of the tests. */
public final class PgBouncer implements AutoCloseable {
    /** Debian installs it in a folder that is not in the PATH of an ordinary user. */
    private static final Optional<Path> PROGRAM = Stream.of((System.getenv("PATH") + ":/usr/sbin").split(":"))
            .map(path -> Path.of(path, "pgbouncer"))
            .filter(Files::isExecutable)
            .findFirst();

    private final Path folder;
    private final int port;
    private final Process process;
    private final AtEndOfJvm end;

    private PgBouncer(String poolMode, String... options) throws Exception {
        folder = Files.createTempDirectory("caravan-pgbouncer");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx")); // it runs as another user
        port = FreePorts.one();
        int postgres = URI.create(TestPostgres.server().url("postgres").substring("jdbc:".length()))
                .getPort();
        Files.writeString(folder.resolve("users"), "\"postgres\" \"\"\n");
        Path configuration = Files.write(
                folder.resolve("pgbouncer.ini"),
                Stream.concat(
                                Stream.of(
                                        "[databases]",
                                        "* = host=127.0.0.1 port=" + postgres,
                                        "[pgbouncer]",
                                        "listen_addr = 127.0.0.1",
                                        "listen_port = " + port,
                                        "unix_socket_dir =",
                                        "auth_type = trust",
                                        "auth_file = " + folder.resolve("users"),
                                        "ignore_startup_parameters = extra_float_digits",
                                        "pool_mode = " + poolMode),
                                Stream.of(options))
                        .toList());
        List<String> command =
                new ArrayList<>(List.of(PROGRAM.map(Path::toString).orElse("pgbouncer")));
        if (System.getProperty("user.name").equals("root")) { // which it refuses to be
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(configuration.toString());
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        end = AtEndOfJvm.signal("-TERM", process.pid());
        eventually(() -> assertThat(answers()).isTrue());
    }

    /** Skips the test if pgbouncer is missing, but fails it where all tests must run. */
    public static PgBouncer start(String poolMode, String... options) throws Exception {
        assumeTrue(
                PROGRAM.isPresent() || "true".equals(System.getenv("CI")),
                "pgbouncer is not on the PATH; it is Debian's package pgbouncer");
        return new PgBouncer(poolMode, options);
    }

    private boolean answers() {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (java.io.IOException e) {
            return false;
        }
    }

    /** JDBC URL of a database of the Postgres of the tests, through the pooler. */
    public String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    @Override
    public void close() throws Exception {
        end.close();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
