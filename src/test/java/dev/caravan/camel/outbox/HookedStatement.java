package dev.caravan.camel.outbox;

import dev.caravan.database.Sql;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections on which something happens before and after each run of one statement. */
final class HookedStatement extends DelegatingDataSource {
    /** Something to do; what it throws is the answer to the statement. */
    @FunctionalInterface
    interface Hook {
        void run(Connection connection) throws Exception;
    }

    private final String statement;
    private volatile Hook before = connection -> {};
    private volatile Hook after = connection -> {};

    /** @param file the name of the statement, as in {@link Sql#file} */
    HookedStatement(DataSource source, String file) {
        super(source);
        statement = Sql.file(file).text();
    }

    void before(Hook hook) {
        before = hook;
    }

    /** The statement is committed, and not answered. */
    void after(Hook hook) {
        after = hook;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (p, method, args) -> {
                    Object result = invoke(connection, method, args);
                    return result instanceof PreparedStatement prepared && args[0].equals(statement)
                            ? hooked(connection, prepared)
                            : result;
                });
    }

    private Object hooked(Connection connection, PreparedStatement prepared) {
        return Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PreparedStatement.class}, (p, method, args) -> {
                    if (!method.getName().startsWith("execute")) {
                        return invoke(prepared, method, args);
                    }
                    before.run(connection);
                    Object result = invoke(prepared, method, args);
                    after.run(connection);
                    return result;
                });
    }

    private static Object invoke(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
