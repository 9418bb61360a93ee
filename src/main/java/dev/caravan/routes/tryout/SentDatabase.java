package dev.caravan.routes.tryout;

import dev.caravan.base.text.Formatted;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.SqlSent;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
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
    public Connection getConnection() throws SQLException {
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
        return proxy(CallableStatement.class, real, new SentStatement(real, sql));
    }

    /** Records each execution of a statement; those of a batch when the batch is executed. */
    private final class SentStatement implements InvocationHandler {
        private final PreparedStatement real;
        private final String sql;
        private final TreeMap<Integer, Object> parameters = new TreeMap<>();
        private final List<SqlSent> batch = new ArrayList<>();

        private SentStatement(PreparedStatement real, String sql) {
            this.real = real;
            this.sql = sql;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
            String name = method.getName();
            if (name.startsWith("set") && args != null && args.length >= 2 && args[0] instanceof Integer index) {
                parameters.put(index, name.equals("setNull") ? null : args[1]);
            }
            if (name.endsWith("Batch")) {
                return inBatch(method, args);
            }
            if (!name.startsWith("execute")) {
                return call(real, method, args);
            }
            try {
                Object result = call(real, method, args);
                recorder.sent(current(), result instanceof Number rows ? executed(rows.longValue()) : Answer.OK);
                return result;
            } catch (Throwable e) {
                recorder.sent(current(), failed(e));
                throw e;
            }
        }

        private Object inBatch(Method method, Object[] args) throws Throwable {
            switch (method.getName()) {
                case "addBatch" -> batch.add(current());
                case "clearBatch" -> batch.clear();
                default -> {
                    return executeBatch(method, args);
                }
            }
            return call(real, method, args);
        }

        private Object executeBatch(Method method, Object[] args) throws Throwable {
            List<SqlSent> statements = List.copyOf(batch);
            batch.clear();
            try {
                Object rows = call(real, method, args);
                for (int i = 0; i < statements.size(); i++) {
                    recorder.sent(statements.get(i), executed(Array.getLong(rows, i)));
                }
                return rows;
            } catch (Throwable e) {
                long[] rows = e instanceof BatchUpdateException failure ? failure.getLargeUpdateCounts() : new long[0];
                for (int i = 0; i < statements.size(); i++) {
                    boolean wasExecuted = i < rows.length && rows[i] != Statement.EXECUTE_FAILED;
                    recorder.sent(statements.get(i), wasExecuted ? executed(rows[i]) : failed(e));
                }
                throw e;
            }
        }

        private SqlSent current() {
            return new SqlSent(sql, new ArrayList<>(parameters.values()));
        }

        /** @param rows number of changed rows; negative if the database does not return it */
        private static Answer executed(long rows) {
            return rows < 0 ? Answer.OK : Answer.OK.withDetail(Formatted.counted(rows, "row"));
        }

        private static Answer failed(Throwable error) {
            return Answer.status(500).withDetail(error.toString());
        }
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
