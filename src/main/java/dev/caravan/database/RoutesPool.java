package dev.caravan.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.regex.Pattern;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool of the statements of users. What one of them leaves in its session, such as a {@code search_path}, a role or a temporary table, does not
 * reach the statement of another message: the session is reset before its connection is used again.
 *
 * <p>A reset takes 0.3 to 0.6 ms, as long as an insert, so it is omitted after statements that change rows only, in a database without functions that change
 * a session.
 */
public final class RoutesPool extends HikariDataSource {
    private static final Logger LOG = LoggerFactory.getLogger(RoutesPool.class);

    /** What {@code discard all} does, which cannot be sent together with other statements. The driver notices that its statements are gone. */
    private static final String RESET =
            "close all; deallocate all; set session authorization default; reset role; reset all;"
                    + " unlisten *; discard temp; discard sequences; select pg_catalog.pg_advisory_unlock_all()";

    private static final Pattern CHANGES_ROWS =
            Pattern.compile("\\s*(?:insert|update|delete|merge|select|values|with)\\b", Pattern.CASE_INSENSITIVE);
    /** Also a second statement. */
    private static final Pattern CHANGES_SESSION =
            Pattern.compile("set_config|advisory_|\\btemp|;\\s*\\S", Pattern.CASE_INSENSITIVE);

    /** By the connections of the driver, which live for half an hour at most. */
    private final Map<BaseConnection, Begun> sessions = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * How a session has begun.
     *
     * @param reset the statements after which it is the same again
     * @param isAlwaysReset whether a function may change it
     */
    private record Begun(String reset, boolean isAlwaysReset) {
        static Begun of(Connection connection) throws SQLException {
            return Sql.rows(
                            connection,
                            SqlFile.file("database/session_of_routes"),
                            row -> new Begun(RESET + "; " + row.getString("settings"), row.getBoolean("hidden")))
                    .get(0);
        }
    }

    RoutesPool(HikariConfig config) {
        super(config);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        try {
            return (Connection) Proxy.newProxyInstance(
                    RoutesPool.class.getClassLoader(), new Class<?>[] {Connection.class}, new Lent(connection));
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /**
     * Requires that a statement outside of a transaction of the route has begun none: its changes would be rolled back.
     *
     * @throws SQLException if it has
     */
    public static void requireNoTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit() && state(connection) != TransactionState.IDLE) {
            throw new SQLException(
                    "The statement of a step sql: has begun a transaction and has not ended it, so what it changed is rolled back."
                            + " Begin the transaction with the step transacted");
        }
    }

    private static TransactionState state(Connection connection) throws SQLException {
        return connection.unwrap(BaseConnection.class).getTransactionState();
    }

    /** A connection while it is in use. */
    private final class Lent implements InvocationHandler {
        private final Connection connection;
        private final Begun begun;
        private boolean isChanged;

        private Lent(Connection connection) throws SQLException {
            this.connection = connection;
            BaseConnection session = connection.unwrap(BaseConnection.class);
            Begun known = sessions.get(session);
            if (known == null) {
                known = Begun.of(connection);
                sessions.put(session, known);
            }
            begun = known;
            isChanged = begun.isAlwaysReset();
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            String name = method.getName();
            if (name.equals("close")) {
                giveBack();
                return null;
            }
            if (name.equals("equals")) {
                return proxy == arguments[0];
            }
            if (name.equals("prepareStatement")) {
                String sql = String.valueOf(arguments[0]);
                isChanged |= !CHANGES_ROWS.matcher(sql).lookingAt()
                        || CHANGES_SESSION.matcher(sql).find();
            } else if (name.equals("createStatement") || name.equals("prepareCall") || name.equals("unwrap")) {
                isChanged = true; // the text may be any
            }
            try {
                return method.invoke(connection, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        private void giveBack() throws SQLException {
            try {
                if (isChanged && !connection.isClosed()) {
                    reset();
                }
            } catch (SQLException e) {
                LOG.debug("Closed a connection of a route whose session could not be reset", e);
                evictConnection(connection);
            } finally {
                connection.close();
            }
        }

        private void reset() throws SQLException {
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            if (state(connection) != TransactionState.IDLE) {
                Sql.execute(connection, "rollback");
            }
            Sql.execute(connection, begun.reset());
        }
    }
}
