package dev.caravan.dist;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.ShortLivedJvm;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** caravan-outbox.jar and what its pom requires, without the libraries that are optional. */
class EmbeddedIT {
    /** Long, because a busy machine starts JVMs slowly. */
    private static final Duration LIMIT = Duration.ofSeconds(180);

    /** A third of the 58.9 MB of a relay with its libraries. */
    private static final long MOST_BYTES = 58_900_000 / 3;

    @TempDir
    private Path folder;

    @Test
    void an_application_without_an_optional_library_delivers_and_stores_failures() throws Exception {
        TestOutbox database = TestOutbox.create();
        database.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " values ('order', '1', 'order.placed', '{}')");
        Path output = folder.resolve("output");
        Process application = start(database, output);
        try {
            eventually(LIMIT, () -> assertThat(database.number("select count(*) from outbox_subscription"
                            + " where position = 1 and gaps = '{}' and name = 'orders'"))
                    .as(() -> text(output))
                    .isOne());
            eventually(LIMIT, () -> assertThat(database.number("select count(*) from outbox_retry"
                            + " where subscription = 'failing' and error_class like '%IllegalStateException'"))
                    .as(() -> text(output))
                    .isOne());
            eventually(LIMIT, () -> assertThat(output)
                    .content()
                    .contains(
                            "sms: needs the library org.apache.camel:camel-http",
                            "email: needs the library org.apache.camel:camel-mail",
                            "standard-webhook: needs the library org.apache.camel:camel-http",
                            "Mustache needs the library com.samskivert:jmustache"));
            application.getOutputStream().close();
            assertThat(application.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            application.destroyForcibly();
        }
        assertThat(application.exitValue()).as(text(output)).isZero();
        assertThat(output)
                .content()
                .contains("delivered order.placed: {}")
                .doesNotContain("LinkageError", "NoClassDefFoundError", "ClassNotFoundException");
    }

    @Test
    void it_is_a_third_of_a_relay() throws Exception {
        long bytes = 0;
        for (Path jar : RequiredLibraries.all()) {
            bytes += Files.size(jar);
        }

        assertThat(bytes).isBetween(5_000_000L, MOST_BYTES);
    }

    @Test
    void each_class_and_resource_is_in_one_jar() throws Exception {
        List<String> jarred = new ArrayList<>();
        for (String jar : List.of("lib/caravan-outbox.jar", "caravan.jar", "caravan-lab.jar", "caravan-test.jar")) {
            try (var file = new JarFile(Path.of("target", jar).toFile())) {
                file.stream()
                        .filter(entry -> !entry.isDirectory())
                        .map(JarEntry::getName)
                        .filter(name -> !name.startsWith("META-INF/maven/") && !name.equals(JarFile.MANIFEST_NAME))
                        .forEach(jarred::add);
            }
        }
        Path classes = Path.of("target/classes");
        List<String> built;
        try (var all = Files.walk(classes)) {
            built = all.filter(Files::isRegularFile)
                    .map(file -> classes.relativize(file).toString())
                    .filter(name -> !name.equals("META-INF/jandex.idx")) // of the build alone
                    .toList();
        }

        assertThat(jarred).containsExactlyInAnyOrderElementsOf(built);
    }

    private Process start(TestOutbox database, Path output) throws Exception {
        Path own = Files.createDirectory(folder.resolve("own"));
        copyClasses(own);
        Files.writeString(own.resolve("logback.xml"), """
                <configuration>
                  <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
                    <encoder><pattern>%level %logger %message%n</pattern></encoder>
                  </appender>
                  <root level="info"><appender-ref ref="out"/></root>
                </configuration>
                """);
        List<String> command = ShortLivedJvm.command();
        command.addAll(List.of(
                "-cp",
                Stream.of(Stream.of(own), RequiredLibraries.all().stream(), ownLibraries())
                        .flatMap(paths -> paths)
                        .map(Path::toString)
                        .collect(Collectors.joining(File.pathSeparator)),
                EmbeddedApplication.class.getName(),
                database.url(),
                database.connection().get("caravan.db.user"),
                database.connection().get("caravan.db.password")));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    /** What this application chose itself: the component log:, and where its log goes. */
    private static Stream<Path> ownLibraries() throws Exception {
        try (var all = Files.list(Path.of("target/lib"))) {
            return all
                    .filter(jar ->
                            jar.getFileName().toString().matches("(camel-log|logback-classic|logback-core)-\\d.*"))
                    .toList()
                    .stream();
        }
    }

    private static void copyClasses(Path to) throws Exception {
        Path classes = Path.of(EmbeddedApplication.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path folder = classes.relativize(classes.resolve("dev/caravan/dist"));
        Files.createDirectories(to.resolve(folder));
        try (var all = Files.list(classes.resolve(folder))) {
            for (Path file : all.filter(each -> each.getFileName().toString().startsWith("EmbeddedApplication"))
                    .toList()) {
                Files.copy(file, to.resolve(folder).resolve(file.getFileName()));
            }
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
