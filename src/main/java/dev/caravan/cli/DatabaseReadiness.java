package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.DatabaseProblem;
import dev.caravan.database.SharedSessions;
import dev.caravan.database.schema.Schema;
import dev.caravan.database.schema.SchemaCheck;
import dev.caravan.database.schema.SchemaVersion;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares the database before a relay or a console starts: waits while it is unavailable, applies the schema if configured, and fails when
 * a person must correct something.
 */
final class DatabaseReadiness {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseReadiness.class);
    private static final int LONGEST_WAIT_SECONDS = 10;

    private final String process;
    private final String waiting;
    private final Problems check;
    private final DataSource database;
    private final boolean applySchema;
    private final Wait wait;
    private String reported = "";

    /** Waits between two attempts. */
    @FunctionalInterface
    interface Wait {
        void seconds(int seconds) throws InterruptedException;
    }

    /** The problems that a person must correct. */
    private interface Problems {
        List<DatabaseProblem> in(SchemaCheck check) throws SQLException;
    }

    /** Of a relay. */
    DatabaseReadiness(DataSource database, boolean applySchema, Wait wait) {
        this("relay", "routes", SchemaCheck::problems, database, applySchema, wait);
    }

    /** Of a console. Its role may have fewer rights than that of a relay: each operation says which one it lacks. */
    static DatabaseReadiness ofConsole(DataSource database) {
        return new DatabaseReadiness(
                "console", "pages", SchemaCheck::problemsOfTables, database, false, TimeUnit.SECONDS::sleep);
    }

    private DatabaseReadiness(
            String process, String waiting, Problems check, DataSource database, boolean applySchema, Wait wait) {
        this.process = process;
        this.waiting = waiting;
        this.check = check;
        this.database = database;
        this.applySchema = applySchema;
        this.wait = wait;
    }

    /**
     * Blocks until the database is ready.
     *
     * @throws CommandFailure with all problems when a person must correct something
     */
    void await() throws SQLException, InterruptedException {
        for (int delay = 1; !isReady(); delay = Math.min(delay * 2, LONGEST_WAIT_SECONDS)) {
            wait.seconds(delay);
        }
    }

    /**
     * Returns false while the database is unavailable; logs each new reason once.
     *
     * @throws CommandFailure with all problems when a person must correct something
     */
    boolean isReady() throws SQLException {
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
            LOG.info("The database is available. The routes start");
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
            throw refused(List.of(shared.get()));
        }
        if (applySchema) {
            int applied = new Schema(database).apply();
            if (applied > 0) {
                LOG.info("Applied {} to the database", Formatted.counted(applied, "migration"));
            }
        }
        List<DatabaseProblem> problems = check.in(new SchemaCheck(database));
        if (!problems.isEmpty()) {
            throw refused(problems);
        }
        SchemaVersion.noteOfNewer(database).ifPresent(note -> LOG.info("During an upgrade or a back-out: {}", note));
    }

    private CommandFailure refused(List<DatabaseProblem> problems) {
        return new CommandFailure("Could not start the " + process + ". The database is not ready:\n"
                + problems.stream().map(problem -> "- " + problem.text()).collect(Collectors.joining("\n"))
                + "\nNothing was started.");
    }
}
