package dev.caravan.dryrun;

import dev.caravan.destination.Answer;
import dev.caravan.destination.SqlSent;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A database that executes and records statements, except for those of an idempotent repository, which are not recorded. */
final class SentDatabase extends DelegatingDataSource {
    private final Recorder recorder;
    private final RecordedDatabase memory;

    /** @param memory executes the statements of an idempotent repository; null if the database does */
    SentDatabase(DataSource real, Recorder recorder, RecordedDatabase memory) {
        super(real);
        this.recorder = recorder;
        this.memory = memory;
    }

    @Override
    public Connection getConnection() throws java.sql.SQLException {
        Connection real = super.getConnection();
        return proxy(Connection.class, (proxy, method, args) -> {
            boolean prepares = method.getName().startsWith("prepare") && args != null && args[0] instanceof String;
            boolean isIdStatement = prepares && MemoryIds.handles((String) args[0]);
            if (isIdStatement && memory != null) {
                return memory.getConnection().prepareStatement((String) args[0]);
            }
            Object result = call(real, method, args);
            return prepares && !isIdStatement ? recorded((PreparedStatement) result, (String) args[0]) : result;
        });
    }

    private PreparedStatement recorded(PreparedStatement real, String sql) {
        TreeMap<Integer, Object> parameters = new TreeMap<>();
        return proxy(CallableStatement.class, real, (proxy, method, args) -> {
            String name = method.getName();
            if (name.startsWith("set") && args != null && args.length >= 2 && args[0] instanceof Integer index) {
                parameters.put(index, name.equals("setNull") ? null : args[1]);
            }
            boolean runs = name.equals("addBatch") || name.startsWith("execute") && !name.endsWith("Batch");
            SqlSent sent = new SqlSent(sql, new ArrayList<>(parameters.values()));
            try {
                Object result = call(real, method, args);
                if (runs) {
                    recorder.sent(sent, Answer.OK.withDetail(result instanceof Integer rows ? rows + " rows" : ""));
                }
                return result;
            } catch (Throwable e) {
                if (runs) {
                    recorder.sent(sent, Answer.status(500).withDetail(e.toString()));
                }
                throw e;
            }
        });
    }

    private static PreparedStatement proxy(Class<?> callable, PreparedStatement real, InvocationHandler handler) {
        Class<?> type = callable.isInstance(real) ? callable : PreparedStatement.class;
        return (PreparedStatement)
                Proxy.newProxyInstance(SentDatabase.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(SentDatabase.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object call(Object real, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(real, args);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
