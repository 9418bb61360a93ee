package dev.caravan.operate.explain;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Counts the statements that are prepared on its connections. */
final class CountedStatements extends DelegatingDataSource {
    private int prepared;

    CountedStatements(DataSource counted) {
        super(counted);
    }

    int prepared() {
        return prepared;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                CountedStatements.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, values) -> {
                    if (method.getName().equals("prepareStatement")) {
                        prepared++;
                    }
                    try {
                        return method.invoke(connection, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
