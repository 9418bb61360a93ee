package dev.caravan.database;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Unpooled connections whose sessions are set up by statements after connecting, because poolers refuse unknown startup parameters.
 */
final class InitializedConnections extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;

    private final String statements;
    private final boolean schemaRequired;

    /**
     * @param statements set up a session
     * @param schemaRequired whether a connection fails if its schema cannot be used
     */
    InitializedConnections(String statements, boolean schemaRequired) {
        this.statements = statements;
        this.schemaRequired = schemaRequired;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        Connection connection = super.getConnection(user, password);
        try {
            Sql.execute(connection, statements);
            if (schemaRequired) {
                OutboxSchema.require(connection);
            }
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }
}
