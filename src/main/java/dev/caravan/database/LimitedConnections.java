package dev.caravan.database;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Unpooled connections with a statement timeout and isolation level READ COMMITTED. Both are set by statements after connecting,
 * because poolers refuse unknown startup parameters.
 */
final class LimitedConnections extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;

    private final long seconds;

    /** @param seconds 0 for no limit */
    LimitedConnections(long seconds) {
        this.seconds = seconds;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        Connection connection = super.getConnection(user, password);
        try (var statement = connection.createStatement()) {
            statement.execute("set statement_timeout = '" + seconds + "s';"
                    + " set session characteristics as transaction isolation level read committed");
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }
}
