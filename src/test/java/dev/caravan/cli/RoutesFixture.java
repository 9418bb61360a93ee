package dev.caravan.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A folder with routes. */
abstract class RoutesFixture {
    @TempDir
    Path folder;

    Path routes;

    @BeforeEach
    final void createRoutes() throws IOException {
        routes = Files.createDirectory(folder.resolve("routes"));
    }

    /** @param parameters lines after the one of {@code from} */
    final void route(String id, String from, String to, String... parameters) throws IOException {
        write(routes, id, from, to, parameters);
    }

    /** The same in any folder. */
    static void write(Path folder, String id, String from, String to, String... parameters) throws IOException {
        Files.writeString(folder.resolve(id + ".camel.yaml"), """
                - route:
                    id: %s
                    from:
                      uri: %s
                %s      steps:
                        - to:
                            uri: "%s"
                """.formatted(
                id, from, Arrays.stream(parameters).map(line -> line + "\n").collect(Collectors.joining()), to));
    }
}
