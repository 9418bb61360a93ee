package dev.caravan.cli;

import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.DatabaseProblem;
import dev.caravan.database.SharedSessions;
import dev.caravan.schema.Schema;
import dev.caravan.schema.SchemaCheck;
import dev.caravan.text.Humane;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets a relay through when its database can serve it: waits where waiting helps and refuses where it does not. */
final class DatabaseGate {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseGate.class);
    private static final int LONGEST_WAIT_SECONDS = 30;

    private final DataSource database;
    private final boolean applySchema;
    private final Wait wait;

    /** How time passes between two tries. */
    @FunctionalInterface
    interface Wait {
        void seconds(int seconds) throws InterruptedException;
    }

    DatabaseGate(DataSource database, boolean applySchema, Wait wait) {
        this.database = database;
        this.applySchema = applySchema;
        this.wait = wait;
    }

    /**
     * Returns when the database is ready.
     *
     * @throws CommandFailure with all problems at once when a person must mend something
     */
    void await() throws SQLException, InterruptedException {
        String told = "";
        for (int delay = 1; ; delay = Math.min(delay * 2, LONGEST_WAIT_SECONDS)) {
            try {
                prepare();
                if (!told.isEmpty()) {
                    LOG.info("The database is there");
                }
                return;
            } catch (SQLException | RuntimeException e) {
                var away = DatabaseFailure.in(e).filter(DatabaseFailure::waitingHelps);
                if (away.isEmpty()) {
                    throw e;
                }
                if (!away.get().text().equals(told)) {
                    told = away.get().text();
                    LOG.warn(
                            "{} Trying again for as long as it takes, at most every {} s.", told, LONGEST_WAIT_SECONDS);
                }
            }
            wait.seconds(delay);
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
                LOG.info("Applied {} to the database", Humane.counted(applied, "migration"));
            }
        }
        List<DatabaseProblem> problems = new SchemaCheck(database).problems();
        if (!problems.isEmpty()) {
            throw refused(problems);
        }
    }

    private static CommandFailure refused(List<DatabaseProblem> problems) {
        return new CommandFailure("Could not start the relay; the database is not ready:\n"
                + problems.stream().map(problem -> "- " + problem.text()).collect(Collectors.joining("\n"))
                + "\nNothing was started.");
    }
}
