package dev.caravan.database;

import dev.caravan.base.text.Causes;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import org.postgresql.PGProperty;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Opens a session for each connection, with the login that is valid then. Statements set up the session after the login, because poolers
 * refuse unknown startup parameters.
 */
final class Sessions extends AbstractDataSource {
    private final Supplier<Login> login;
    private final String statements;
    private final boolean schemaRequired;
    private volatile int loginTimeout;
    private final Map<PGProperty, String> fixed = new EnumMap<>(PGProperty.class);
    private final Map<PGProperty, String> fallback = new EnumMap<>(PGProperty.class);

    /**
     * @param login reads the login; a password may have changed since the last session
     * @param statements set up a session
     * @param schemaRequired whether a connection fails if its schema cannot be used
     */
    Sessions(Supplier<Login> login, String statements, boolean schemaRequired) {
        this.login = login;
        this.statements = statements;
        this.schemaRequired = schemaRequired;
    }

    /** Sets a property of the driver that the URL cannot change. */
    Sessions fix(PGProperty property, String value) {
        fixed.put(property, value);
        return this;
    }

    /** Sets a property of the driver unless the URL does. */
    Sessions orElse(PGProperty property, String value) {
        fallback.put(property, value);
        return this;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Login now = login.get();
        if (now.unavailable() != null) {
            throw new SQLException(now.unavailable(), DatabaseFailure.NOT_CONNECTED);
        }
        Connection connection = open(now);
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

    /** Without its causes, an error that quotes a secret of the URL, in the place of a host or a database. */
    private Connection open(Login now) throws SQLException {
        try {
            return now.source(fixed, fallback).getConnection();
        } catch (SQLException e) {
            if (Causes.of(e).map(cause -> String.valueOf(cause.getMessage())).allMatch(text -> now.withoutSecrets(text)
                    .equals(text))) {
                throw e;
            }
            throw new SQLException(
                    now.withoutSecrets(String.valueOf(e.getMessage())), e.getSQLState(), e.getErrorCode());
        }
    }

    /** @throws UnsupportedOperationException always: the login knows the user */
    @Override
    public Connection getConnection(String user, String password) {
        throw new UnsupportedOperationException("The user of a session cannot be changed");
    }

    /** Only the time that a pool waits for its logins when it closes. The timeouts of the driver limit a login. */
    @Override
    public void setLoginTimeout(int seconds) {
        loginTimeout = seconds;
    }

    @Override
    public int getLoginTimeout() {
        return loginTimeout;
    }
}
