package dev.caravan.cli;

import dev.caravan.camel.outbox.TestOutbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A folder with routes, and the command that checks them. */
abstract class CheckedRoutes {
    @TempDir
    Path folder;

    Path routes;

    @BeforeEach
    void routes() throws IOException {
        routes = Files.createDirectory(folder.resolve("routes"));
        route("good", "direct:good", "log:good");
    }

    CommandRun check(TestOutbox database, String... settings) throws IOException {
        return CommandRun.of("check", "--config", CommandRun.config(folder, database, settings));
    }

    void route(String id, String from, String to) throws IOException {
        Files.writeString(routes.resolve(id + ".camel.yaml"), """
                - route:
                    id: %s
                    from:
                      uri: %s
                      steps:
                        - to:
                            uri: "%s"
                """.formatted(id, from, to));
    }
}
