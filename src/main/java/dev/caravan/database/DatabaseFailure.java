package dev.caravan.database;

import dev.caravan.base.text.Causes;
import dev.caravan.base.text.Sentence;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLException;

/**
 * An explanation of an error of the database.
 *
 * @param text what failed, why, and what to do
 * @param waitingHelps true when the database is unavailable or starting, or has too many connections; false when a person must
 *     change something
 */
public record DatabaseFailure(String text, boolean waitingHelps) {
    /** The SQLSTATE of a statement that the role has no privilege for. */
    public static final String NO_PRIVILEGE = "42501";

    /** The SQLSTATE of a commit that was not answered. */
    static final String COMMIT_UNKNOWN = "08007";

    /** The SQLSTATE of a connection that could not be opened. */
    static final String NOT_CONNECTED = "08001";

    /**
     * The SQLSTATEs with which the server ends a session because of a setting or a person: the time limits of an idle session, of an idle
     * transaction and of a transaction, and a database that is dropped.
     */
    static final Set<String> ENDED_SESSION = Set.of("57P05", "25P03", "25P04", "57P04");

    private static final Set<String> LOST_CONNECTION = Set.of("08003", "08006", "57P01", "57P02");
    private static final Set<String> TEMPORARY = Set.of("08000", "57P03", "53300");

    /** Explains the {@link SQLException} among the causes of an exception; empty when there is none. */
    public static Optional<DatabaseFailure> in(Throwable thrown) {
        return Causes.of(thrown)
                .filter(SQLException.class::isInstance)
                .map(SQLException.class::cast)
                .reduce((found, inner) ->
                        inner.getSQLState() == null || COMMIT_UNKNOWN.equals(found.getSQLState()) ? found : inner)
                .map(DatabaseFailure::of);
    }

    /**
     * Whether a pool of this process had no free connection in time, although the database has refused none meanwhile: a pool opens
     * connections one by one, so many lanes that start together wait for each other.
     */
    public static boolean isWaitForPool(Throwable thrown) {
        return Causes.first(SQLTransientConnectionException.class, thrown)
                .filter(wait -> wait.getSQLState() == null && wait.getCause() == null)
                .isPresent();
    }

    /** Whether the connection ended before the statement was answered. */
    static boolean isLostConnection(SQLException failure) {
        return isLost(String.valueOf(failure.getSQLState()));
    }

    private static boolean isLost(String state) {
        return LOST_CONNECTION.contains(state) || ENDED_SESSION.contains(state);
    }

    private static DatabaseFailure of(SQLException refusal) {
        String state = refusal.getSQLState() == null ? "" : refusal.getSQLState();
        String reason = reason(refusal);
        if (isWaitForPool(refusal)) {
            return new DatabaseFailure("No connection to the database was free: " + reason, true);
        }
        if (state.startsWith("28")) {
            return forPerson(
                    "Could not connect to the database: " + reason,
                    "Check caravan.db.user and caravan.db.password (CARAVAN_DB_USER, CARAVAN_DB_PASSWORD) and pg_hba.conf.");
        }
        if (Causes.first(SSLException.class, refusal).isPresent()) {
            return forPerson(
                    "Could not connect to the database with TLS: " + reason,
                    "Check sslmode and sslrootcert in caravan.db.url (CARAVAN_DB_URL).");
        }
        if (state.equals(COMMIT_UNKNOWN)) {
            return new DatabaseFailure(
                    "The connection to the database was lost at the end of a transaction: " + reason
                            + " A change may have been made: check before you repeat it.",
                    true);
        }
        if (state.equals(NOT_CONNECTED)) {
            return new DatabaseFailure(
                    "Could not connect to the database: " + reason
                            + " Its address comes from caravan.db.url (CARAVAN_DB_URL), or from the context.",
                    true);
        }
        if (isLost(state) || TEMPORARY.contains(state)) {
            return new DatabaseFailure("Could not connect to the database: " + reason, true);
        }
        return switch (state) {
            case "08004" ->
                forPerson(
                        "Could not connect to the database: " + reason,
                        "Check caravan.db.url, caravan.db.user and caravan.db.password (CARAVAN_DB_URL, CARAVAN_DB_USER, CARAVAN_DB_PASSWORD).");
            case "3D000" ->
                forPerson(
                        "Could not connect to the database: " + reason,
                        "Create it, or set another one in caravan.db.url (CARAVAN_DB_URL).");
            case "42P01", "3F000" ->
                forPerson(
                        "Could not use the tables of the outbox: " + reason,
                        "Create them with: ./caravan schema apply (or name their schema in caravan.schema, CARAVAN_SCHEMA).");
            case NO_PRIVILEGE ->
                forPerson(
                        "Could not use the database: " + reason,
                        "Grant the privilege to the role in caravan.db.user (CARAVAN_DB_USER), or use another role.");
            case "57014" ->
                forPerson(
                        "The database cancelled a statement: " + reason,
                        "Commands wait 5 minutes for a statement. Select fewer messages, or find what slows the database down:"
                                + " a long transaction, or a lock, in pg_stat_activity (xact_start, wait_event).");
            default -> forPerson("The database refused a statement: " + reason, "(SQLSTATE " + state + ")");
        };
    }

    private static DatabaseFailure forPerson(String failure, String remedy) {
        return new DatabaseFailure(failure + " " + remedy, false);
    }

    private static String reason(SQLException refusal) {
        Optional<UnknownHostException> unknownHost = Causes.first(UnknownHostException.class, refusal);
        if (unknownHost.isPresent()) {
            return "unknown host " + unknownHost.get().getMessage() + ".";
        }
        return Sentence.of(
                String.valueOf(refusal.getMessage()).lines().findFirst().orElse("no reason given"));
    }
}
