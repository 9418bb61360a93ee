package dev.caravan.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections on which something else happens instead of the first commit of a save with changes, which gets no answer. */
final class LostCommit extends DelegatingDataSource {
    interface Instead {
        void run(Connection connection) throws Exception;
    }

    /** Only the first statement of such a save has it. */
    private static final String IN_SAVES = "'synchronous_commit'";

    private final AtomicInteger commits = new AtomicInteger();
    private final Instead instead;

    LostCommit(DataSource source, Instead instead) {
        super(source);
        this.instead = instead;
    }

    /** The number of commits of saves that were requested, including the lost one. */
    int commits() {
        return commits.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        AtomicBoolean saves = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement") && ((String) arguments[0]).contains(IN_SAVES)) {
                        saves.set(true);
                    }
                    boolean isSaved = method.getName().equals("commit") && saves.getAndSet(false);
                    if (isSaved && commits.incrementAndGet() == 1) {
                        instead.run(connection);
                        throw new SQLException("An I/O error occurred", "08006");
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
