package dev.caravan.console.api;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.clock.Timers;
import dev.caravan.base.settings.Settings;
import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.ManagementSettings;
import dev.caravan.console.http.Operation;
import dev.caravan.console.http.ProbedPool;
import dev.caravan.database.Database;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.schema.SchemaVersion;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.watch.DatabaseOutbox;
import dev.caravan.operate.watch.OutboxSurvey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * The operations on the outboxes of the database, below {@code /api/outboxes/SCHEMA}. Each outbox has its own connections, so that
 * no connection ever changes its schema.
 */
final class OtherOutboxes implements AutoCloseable {
    private static final String PREFIX = "/api/outboxes/{" + Operation.OUTBOX + "}";

    private record Opened(HikariDataSource pool, Operations operations, Map<String, Operation> byName) {
        static Opened of(HikariDataSource pool, Operations operations) {
            return new Opened(
                    pool,
                    operations,
                    operations.ofAnOutbox().stream()
                            .collect(Collectors.toMap(Operation::toString, Function.identity())));
        }
    }

    private final DataSource own;
    private final Settings settings;
    private final ManagementSettings management;
    private final ServedBy by;
    private final OutboxSurvey survey;
    private final Map<String, Opened> opened = new ConcurrentHashMap<>();
    private final ScheduledThreadPoolExecutor timer = Timers.daemons("other-outboxes", 1);

    /** @param own its sessions have the schema of this relay */
    OtherOutboxes(DataSource own, Settings settings, ManagementSettings management, ServedBy by, OutboxSurvey survey) {
        this.own = own;
        this.settings = settings;
        this.management = management;
        this.by = by;
        this.survey = survey;
        timer.setRemoveOnCancelPolicy(
                true); // otherwise it references each closed connection until the maximum lifetime ends
    }

    /** @param operations the operations on the own outbox, which the path can name too */
    List<Operation> all(List<Operation> operations) {
        return operations.stream()
                .map(operation -> operation.below(PREFIX).handledBy(call -> answer(operation, call)))
                .toList();
    }

    private ApiResponse answer(Operation operation, Call call) throws Exception {
        String schema = call.path(Operation.OUTBOX);
        if (schema.equals(OutboxSchema.of(settings).name())) {
            return operation.handler().handle(call);
        }
        Opened outbox = opened.get(schema);
        if (outbox == null) {
            if (survey.latest(schema)
                    .isEmpty()) { // otherwise its last sample is shown, even while the database is unavailable
                requireReadable(schema);
            }
            outbox = opened.computeIfAbsent(schema, this::open);
        }
        return outbox.byName().get(operation.toString()).handler().handle(call);
    }

    private void requireReadable(String schema) throws SQLException {
        DatabaseOutbox outbox = DatabaseOutbox.find(own, schema)
                .orElseThrow(() -> HttpProblem.missing("This database has no outbox in a schema of this name. GET"
                        + " /api/outboxes lists them. Nothing was changed."));
        if (outbox.access() != DatabaseOutbox.Access.READABLE) {
            throw new HttpProblem(403, outbox.remedy() + " Nothing was changed.");
        }
    }

    private Opened open(String schema) {
        HikariDataSource pool = Database.apiPool(settings, new OutboxSchema(schema), timer);
        return Opened.of(
                pool,
                new Operations(
                        new CheckedConnections(new ProbedPool(pool), schema),
                        settings,
                        management,
                        by,
                        Observed.other(survey, schema),
                        survey,
                        Retention.UNLIMITED));
    }

    /** Stops the jobs after their current step. */
    @Override
    public void close() {
        opened.values().parallelStream()
                .forEach(
                        outbox -> { // each may wait for a step of its jobs
                            outbox.operations().close();
                            outbox.pool().close();
                        });
        timer.shutdownNow();
    }

    /**
     * Checks before each use that the outbox may still be read: a schema can be dropped, and created again by another role, at any
     * time.
     */
    private final class CheckedConnections extends DelegatingDataSource {
        private final String schema;
        private volatile boolean fits;

        private CheckedConnections(DataSource pool, String schema) {
            super(pool);
            this.schema = schema;
        }

        @Override
        public Connection getConnection() throws SQLException {
            requireReadable(schema);
            Connection connection = super.getConnection();
            try {
                requireVersion(connection);
                return connection;
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        }

        /** Checks until the version fits once: newer versions only add to the tables. */
        private void requireVersion(Connection connection) throws SQLException {
            if (!fits) {
                List<String> differences = SchemaVersion.of(connection).differences();
                if (!differences.isEmpty()) {
                    throw HttpProblem.conflict("The tables of this outbox are of another version of Caravan: "
                            + differences.get(0) + ". Nothing was changed.");
                }
                fits = true;
            }
        }
    }
}
