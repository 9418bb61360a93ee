package dev.caravan.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Connections of a command that is killed at one of its statements or commits: its sessions end at that point. */
final class KilledCommand {
    /** The process has ended here. */
    static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final int AT_COMMIT = Integer.MAX_VALUE;

    private final DataSource dataSource;
    private final int statement;
    private final boolean after;
    private final AtomicInteger executed = new AtomicInteger();

    /**
     * @param statement number of the statement or commit, from 1
     * @param after whether the server still executes it
     */
    KilledCommand(DataSource dataSource, int statement, boolean after) {
        this.dataSource = dataSource;
        this.statement = statement;
        this.after = after;
    }

    /** @param after whether the server still commits */
    static KilledCommand atCommit(DataSource dataSource, boolean after) {
        return new KilledCommand(dataSource, AT_COMMIT, after);
    }

    /** The number of statements and commits so far. */
    int executed() {
        return executed.get();
    }

    DataSource connections() {
        return proxy(DataSource.class, dataSource, null);
    }

    private <T> T proxy(Class<T> type, T real, Connection session) {
        return type.cast(Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    boolean dies = dies(method.getName());
                    if (dies && !after) {
                        kill(session);
                    }
                    Object result;
                    try {
                        result = method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (dies) {
                        kill(session);
                    }
                    if (result instanceof Connection connection) {
                        return proxy(Connection.class, connection, connection);
                    }
                    if (result instanceof PreparedStatement statement) {
                        return proxy(PreparedStatement.class, statement, session);
                    }
                    return result instanceof Statement statement ? proxy(Statement.class, statement, session) : result;
                }));
    }

    private boolean dies(String method) {
        boolean commit = method.equals("commit");
        return (commit || method.startsWith("execute"))
                && (executed.incrementAndGet() == statement || commit && statement == AT_COMMIT);
    }

    private static void kill(Connection session) throws SQLException {
        session.abort(Runnable::run);
        throw new Killed();
    }
}
