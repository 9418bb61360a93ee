package dev.caravan.lab.history;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The connections of a relay. A statement or commit of a stepped thread waits until its {@link StatementOutcome} is set. */
final class SteppedConnections extends DelegatingDataSource {
    private final UnaryOperator<String> sql;
    private final List<OpenTransaction> open;
    private final Consumer<String> executing;

    /**
     * A transaction of a connection that was lost.
     *
     * @param commits whether its commit was sent
     */
    record OpenTransaction(Connection connection, boolean commits) {
        void end(boolean arrives) {
            try (connection) {
                if (commits && arrives) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * @param sql changes the text of a statement
     * @param open receives the transactions of lost connections
     * @param executing receives the text of each statement before it is executed and answered
     */
    SteppedConnections(
            DataSource source, UnaryOperator<String> sql, List<OpenTransaction> open, Consumer<String> executing) {
        super(source);
        this.sql = sql;
        this.open = open;
        this.executing = executing;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Stepped connection = new Stepped(super.getConnection());
        return proxy(Connection.class, connection::invoke);
    }

    private interface Call {
        Object invoke(Method method, Object... arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                SteppedConnections.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.invoke(method, arguments)));
    }

    private static Object call(Object target, Method method, Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** One connection, until it is closed or lost. */
    private final class Stepped {
        private final Connection connection;
        private final int server;
        private boolean lost;
        private boolean closed;

        Stepped(Connection connection) throws SQLException {
            this.connection = connection;
            server = connection.unwrap(PGConnection.class).getBackendPID();
        }

        Object invoke(Method method, Object... arguments) throws Throwable {
            switch (method.getName()) {
                case "close", "abort":
                    close();
                    return null;
                case "isClosed":
                    return closed || lost;
                default:
            }
            if (lost) {
                throw lost();
            }
            return switch (method.getName()) {
                case "prepareStatement" -> {
                    String text = sql.apply((String) arguments[0]);
                    arguments[0] = text;
                    Object statement = call(connection, method, arguments);
                    yield proxy(PreparedStatement.class, (m, a) -> execute(text, statement, m, a));
                }
                case "createStatement" -> {
                    Object statement = call(connection, method, arguments);
                    yield proxy(Statement.class, (m, a) -> executeText(statement, m, a));
                }
                case "commit" -> step("commit", connection, method, arguments);
                default -> call(connection, method, arguments);
            };
        }

        private Object execute(String text, Object statement, Method method, Object... arguments) throws Throwable {
            if (method.getName().equals("close") || method.getName().equals("isClosed")) {
                return lost ? closedAnswer(method) : call(statement, method, arguments);
            }
            return method.getName().startsWith("execute")
                    ? step(text, statement, method, arguments)
                    : call(statement, method, arguments);
        }

        private Object executeText(Object statement, Method method, Object... arguments) throws Throwable {
            if (arguments == null || arguments.length == 0 || !(arguments[0] instanceof String given)) {
                return execute("", statement, method, arguments);
            }
            String text = sql.apply(given);
            arguments[0] = text;
            return execute(text, statement, method, arguments);
        }

        private Object closedAnswer(Method method) {
            return method.getName().equals("isClosed") ? true : null;
        }

        private Object step(String text, Object target, Method method, Object... arguments) throws Throwable {
            if (lost) {
                throw lost();
            }
            SteppedThread thread = SteppedThread.current();
            StatementOutcome outcome = thread == null ? StatementOutcome.EXECUTED : thread.await(server);
            switch (outcome) {
                case EXECUTED:
                    executing.accept(text);
                    return call(target, method, arguments);
                case NOT_ANSWERED:
                    call(target, method, arguments);
                    lose();
                    throw lost();
                case CUT:
                    cut(text.equals("commit"));
                    throw lost();
                case REJECTED:
                    throw rejected(text, "53100");
                case REJECTED_DATA:
                    throw rejected(text, "23514");
                case LOST:
                    lose();
                    throw lost();
                default:
                    lose();
                    throw new Crashed();
            }
        }

        /** Like a statement that fails: an open transaction can only be rolled back; a commit that fails has ended it. */
        private SQLException rejected(String text, String state) throws SQLException {
            if (text.equals("commit")) {
                connection.rollback();
                return new SQLException("rejected", state);
            }
            try (Statement failing = connection.createStatement()) {
                failing.execute("do $$ begin raise exception 'rejected' using errcode = '" + state + "'; end $$");
                throw new IllegalStateException("not rejected");
            } catch (SQLException e) {
                return e;
            }
        }

        private SQLException lost() {
            return new SQLException("An I/O error occurred", "08006");
        }

        private void lose() throws SQLException {
            lost = true;
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            close();
        }

        private void cut(boolean commits) throws SQLException {
            if (connection.getAutoCommit()) {
                lose();
            } else {
                lost = true;
                closed = true;
                open.add(new OpenTransaction(connection, commits));
            }
        }

        private void close() throws SQLException {
            if (!closed) {
                closed = true;
                connection.close();
            }
        }
    }
}
