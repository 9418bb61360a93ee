package dev.caravan.routes.tryout;

import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.SqlSent;
import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * A database that records statements with their parameters. It accepts every statement; a query returns no rows. Statements of a JDBC
 * idempotent repository are answered from memory and not recorded.
 */
final class RecordedDatabase implements DataSource {
    /** The answer to a query, as it is shown. */
    static final String NOT_RUN =
            "The query was not run. The next steps have used the body before it instead of its rows.";

    /** A statement whose rows become the body. */
    private static final Pattern QUERY = Pattern.compile(
            "\\s*(select|values|table|show)\\b.*|\\s*with\\b(?!.*\\b(insert|update|delete|merge)\\b).*|.*\\breturning\\b.*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final Recorder recorder;
    private final MemoryIds ids;

    RecordedDatabase(Recorder recorder, MemoryIds ids) {
        this.recorder = recorder;
        this.ids = ids;
    }

    @Override
    public Connection getConnection() {
        return proxy(Connection.class, (proxy, method, args) -> switch (method.getName()) {
            case "prepareStatement", "prepareCall" -> new Prepared((String) args[0]).statement();
            case "createStatement" -> new Prepared("").statement();
            case "getMetaData" -> metaData();
            case "getAutoCommit" -> true;
            case "isValid" -> true;
            default -> otherwise(proxy, method, args);
        });
    }

    private static DatabaseMetaData metaData() {
        return proxy(DatabaseMetaData.class, (proxy, method, args) -> switch (method.getName()) {
            case "getDatabaseProductName", "getDriverName" -> "PostgreSQL";
            case "supportsBatchUpdates", "supportsGetGeneratedKeys" -> true;
            default -> otherwise(proxy, method, args);
        });
    }

    /** A statement and the parameters that were set. */
    private final class Prepared implements InvocationHandler {
        private String sql;
        private final TreeMap<Integer, Object> parameters = new TreeMap<>();
        private final List<List<Object>> batch = new ArrayList<>();
        private int updated;

        private Prepared(String sql) {
            this.sql = sql;
        }

        private Object statement() {
            return Proxy.newProxyInstance(
                    RecordedDatabase.class.getClassLoader(), new Class<?>[] {java.sql.CallableStatement.class}, this);
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] args) throws SQLException {
            String name = method.getName();
            if (name.startsWith("set") && args != null && args.length >= 2 && args[0] instanceof Integer index) {
                parameters.put(index, name.equals("setNull") ? null : args[1]);
                return null;
            }
            if (name.startsWith("execute") && args != null && args[0] instanceof String text) {
                sql = text;
            }
            return switch (name) {
                case "execute" -> {
                    updated = run(values());
                    yield false;
                }
                case "executeUpdate" -> run(values());
                case "executeLargeUpdate" -> (long) run(values());
                case "executeQuery" -> rows(values());
                case "addBatch" -> {
                    batch.add(values());
                    yield null;
                }
                case "executeBatch" -> runBatch();
                case "getUpdateCount" -> {
                    int count = updated;
                    updated = -1;
                    yield count;
                }
                case "getParameterMetaData" -> parameterCount();
                case "getGeneratedKeys" -> resultSet(Optional.empty());
                case "getConnection" -> RecordedDatabase.this.getConnection();
                default -> otherwise(proxy, method, args);
            };
        }

        private List<Object> values() {
            return new ArrayList<>(parameters.values());
        }

        private int run(List<Object> values) throws SQLException {
            Optional<Integer> known = ids.result(sql, values);
            if (known.isPresent()) {
                return known.get();
            }
            record(values);
            return 1;
        }

        private ResultSet rows(List<Object> values) throws SQLException {
            Optional<Integer> known = ids.result(sql, values);
            if (known.isEmpty()) {
                record(values);
            }
            return resultSet(known);
        }

        private int[] runBatch() throws SQLException {
            int[] counts = new int[batch.size()];
            for (int i = 0; i < counts.length; i++) {
                counts[i] = run(batch.get(i));
            }
            batch.clear();
            return counts;
        }

        private void record(List<Object> values) throws SQLException {
            SqlSent statement = new SqlSent(sql, values);
            Answer answer = QUERY.matcher(sql).matches()
                    ? recorder.answer(statement, given -> given.isFailure() ? given : given.withBody(NOT_RUN))
                    : recorder.answer(statement);
            if (answer.isFailure()) {
                throw failure(answer);
            }
        }

        private ParameterMetaData parameterCount() {
            int count = (int) sql.replaceAll("'[^']*'|\"[^\"]*\"", "")
                    .chars()
                    .filter(c -> c == '?')
                    .count();
            return proxy(
                    ParameterMetaData.class,
                    (proxy, method, args) ->
                            method.getName().equals("getParameterCount") ? count : otherwise(proxy, method, args));
        }
    }

    private static SQLException failure(Answer answer) {
        return switch (answer.kind()) {
            case TIMEOUT -> new SQLTimeoutException("Read timed out", "57014", answer.failure());
            case REFUSED -> new SQLException("Connection refused", "08001", answer.failure());
            case CUT ->
                new SQLException("An I/O error occurred while sending to the backend.", "08006", answer.failure());
            case ANSWERED -> new SQLException("The database answered " + answer.status(), "XX000");
        };
    }

    /** A result with one row that contains the number; without a number, no rows. */
    private static ResultSet resultSet(Optional<Integer> number) {
        int[] row = {0};
        return proxy(ResultSet.class, (proxy, method, args) -> switch (method.getName()) {
            case "next" -> number.isPresent() && row[0]++ == 0;
            case "getInt" -> number.orElse(0);
            case "getObject" -> number.orElse(null);
            case "getMetaData" -> columns(number.isPresent() ? 1 : 0);
            default -> otherwise(proxy, method, args);
        });
    }

    private static ResultSetMetaData columns(int count) {
        return proxy(
                ResultSetMetaData.class,
                (proxy, method, args) ->
                        method.getName().equals("getColumnCount") ? count : otherwise(proxy, method, args));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(RecordedDatabase.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** The result of a method on which nothing depends: zero, false or null. */
    private static Object otherwise(Object proxy, Method method, Object[] args) {
        return switch (method.getName()) {
            case "equals" -> proxy == args[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> method.getDeclaringClass().getSimpleName();
            default -> zero(method.getReturnType());
        };
    }

    private static Object zero(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        if (type == int.class) {
            return 0;
        }
        return type == long.class ? (Object) 0L : null;
    }

    @Override
    public Connection getConnection(String user, String password) {
        return getConnection();
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        // writes nothing
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // never logs in
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("Not a " + type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
