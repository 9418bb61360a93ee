package dev.caravan;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections on which a test watches each call, or does something in its place. */
public abstract class ProxiedConnections extends DelegatingDataSource {
    /** The rest of a call. */
    @FunctionalInterface
    public interface Rest {
        Object proceed() throws Exception;
    }

    /**
     * A call of a method of a connection or of one of its statements.
     *
     * @param text the statement that is prepared or executed; null if there is none
     * @param arguments null for a method without parameters
     */
    public record Call(Connection connection, String method, String text, Object[] arguments, Rest rest) {
        public boolean isExecution() {
            return method.startsWith("execute");
        }

        public Object proceed() throws Exception {
            return rest.proceed();
        }
    }

    protected ProxiedConnections(DataSource source) {
        super(source);
    }

    /** Returns the result of the call. */
    protected abstract Object on(Call call) throws Exception;

    @Override
    public final Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return proxy(Connection.class, connection, connection, null);
    }

    private <T> T proxy(Class<T> type, T target, Connection connection, String prepared) {
        return type.cast(Proxy.newProxyInstance(
                ProxiedConnections.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    String text = prepared == null && arguments != null && arguments[0] instanceof String first
                            ? first
                            : prepared;
                    Object result = on(new Call(
                            connection, method.getName(), text, arguments, () -> invoke(target, method, arguments)));
                    if (method.getName().equals("unwrap")) {
                        return result;
                    }
                    if (result instanceof PreparedStatement statement) {
                        return proxy(PreparedStatement.class, statement, connection, text);
                    }
                    return result instanceof Statement statement
                            ? proxy(Statement.class, statement, connection, null)
                            : result;
                }));
    }

    private static Object invoke(Object target, Method method, Object... arguments) throws Exception {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
