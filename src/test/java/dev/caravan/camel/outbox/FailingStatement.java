package dev.caravan.camel.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections on which one statement or commit fails, whichever it is: the n-th one after {@link #failAfter}. */
final class FailingStatement extends DelegatingDataSource {
    /** How it fails. */
    enum Kind {
        /** The database refuses it; its transaction can only be rolled back. */
        REFUSED,
        /** As after a conflict with another transaction. */
        SERIALIZATION,
        /** The connection is lost before it is executed. */
        LOST,
        /** It is executed, and the connection is lost before the answer. */
        UNANSWERED
    }

    private static final int NEVER = Integer.MAX_VALUE;

    private final AtomicInteger left = new AtomicInteger(NEVER);
    private volatile Kind kind;
    private volatile String failed;

    FailingStatement(DataSource source) {
        super(source);
    }

    /** @param statements the number of statements and commits that succeed before the one that fails */
    void failAfter(int statements, Kind newKind) {
        failed = null;
        kind = newKind;
        left.set(statements);
    }

    /** What failed since the last {@link #failAfter}; null if nothing has. */
    String failed() {
        return failed;
    }

    void stop() {
        left.set(NEVER);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return proxy(Connection.class, (method, arguments) -> {
            if (method.getName().equals("commit")) {
                return run("commit", connection, () -> invoke(connection, method, arguments));
            }
            Object result = invoke(connection, method, arguments);
            return switch (method.getName()) {
                case "prepareStatement" ->
                    proxy(PreparedStatement.class, hooked(connection, result, arguments[0].toString()));
                case "createStatement" -> proxy(Statement.class, hooked(connection, result, null));
                default -> result;
            };
        });
    }

    private Invocation hooked(Connection connection, Object statement, String text) {
        return (method, arguments) -> method.getName().startsWith("execute")
                ? run(
                        text == null ? arguments[0].toString() : text,
                        connection,
                        () -> invoke(statement, method, arguments))
                : invoke(statement, method, arguments);
    }

    private Object run(String text, Connection connection, Work work) throws Exception {
        if (left.get() == NEVER || left.getAndDecrement() != 0) {
            return work.run();
        }
        stop();
        failed = kind + " " + text.strip().lines().reduce((first, last) -> last).orElse("");
        switch (kind) {
            case REFUSED -> refuse(connection, "23514");
            case SERIALIZATION -> refuse(connection, "40001");
            case UNANSWERED -> work.run();
            case LOST -> {}
        }
        connection.abort(Runnable::run);
        throw new SQLException("An I/O error occurred", "08006");
    }

    /** The server refuses a statement on this connection. */
    private static void refuse(Connection connection, String state) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("do $$ begin raise exception using errcode = '" + state + "'; end $$");
        }
    }

    @FunctionalInterface
    private interface Work {
        Object run() throws Exception;
    }

    @FunctionalInterface
    private interface Invocation {
        Object of(Method method, Object... arguments) throws Exception;
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxy(Class<T> type, Invocation invocation) {
        return (T) Proxy.newProxyInstance(
                FailingStatement.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> invocation.of(method, arguments));
    }

    private static Object invoke(Object target, Method method, Object... arguments) throws Exception {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
