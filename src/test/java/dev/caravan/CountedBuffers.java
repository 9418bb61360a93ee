package dev.caravan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Connections that count the buffers of each prepared statement from a file: before the statement runs, it runs twice with
 * {@code explain (analyze, buffers)} and is undone. The second time counts, when the session has read the catalog.
 */
public final class CountedBuffers extends DelegatingDataSource {
    private static final Path FILES = Path.of("src/main/resources/sql");
    private static final int LETTERS = 250;
    private static final String PARAMETER = "(?<![:\\\\]):[a-zA-Z_]+";
    private static final Map<String, String> NAMES = names();
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Begins a statement whose effect a rollback does not undo. */
    private static final String SESSION_LOCK = "advisory_lock(";

    private static final String SESSION_UNLOCK = "advisory_unlock(";

    private final Map<String, Long> most = new ConcurrentSkipListMap<>();
    private final Map<String, Integer> runs = new ConcurrentSkipListMap<>();

    public CountedBuffers(DataSource source) {
        super(source);
    }

    /** The largest number of buffers of one run of each statement, by the name of its file. */
    public Map<String, Long> most() {
        return new TreeMap<>(most);
    }

    /** How often a statement was run. */
    public int runs(String file) {
        return runs.getOrDefault(file, 0);
    }

    private static Map<String, String> names() {
        try (var files = Files.walk(FILES)) {
            return files.filter(file -> file.toString().endsWith(".sql"))
                    .map(file -> FILES.relativize(file).toString().replace(".sql", ""))
                    .collect(Collectors.toMap(
                            name -> beginning(SqlFile.file(name).replaceAll(PARAMETER, "?")),
                            name -> name,
                            (one, other) -> one));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first letters without comments: some statements are completed at marks, and Camel removes the comments of others. */
    private static String beginning(String sql) {
        String plain = Sql.text(sql)
                .text()
                .replaceAll("(?m)^\\s*--.*$", "")
                .replaceAll("\\s+", " ")
                .strip();
        return plain.substring(0, Math.min(plain.length(), LETTERS));
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return proxy(Connection.class, (method, arguments) -> {
            Object result = invoke(connection, method, arguments);
            return method.getName().equals("prepareStatement") && isCounted(arguments[0].toString())
                    ? counted(connection, (PreparedStatement) result, arguments[0].toString())
                    : result;
        });
    }

    private static boolean isCounted(String sql) {
        return NAMES.containsKey(beginning(sql)) && !sql.contains(SESSION_LOCK) && !sql.contains(SESSION_UNLOCK);
    }

    private PreparedStatement counted(Connection connection, PreparedStatement statement, String sql) {
        Map<Object, Call> parameters = new TreeMap<>();
        return proxy(PreparedStatement.class, (method, arguments) -> {
            if (method.getName().startsWith("set") && arguments != null && arguments.length >= 2) {
                parameters.put(arguments[0], new Call(method, arguments));
            }
            if (method.getName().equals("executeQuery")
                    || method.getName().equals("executeUpdate")
                    || method.getName().equals("execute")) {
                String name = NAMES.get(beginning(sql));
                runs.merge(name, 1, Integer::sum);
                most.merge(name, count(connection, sql, new ArrayList<>(parameters.values())), Math::max);
            }
            return invoke(statement, method, arguments);
        });
    }

    private static long count(Connection connection, String sql, List<Call> parameters) throws Exception {
        boolean alone = connection.getAutoCommit();
        connection.setAutoCommit(false);
        var before = connection.setSavepoint();
        try (var explain = connection.prepareStatement("explain (analyze, buffers, timing off, format json) " + sql)) {
            for (Call parameter : parameters) {
                invoke(explain, parameter.method, parameter.arguments);
            }
            buffers(explain);
            return buffers(explain);
        } finally {
            connection.rollback(before);
            if (alone) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    private static long buffers(PreparedStatement explain) throws SQLException, IOException {
        try (var row = explain.executeQuery()) {
            row.next();
            JsonNode plan = JSON.readTree(row.getString(1)).get(0);
            return buffers(plan.path("Plan")) + buffers(plan.path("Planning"));
        }
    }

    private static long buffers(JsonNode node) {
        return node.path("Shared Hit Blocks").asLong()
                + node.path("Shared Read Blocks").asLong();
    }

    private record Call(Method method, Object[] arguments) {}

    @FunctionalInterface
    private interface Invocation {
        Object of(Method method, Object... arguments) throws Exception;
    }

    private static <T> T proxy(Class<T> type, Invocation invocation) {
        return type.cast(Proxy.newProxyInstance(
                CountedBuffers.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> invocation.of(method, arguments)));
    }

    private static Object invoke(Object target, Method method, Object... arguments) throws Exception {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
