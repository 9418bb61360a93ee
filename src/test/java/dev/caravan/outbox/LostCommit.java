package dev.caravan.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections on which something else happens instead of the first commit of a save with changes, which gets no answer. */
final class LostCommit extends DelegatingDataSource {
    interface Instead {
        void run(Connection connection) throws Exception;
    }

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
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("commit") && Saves.isSaving() && commits.incrementAndGet() == 1) {
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
