package dev.caravan.cli;

import dev.caravan.camel.outbox.TestOutbox;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;

/** A folder with a route, and the command that checks it. */
abstract class CheckedRoutes extends RoutesFixture {
    @BeforeEach
    void writeRoute() throws IOException {
        route("good", "direct:good", "log:good");
    }

    CommandRun check(TestOutbox database, String... settings) throws IOException {
        return CommandRun.of("check", "--config", CommandRun.config(folder, database, settings));
    }
}
