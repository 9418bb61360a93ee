package dev.caravan.database.schema;

import dev.caravan.base.text.Formatted;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.DatabaseProblem;
import dev.caravan.database.SharedSessions;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares the database before messages are delivered: waits while it is unavailable, applies the schema if configured, and fails when
 * a person must correct something.
 */
public final class DatabaseReadiness {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseReadiness.class);
    private static final int LONGEST_WAIT_SECONDS = 10;

    private final String waiting;
    private final Problems check;
    private final DataSource database;
    private final boolean applySchema;
    private final Wait wait;
    private String reported = "";

    /** Waits between two attempts. */
    @FunctionalInterface
    public interface Wait {
        void seconds(int seconds) throws InterruptedException;
    }

    /** The problems that a person must correct. */
    private interface Problems {
        List<DatabaseProblem> in(SchemaCheck check) throws SQLException;
    }

    /** The problems that prevent a start. Reports the others. */
    private static List<DatabaseProblem> ofRoutes(SchemaCheck check) throws SQLException {
        List<DatabaseProblem> problems = check.problems();
        if (problems.isEmpty()) {
            check.messagesAhead().forEach(problem -> LOG.warn("{}", problem.text()));
        }
        return problems;
    }

    /**
     * For routes.
     *
     * @param database unpooled connections without a statement timeout
     * @param applySchema whether to create or upgrade the tables, which needs Flyway
     */
    public DatabaseReadiness(DataSource database, boolean applySchema, Wait wait) {
        this("routes", DatabaseReadiness::ofRoutes, database, applySchema, wait);
    }

    /** Of a console. Its role may have fewer rights than that of a relay: each operation says which one it lacks. */
    public static DatabaseReadiness ofConsole(DataSource database) {
        return new DatabaseReadiness("pages", SchemaCheck::problemsOfTables, database, false, TimeUnit.SECONDS::sleep);
    }

    private DatabaseReadiness(String waiting, Problems check, DataSource database, boolean applySchema, Wait wait) {
        this.waiting = waiting;
        this.check = check;
        this.database = database;
        this.applySchema = applySchema;
        this.wait = wait;
    }

    /**
     * Blocks until the database is ready.
     *
     * @throws DatabaseNotReady with all problems when a person must correct something
     */
    public void await() throws SQLException, InterruptedException {
        for (int delay = 1; !isReady(); delay = Math.min(delay * 2, LONGEST_WAIT_SECONDS)) {
            wait.seconds(delay);
        }
    }

    /**
     * Returns false while the database is unavailable; logs each new reason once.
     *
     * @throws DatabaseNotReady with all problems when a person must correct something
     */
    public boolean isReady() throws SQLException {
        try {
            prepare();
        } catch (SQLException | RuntimeException e) {
            Optional<DatabaseFailure> temporary = DatabaseFailure.in(e).filter(DatabaseFailure::waitingHelps);
            if (temporary.isEmpty()) {
                throw e;
            }
            report(temporary.get().text());
            return false;
        }
        if (!reported.isEmpty()) {
            LOG.info("The database is available");
        }
        return true;
    }

    private void report(String reason) {
        if (!reason.equals(reported)) {
            reported = reason;
            LOG.warn(
                    "The {} wait for the database. {} Retrying without limit, at least every {} s",
                    waiting,
                    reason,
                    LONGEST_WAIT_SECONDS);
        }
    }

    private void prepare() throws SQLException {
        Optional<DatabaseProblem> shared = new SharedSessions(database).problem();
        if (shared.isPresent()) {
            throw new DatabaseNotReady(List.of(shared.get()));
        }
        if (applySchema) {
            int applied = new Schema(database).apply();
            if (applied > 0) {
                LOG.info("Applied {} to the database", Formatted.counted(applied, "migration"));
            }
        }
        List<DatabaseProblem> problems = check.in(new SchemaCheck(database));
        if (!problems.isEmpty()) {
            throw new DatabaseNotReady(problems);
        }
        SchemaVersion.noteOfNewer(database).ifPresent(note -> LOG.info("During an upgrade or a back-out: {}", note));
    }
}
