package dev.caravan.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections on which the next saves of failures end with an error, each at the same point. */
final class FailingSaves extends DelegatingDataSource {
    /** Where a save fails. */
    enum Point {
        /** Its transaction cannot begin. */
        BEGIN,
        /** The connection ends before a message is stored. */
        STORE,
        /** The commit is neither done nor answered. */
        COMMIT,
        /** The commit is done and not answered. */
        ANSWER
    }

    private final Point point;
    private final AtomicInteger left = new AtomicInteger();
    private final AtomicInteger reached = new AtomicInteger();

    FailingSaves(DataSource source, Point point) {
        super(source);
        this.point = point;
    }

    void fail(int saves) {
        left.set(saves);
    }

    /** The number of saves that will still fail. */
    int left() {
        return left.get();
    }

    /** The number of saves that have reached the point. */
    int reached() {
        return reached.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (isAt(method, arguments)) {
                        reached.incrementAndGet();
                        if (left.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                            fail(connection);
                        }
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private boolean isAt(Method method, Object... arguments) {
        return switch (point) {
            case BEGIN -> method.getName().equals("setAutoCommit") && arguments[0].equals(false) && Saves.isSaving();
            case STORE ->
                method.getName().equals("prepareStatement")
                        && arguments[0].toString().contains("insert into outbox_retry");
            case COMMIT, ANSWER -> method.getName().equals("commit") && Saves.isSaving();
        };
    }

    private void fail(Connection connection) throws SQLException {
        switch (point) {
            case COMMIT -> connection.rollback();
            case ANSWER -> connection.commit();
            case BEGIN, STORE -> {}
        }
        throw new SQLException("An I/O error occurred", "08006");
    }
}
