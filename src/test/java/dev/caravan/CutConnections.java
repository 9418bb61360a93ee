package dev.caravan;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections of which one is ended by the server, once, at a statement with a given number. A commit counts as a statement. */
public final class CutConnections extends DelegatingDataSource {
    public enum When {
        BEFORE_IT,
        /** The statement is executed; its answer is lost. */
        AFTER_IT
    }

    private final int number;
    private final When when;
    private int executed;

    public CutConnections(DataSource source, int number, When when) {
        super(source);
        this.number = number;
        this.when = when;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return proxy(Connection.class, connection, (target, method, arguments) -> switch (method.getName()) {
            case "prepareStatement" ->
                proxy(
                        PreparedStatement.class,
                        call(target, method, arguments),
                        (s, m, a) -> statement(connection, s, m, a));
            case "createStatement" ->
                proxy(Statement.class, call(target, method, arguments), (s, m, a) -> statement(connection, s, m, a));
            case "commit" -> step(connection, target, method, arguments);
            default -> call(target, method, arguments);
        });
    }

    private Object statement(Connection connection, Object target, Method method, Object... arguments)
            throws Throwable {
        return method.getName().startsWith("execute")
                ? step(connection, target, method, arguments)
                : call(target, method, arguments);
    }

    private Object step(Connection connection, Object target, Method method, Object... arguments) throws Throwable {
        if (++executed != number) {
            return call(target, method, arguments);
        }
        if (when == When.BEFORE_IT) {
            end(connection);
            return call(target, method, arguments);
        }
        call(target, method, arguments);
        end(connection);
        throw new SQLException("An I/O error occurred", "08006");
    }

    private void end(Connection connection) throws SQLException {
        int process = connection.unwrap(PGConnection.class).getBackendPID();
        try (Connection other = super.getConnection();
                Statement statement = other.createStatement()) {
            statement.execute("select pg_terminate_backend(" + process + ", 5000)");
        }
    }

    private interface Call {
        Object invoke(Object target, Method method, Object... arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Object target, Call call) {
        return type.cast(Proxy.newProxyInstance(
                CutConnections.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.invoke(target, method, arguments)));
    }

    private static Object call(Object target, Method method, Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
