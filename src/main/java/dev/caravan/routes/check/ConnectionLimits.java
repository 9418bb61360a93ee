package dev.caravan.routes.check;

import dev.caravan.database.Connections;
import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Checks whether Postgres permits the connections that a relay opens. */
public final class ConnectionLimits {
    /** For message ids, the samples of the metrics and notices, housekeeping, the presence, and the notifications that wake the relay. */
    private static final int OTHER_CONNECTIONS =
            Connections.OF_IDS + Connections.OF_MONITORING + Connections.OF_HOUSEKEEPING + 2;

    private record Limit(int connections, String setBy) {}

    private ConnectionLimits() {}

    /**
     * Returns a problem if Postgres permits too few connections; otherwise empty. Other sessions are not counted: they may end.
     *
     * @param concurrency the largest of a route
     * @param hasIntakes whether the relay has intakes
     */
    public static Optional<CheckResult> problem(DataSource database, int concurrency, boolean hasIntakes)
            throws SQLException {
        int needed = Connections.OF_LANES
                + Database.connectionsOfRoutes(concurrency)
                + OTHER_CONNECTIONS
                + (hasIntakes ? Connections.OF_INTAKES : 0);
        return limits(database).stream()
                .filter(limit -> limit.connections < needed)
                .findFirst()
                .map(limit -> CheckResult.problem(
                        "database",
                        "connections",
                        "A relay opens up to " + needed + " connections, but Postgres permits " + limit.connections
                                + ": with fewer, lanes wait for each other and lose their leases. Raise "
                                + limit.setBy));
    }

    private static List<Limit> limits(DataSource database) throws SQLException {
        return Transaction.run(database, connection -> Sql.file("routes/connection_limits")
                .query(connection, ConnectionLimits::limits)
                .get(0));
    }

    private static List<Limit> limits(ResultSet row) throws SQLException {
        return List.of(
                limit(row, "of_server", "max_connections of the server"),
                limit(row, "of_database", "the connection limit of the database"),
                limit(row, "of_role", "the connection limit of the role"));
    }

    private static Limit limit(ResultSet row, String column, String setBy) throws SQLException {
        int connections = row.getInt(column);
        return new Limit(row.wasNull() ? Integer.MAX_VALUE : connections, setBy);
    }
}
