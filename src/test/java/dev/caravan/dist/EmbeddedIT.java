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
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** caravan-outbox.jar and what its pom requires, without the libraries that are optional. */
class EmbeddedIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void an_application_without_an_optional_library_delivers() throws Exception {
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
            application.getOutputStream().close();
            assertThat(application.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            application.destroyForcibly();
        }
        assertThat(application.exitValue()).as(text(output)).isZero();
        assertThat(output)
                .content()
                .contains("delivered order.placed: {}")
                .doesNotContain("WARN", "ERROR", "NoClassDefFoundError");
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
