package dev.caravan.adopt.intake;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.file.YamlFields;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.clock.Timers;
import dev.caravan.base.settings.Settings;
import dev.caravan.database.Connections;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.LaneConnections;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.RouteBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The routes of the intakes of a folder, in a context: one for each valid file, with the id {@code intake-NAME}. */
public final class IntakeRoutes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IntakeRoutes.class);
    private static final long RENEW_CHECK_MILLIS = 1_000;

    private final CamelContext context;
    private final HikariDataSource outbox;
    private final String relay;
    private final Histories histories = new Histories();
    private final List<IntakeLoop> loops = new ArrayList<>();
    private final ScheduledExecutorService leases = Timers.daemons("intake-leases", 1);

    private IntakeRoutes(CamelContext context, HikariDataSource outbox, String relay) {
        this.context = context;
        this.outbox = outbox;
        this.relay = relay;
    }

    /**
     * Adds the routes of the folder {@code caravan.intakes} to a running context. Empty without files: nothing is opened then. A file that is wrong is
     * logged with all its problems, and its intake waits for a person; the others run. Their data sources are beans of the registry, which are
     * looked up when they are used.
     *
     * @param relay name of the relay, for people
     * @throws Exception if a route cannot be added, or the folder cannot be read
     */
    public static Optional<IntakeRoutes> start(CamelContext context, Settings settings, String relay) throws Exception {
        Path folder = IntakeFile.folder(settings);
        if (!areIn(folder)) {
            return Optional.empty();
        }
        // at most one connection for each intake at a time, and none during a statement of a source
        IntakeRoutes routes = new IntakeRoutes(context, Connections.of(settings).intakesPool(), relay);
        try {
            routes.add(folder);
            return Optional.of(routes);
        } catch (Exception e) {
            routes.close();
            throw e;
        }
    }

    /** Whether a folder has files of intakes. */
    public static boolean areIn(Path folder) {
        try {
            return !YamlFields.files(folder).isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException("Could not list the folder " + folder, e);
        }
    }

    private void add(Path folder) throws Exception {
        List<FileProblem> problems = new ArrayList<>();
        List<Intake> intakes = IntakeFile.readAll(folder, problems);
        problems.stream()
                .collect(Collectors.groupingBy(problem -> YamlFields.name(problem.file())))
                .forEach(this::refuse);
        for (Intake intake : intakes) {
            add(intake);
        }
        leases.scheduleWithFixedDelay(
                () -> loops.forEach(IntakeLoop::renewDuringStep),
                RENEW_CHECK_MILLIS,
                RENEW_CHECK_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private void refuse(String intake, List<FileProblem> problems) {
        String text = problems.stream().map(FileProblem::toString).collect(Collectors.joining("\n"));
        LOG.error("Intake {} does not run, because its file is wrong:\n{}", intake, text);
        try {
            IntakeStore.refuse(connections(), intake, "unknown", text);
        } catch (SQLException e) {
            LOG.debug("Could not store the problems of intake {}", intake, e);
        }
    }

    private void add(Intake intake) throws Exception {
        SourceConnection connection = new SourceConnection(() -> dataSource(intake), Clock.SYSTEM);
        IntakeStore store = new IntakeStore(connections(), intake, relay);
        IntakeLoop loop = new IntakeLoop(intake, store, connection, Clock.SYSTEM);
        loops.add(loop);
        IntakeEndpoint endpoint = new IntakeEndpoint(context.getComponent("sql"), loop);
        endpoint.setCamelContext(context);
        context.addRoutes(new RouteBuilder(context) {
            @Override
            public void configure() {
                from(endpoint)
                        .routeId("intake-" + intake.name())
                        .errorHandler(noErrorHandler()) // the loop retries
                        .process(endpoint);
            }
        });
    }

    private LaneConnections connections() {
        return new LaneConnections(outbox, histories);
    }

    private DataSource dataSource(Intake intake) {
        DataSource found = context.getRegistry().lookupByNameAndType(intake.dataSource(), DataSource.class);
        if (found == null) {
            throw new IntakeRefusal(intake.file() + ": there is no data source " + intake.dataSource()
                    + ". Define it in application.properties: camel.beans." + intake.dataSource()
                    + "=#class:com.zaxxer.hikari.HikariDataSource, with .jdbcUrl, .username and .password");
        }
        return found;
    }

    /** The number of intakes that run. */
    public int size() {
        return loops.size();
    }

    /** Call it after the context has stopped. */
    @Override
    public void close() {
        leases.shutdownNow();
        outbox.close();
    }
}
