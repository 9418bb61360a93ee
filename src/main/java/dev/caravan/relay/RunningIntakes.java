package dev.caravan.relay;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.adopt.intake.IntakeFile;
import dev.caravan.adopt.intake.IntakeRoutes;
import dev.caravan.base.settings.Settings;
import dev.caravan.database.Connections;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.camel.CamelContext;

/** The intakes of the folder {@code caravan.intakes}, and their connections to the database of the outbox. */
final class RunningIntakes implements AutoCloseable {
    private final HikariDataSource outbox;
    private final IntakeRoutes routes;

    private RunningIntakes(HikariDataSource outbox, IntakeRoutes routes) {
        this.outbox = outbox;
        this.routes = routes;
    }

    /**
     * Starts them in a running context. Empty without files: nothing is opened then.
     *
     * @param relay name of the relay, for people
     * @throws Exception if a route cannot be added, or the folder cannot be read
     */
    static Optional<RunningIntakes> start(CamelContext context, Settings settings, String relay) throws Exception {
        Path folder = IntakeFile.folder(settings);
        if (!IntakeRoutes.areIn(folder)) {
            return Optional.empty();
        }
        HikariDataSource outbox = Connections.of(settings).intakesPool();
        try {
            return Optional.of(new RunningIntakes(outbox, IntakeRoutes.addTo(context, folder, outbox, relay)));
        } catch (Exception e) {
            outbox.close();
            throw e;
        }
    }

    int size() {
        return routes.size();
    }

    /** Call it after the context has stopped. */
    @Override
    public void close() {
        routes.close();
        outbox.close();
    }
}
