package dev.caravan.lab.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.TestKafka;
import dev.caravan.TestPostgres;
import dev.caravan.lab.servers.AtEndOfJvm;
import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.FreePorts;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The container image in the file that the property {@code caravan.image} names; {@code .ci/image} builds and tests one. */
@Tag("long")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ContainerImageIT {
    private static final String FILE = System.getProperty("caravan.image", "");
    private static final String TOKEN = "token-of-this-test";
    private static final String PAYLOAD = "{\"total\":10}";

    /** What Java chooses by itself where the limit of memory is below 1,792 MB, as in {@code k8s}. No limit can be set here. */
    private static final Map<String, String> AS_IN_A_POD = Map.of("JAVA_TOOL_OPTIONS", "-XX:+UseSerialGC");

    private static final long MEGABYTE = 1_000_000;

    @TempDir
    static Path folder;

    private UnpackedImage image;
    private Map<String, String> environment;
    private String database;
    private int containers;

    @BeforeAll
    void unpack() throws Exception {
        assumeTrue(
                !FILE.isEmpty(),
                "no container image is given with -Dcaravan.image=FILE; .ci/image builds and tests one");
        image = UnpackedImage.of(Path.of(FILE), folder.resolve("image"));
        database = TestPostgres.server().createDatabase();
        environment = Map.of(
                "CARAVAN_DB_URL", TestPostgres.server().url(database),
                "CARAVAN_DB_USER", TestPostgres.server().user(),
                "CARAVAN_DB_PASSWORD", TestPostgres.server().password(),
                "CAMEL_COMPONENT_KAFKA_BROKERS", TestKafka.brokers(),
                "CARAVAN_MANAGEMENT_TOKEN", TOKEN,
                "CAMEL_MANAGEMENT_PORT", Integer.toString(FreePorts.one()));
    }

    @Test
    void its_configuration_is_that_of_the_documentation() {
        JsonNode config = image.config();

        assertThat(image.command().get(0)).isEqualTo("java");
        assertThat(config.get("Cmd")).extracting(JsonNode::asText).containsExactly("run");
        assertThat(config.get("User").asText()).isEqualTo("10001:10001");
        assertThat(config.get("WorkingDir").asText()).isEqualTo("/caravan");
        assertThat(config.get("ExposedPorts").fieldNames()).toIterable().containsExactly("9876/tcp");
        assertThat(config.has("Healthcheck")).isFalse();
        JsonNode labels = config.get("Labels");
        assertThat(labels.get("org.opencontainers.image.version").asText()).isNotEmpty();
        assertThat(labels.get("org.opencontainers.image.revision").asText()).matches("[0-9a-f]{40}|unknown");
        assertThat(labels.get("org.opencontainers.image.licenses").asText()).isEqualTo("Apache-2.0");
        assertThat(labels.has("org.opencontainers.image.source")).isTrue();
    }

    @Test
    void it_has_the_libraries_of_the_relay_and_nothing_of_the_laboratory() throws IOException {
        try (var jar = new JarFile(
                image.root().resolve("caravan/classpath/caravan.jar").toFile())) {
            assertThat(jar.stream().map(Object::toString)).noneMatch(name -> name.startsWith("dev/caravan/lab/"));
        }
        assertThat(names(image.root().resolve("caravan/libs")))
                .hasSizeGreaterThan(100)
                .isSubsetOf(names(Path.of("target/lib")));
    }

    @Test
    void it_is_small_and_a_change_of_routes_or_of_our_classes_is_smaller() throws IOException {
        long all = 0;
        for (Path layer : image.layers()) {
            all += Files.size(layer);
        }
        List<Path> layers = image.layers();

        assertThat(all).isLessThan(250 * MEGABYTE);
        // then the class path, caravan-outbox, the command caravan, the options of Java, the routes and the settings
        int jar = layers.size() - 7;
        assertThat(contents(layers.get(jar))).contains("caravan/classpath/caravan.jar");
        assertThat(contents(layers.get(jar + 2))).contains("caravan/libs/caravan-outbox.jar");
        assertThat(Files.size(layers.get(jar)) + Files.size(layers.get(jar + 2)))
                .isLessThan(4 * MEGABYTE);
        assertThat(contents(layers.get(jar + 5))).contains("caravan/routes/");
        assertThat(Files.size(layers.get(jar + 5))).isLessThan(MEGABYTE / 10);
    }

    @Test
    void java_options_of_the_user_override_those_of_the_image_and_the_class_archive_is_used() throws Exception {
        String options = "-XX:+PrintFlagsFinal -XX:MaxRAMPercentage=50 -Xlog:class+load:file=/tmp/loaded";
        try (var version = start(Map.of("JAVA_TOOL_OPTIONS", options), Map.of(), "--version")) {
            assertThat(version.exitStatus()).as(version.output()).isZero();

            assertThat(version.output())
                    .containsPattern("MaxRAMPercentage +=? *= 50")
                    .containsPattern("ExitOnOutOfMemoryError +=? *= true")
                    .contains("Caravan "
                            + image.config()
                                    .get("Labels")
                                    .get("org.opencontainers.image.version")
                                    .asText());
            assertThat(Files.readString(version.temporary().resolve("loaded")))
                    .containsPattern("dev.caravan.cli.Caravan source: shared objects file \\(top\\)");
        }
    }

    @Test
    void it_runs_from_an_empty_database_to_a_delivered_message_and_ends_on_sigterm() throws Exception {
        String topic = TestKafka.newTopic(1);
        Path routes = routesTo(topic);
        Map<String, Path> mounts = Map.of("/caravan/routes", routes);
        try (var apply = start(Map.of(), mounts, "schema", "apply")) {
            assertThat(apply.exitStatus()).as(apply.output()).isZero();
        }
        try (var check = start(Map.of(), mounts, "check")) {
            assertThat(check.exitStatus()).as(check.output()).isZero();
        }
        insert();

        try (var relay = start(Map.of(), mounts, "run")) {
            relay.await("the message arrives", () -> values(topic).equals(List.of(PAYLOAD)));
            relay.await("the relay is healthy", this::isReady);
            relay.terminate();

            assertThat(relay.exitStatus()).as(relay.output()).isZero();
            assertThat(relay.output()).contains("The relay has stopped").doesNotContain("Read-only file system");
        }
        try (var status = Container.start(
                image,
                folder.resolve("container-" + containers++),
                List.of("caravan", "status"),
                environment,
                mounts)) {
            assertThat(status.exitStatus()).as(status.output()).isZero();
            assertThat(status.output()).contains("orders");
        }
    }

    @Test
    void a_wrong_setting_ends_it_with_the_exit_code_of_a_person() throws Exception {
        try (var run = start(Map.of("CARAVAN_RETENTION", "soon"), Map.of(), "run")) {
            assertThat(run.exitStatus()).isEqualTo(2);
            assertThat(run.output()).contains("caravan.retention");
        }
    }

    /** Prints figures: how long a start takes depends on what else the machine does. */
    @Test
    void it_becomes_ready_and_the_time_is_printed_beside_that_on_the_machine() throws Exception {
        Path routes = routesTo(TestKafka.newTopic(1));
        try (var apply = start(Map.of(), Map.of(), "schema", "apply")) {
            assertThat(apply.exitStatus()).as(apply.output()).isZero();
        }
        writeArchiveOfTheMachine(routes); // the image has one
        List<Long> image = new ArrayList<>();
        List<Long> machine = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            image.add(readyInTheImage(routes));
            machine.add(readyOnTheMachine(routes));
        }
        image.sort(null);
        machine.sort(null);

        System.out.printf(
                "Ready after %d ms in the container and %d ms on the machine: %.2f times (medians of 3)%n",
                image.get(1), machine.get(1), 1.0 * image.get(1) / machine.get(1));
    }

    private void writeArchiveOfTheMachine(Path routes) throws Exception {
        Process relay = onTheMachine(routes);
        try (var killed = AtEndOfJvm.signal("-KILL", relay.pid())) {
            Await.until("the archive is written", Duration.ofSeconds(240), ContainerImageIT::hasArchive);
        } finally {
            relay.destroyForcibly();
        }
    }

    private static boolean hasArchive() {
        return Stream.ofNullable(new File(".run").listFiles())
                .flatMap(Stream::of)
                .flatMap(build -> Stream.ofNullable(build.list()).flatMap(Stream::of))
                .anyMatch(name -> name.endsWith(".jsa"));
    }

    private long readyInTheImage(Path routes) throws Exception {
        long began = System.nanoTime();
        try (var relay = start(AS_IN_A_POD, Map.of("/caravan/routes", routes), "run")) {
            relay.await("the relay is ready", this::isReady);
            long ready = System.nanoTime();
            relay.terminate();
            assertThat(relay.exitStatus()).as(relay.output()).isZero();
            return (ready - began) / 1_000_000;
        }
    }

    private long readyOnTheMachine(Path routes) throws Exception {
        long began = System.nanoTime();
        Process relay = onTheMachine(routes);
        try (var killed = AtEndOfJvm.signal("-KILL", relay.pid())) {
            Await.until("the relay is ready", Duration.ofSeconds(120), this::isReady);
            long ready = System.nanoTime();
            relay.destroy(); // SIGTERM
            assertThat(relay.waitFor())
                    .as(Files.readString(folder.resolve("machine")))
                    .isZero();
            return (ready - began) / 1_000_000;
        } finally {
            relay.destroyForcibly();
        }
    }

    private Process onTheMachine(Path routes) throws IOException {
        var builder = new ProcessBuilder("./caravan", "run")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("machine").toFile());
        builder.environment().putAll(environment);
        builder.environment().put("ROUTES", routes.toString());
        return builder.start();
    }

    private boolean isReady() {
        try {
            return health().contains("\"status\":\"UP\"");
        } catch (IOException e) {
            return false; // it does not listen yet
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Container start(Map<String, String> added, Map<String, Path> mounts, String... arguments)
            throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(added);
        return Container.start(
                image, folder.resolve("container-" + containers++), image.command(arguments), all, mounts);
    }

    private Path routesTo(String topic) throws IOException {
        Path routes = Files.createDirectories(folder.resolve("routes-" + topic));
        Files.writeString(routes.resolve("orders.camel.yaml"), """
                - route:
                    id: orders
                    from:
                      uri: outbox:orders
                      steps:
                        - to:
                            uri: kafka:%s
                """.formatted(topic));
        return routes;
    }

    private void insert() throws Exception {
        try (var connection = TestPostgres.server().dataSource(database).getConnection();
                var statement = connection.createStatement()) {
            statement.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                    + " values ('order', '1', 'order.created', '" + PAYLOAD + "')");
        }
    }

    private String health() throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + environment.get("CAMEL_MANAGEMENT_PORT") + "/observe/health");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .body()
                .replaceAll("\\s", "");
    }

    private static List<String> values(String topic) {
        return TestKafka.records(topic).stream().map(ConsumerRecord::value).toList();
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static String contents(Path layer) throws IOException {
        Process tar = new ProcessBuilder("tar", "-tzf", layer.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new String(tar.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }
}
