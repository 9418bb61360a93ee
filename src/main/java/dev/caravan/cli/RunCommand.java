package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.database.Database;
import dev.caravan.database.schema.DatabaseReadiness;
import dev.caravan.relay.BeforeRoutes;
import dev.caravan.relay.Console;
import dev.caravan.relay.Relay;
import dev.caravan.relay.Running;
import dev.caravan.relay.postgres.EmbeddedServer;
import dev.caravan.routes.check.Configuration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code caravan run}: runs a relay in the foreground. */
@Command(
        name = "run",
        description = {
            "Run the relay in the foreground until Ctrl-C or SIGTERM.",
            "Waits while the database is unavailable. Exit code 1: a person must correct something in the database. Exit code 2:"
                    + " settings or routes have a problem; nothing was started."
        })
final class RunCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

    @ParentCommand
    private Caravan caravan;

    @Mixin
    private SettingsOptions options;

    @Option(
            names = "--no-routes",
            description =
                    "Run only the Postgres of caravan.db.url = embedded:FOLDER, for example to restore a backup. Nothing is delivered.")
    private boolean noRoutes;

    @Override
    public Integer call() throws Exception {
        Foreground foreground = new Foreground(LOG, "relay");
        return foreground.run(() -> noRoutes ? startServer(foreground) : start(foreground));
    }

    /** The tables may be missing: a backup has its own. */
    private Running startServer(Foreground foreground) throws Exception {
        Settings settings = foreground.logging(options.ofRelay());
        Configuration.requireWithoutRoutes(settings, Console.settings(), Console::uses);
        return foreground
                .start(settings)
                .orElseThrow(() -> options.wrong("--no-routes runs the Postgres of caravan.db.url = embedded:FOLDER,"
                        + " and caravan.db.url names another one. Nothing was started."));
    }

    private Running start(Foreground foreground) throws Exception {
        Settings settings = foreground.logging(options.ofRelay());
        LOG.info("The relay starts with the routes in {}", settings.text("caravan.routes", "routes"));
        Configuration.require(settings, Relay.settings());
        Optional<EmbeddedServer> server = foreground.start(settings);
        boolean applySchema = server.isPresent() || settings.flag("caravan.schema.auto", false);
        var database = new DatabaseReadiness(
                applySchema ? Database.forMigrations(settings) : Database.forLongCommand(settings),
                applySchema,
                TimeUnit.SECONDS::sleep);
        boolean ready = database.isReady(); // throws, before anything is started, if a person must act
        BeforeRoutes awaited = ready ? BeforeRoutes.NOTHING : database::await;
        return foreground.start(() -> caravan.relayStart().start(settings, () -> {
            awaited.await();
            foreground.begun(); // the routes start, and take lanes
        }));
    }
}
