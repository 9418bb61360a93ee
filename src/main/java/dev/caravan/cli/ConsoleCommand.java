package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.database.Database;
import dev.caravan.database.schema.DatabaseReadiness;
import dev.caravan.relay.Console;
import dev.caravan.relay.Running;
import dev.caravan.routes.check.Configuration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan console}: runs the management server without routes in the foreground. */
@Command(
        name = "console",
        description = {
            "Serve the console, the HTTP API, health and metrics until Ctrl-C or SIGTERM, for an outbox whose routes run elsewhere: in"
                    + " relays, or in applications with the component outbox.",
            "Needs no routes folder, and delivers nothing. While the database is unavailable, the pages say so. Exit code 1: a person must"
                    + " correct something in the database. Exit code 2: settings have a problem, or the port is in use; nothing was started."
        })
final class ConsoleCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(ConsoleCommand.class);

    @Mixin
    private SettingsOptions options;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Port to listen on, instead of the one in camel.management.port (default: 9876).")
    private Integer port;

    @Override
    public Integer call() throws Exception {
        Foreground foreground = new Foreground(LOG, "console");
        return foreground.run(() -> start(foreground));
    }

    private Running start(Foreground foreground) throws Exception {
        Settings settings = foreground.logging(settings());
        Configuration.requireWithoutRoutes(settings, Console.settings(), Console::uses);
        DatabaseReadiness.ofConsole(Database.forLongCommand(settings))
                .isReady(); // throws, before anything is started, if a person must act
        return foreground.start(() -> Console.start(settings));
    }

    private Settings settings() {
        Map<String, String> given = new HashMap<>(Map.of("camel.management.enabled", "true"));
        if (port != null) {
            options.requireUpTo(65_535, "--port", port, " Nothing was started.");
            given.put("camel.management.port", port.toString());
        }
        return options.settings(given);
    }
}
