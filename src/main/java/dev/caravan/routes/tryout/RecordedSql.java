package dev.caravan.routes.tryout;

import dev.caravan.base.text.Formatted;
import dev.caravan.database.Sql;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.SqlSent;
import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Producer;
import org.apache.camel.component.sql.DefaultSqlPrepareStatementStrategy;
import org.apache.camel.component.sql.SqlConstants;
import org.apache.camel.component.sql.SqlEndpoint;
import org.apache.camel.component.sql.SqlOutputType;
import org.apache.camel.component.sql.SqlPrepareStatementStrategy;
import org.apache.camel.support.DefaultProducer;
import org.apache.camel.support.service.ServiceHelper;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementCallback;
import org.springframework.jdbc.core.PreparedStatementCreator;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;

/** Records the statements of a step {@code sql:} with their parameters. Executes them only if the dry run has a database. */
final class RecordedSql extends DefaultProducer {
    /** The answer to a query, as it is shown. */
    static final String NOT_RUN =
            "The query was not run. The next steps have used the body before it instead of its rows.";

    /** A statement whose rows become the body. */
    private static final Pattern QUERY = Pattern.compile(
            "\\s*(select|values|table|show)\\b.*|\\s*with\\b(?!.*\\b(insert|update|delete|merge)\\b).*|.*\\breturning\\b.*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final String STATEMENTS = RecordedSql.class.getName();

    private final Producer sql;
    private final Recorder recorder;
    private final boolean executes;

    private RecordedSql(SqlEndpoint endpoint, Recorder recorder, boolean executes) throws Exception {
        super(endpoint);
        sql = endpoint.createProducer();
        this.recorder = recorder;
        this.executes = executes;
    }

    /** @param executes whether statements are executed */
    static Endpoint replacing(SqlEndpoint endpoint, Recorder recorder, boolean executes) {
        SqlPrepareStatementStrategy strategy = endpoint.getPrepareStatementStrategy();
        endpoint.setPrepareStatementStrategy(new Recording(
                strategy == null ? new DefaultSqlPrepareStatementStrategy(endpoint.getSeparator()) : strategy,
                executes));
        endpoint.setAlwaysPopulateStatement(true); // also statements without parameters are recorded
        if (!executes) {
            endpoint.setJdbcTemplate(new NoDatabase());
            endpoint.setBatchAutoCommitDisabled(false);
            endpoint.setOutputType(SqlOutputType.SelectList);
        }
        return RecordedEndpoint.of(endpoint, executes, () -> new RecordedSql(endpoint, recorder, executes));
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        ServiceHelper.startService(sql);
    }

    @Override
    protected void doStop() throws Exception {
        ServiceHelper.stopService(sql);
        super.doStop();
    }

    @Override
    public void process(Exchange exchange) throws Exception {
        List<SqlSent> statements = new ArrayList<>();
        exchange.setProperty(STATEMENTS, statements);
        exchange.getMessage().removeHeader(SqlConstants.SQL_UPDATE_COUNT);
        Object database = executes ? null : exchange.getMessage().removeHeader(SqlConstants.SQL_DATA_SOURCE);
        try {
            sql.process(exchange);
        } catch (Exception e) {
            if (executes) {
                statements.forEach(each -> recorder.sent(each, failed(e)));
            }
            throw e;
        } finally {
            exchange.removeProperty(STATEMENTS);
            if (database != null) {
                exchange.getMessage().setHeader(SqlConstants.SQL_DATA_SOURCE, database);
            }
        }
        Long rows = exchange.getMessage().getHeader(SqlConstants.SQL_UPDATE_COUNT, Long.class);
        for (SqlSent statement : statements) {
            if (executes) {
                recorder.sent(statement, executed(rows));
            } else {
                answer(recorder, statement);
            }
        }
    }

    /** @param jdbc executes the statement; null if it is not executed */
    static void append(Sql statement, Recorder recorder, JdbcTemplate jdbc) {
        SqlSent sent = new SqlSent(statement.text(), statement.values());
        if (jdbc == null) {
            answer(recorder, sent);
            return;
        }
        try {
            recorder.sent(sent, executed((long) statement.update(jdbc)));
        } catch (RuntimeException e) {
            recorder.sent(sent, failed(e));
            throw e;
        }
    }

    /** @param rows the number of changed rows; null for a query */
    private static Answer executed(Long rows) {
        return rows == null ? Answer.OK : Answer.OK.withDetail(Formatted.counted(rows, "row"));
    }

    private static Answer failed(Exception error) {
        return Answer.status(500).withDetail(error.toString());
    }

    /** Records a statement that is not executed, and fails as Spring does if the answer is a failure. */
    private static void answer(Recorder recorder, SqlSent statement) {
        boolean isQuery = QUERY.matcher(statement.statement()).matches();
        Answer answer =
                recorder.answer(statement, given -> isQuery && !given.isFailure() ? given.withBody(NOT_RUN) : given);
        if (answer.isFailure()) {
            throw translated(statement.statement(), failure(answer));
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

    private static DataAccessException translated(String statement, SQLException failure) {
        String task = "PreparedStatementCallback";
        DataAccessException known = new SQLExceptionSubclassTranslator().translate(task, statement, failure);
        return known == null ? new UncategorizedSQLException(task, statement, failure) : known;
    }

    /** Lets Camel prepare a statement that is not executed. */
    private static final class NoDatabase extends JdbcTemplate {
        private static final PreparedStatement STATEMENT = (PreparedStatement) Proxy.newProxyInstance(
                RecordedSql.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "execute", "isWrapperFor" -> false;
                    case "executeBatch" -> new int[0];
                    case "getUpdateCount" -> 1;
                    default -> null;
                });

        @Override
        public <T> T execute(PreparedStatementCreator creator, PreparedStatementCallback<T> work) {
            try {
                return work.doInPreparedStatement(STATEMENT);
            } catch (SQLException e) {
                throw translated("", e);
            }
        }
    }

    /** Adds each statement with its parameters to those of the step. */
    private record Recording(SqlPrepareStatementStrategy strategy, boolean executes)
            implements SqlPrepareStatementStrategy {
        @Override
        public String prepareQuery(String query, boolean named, Exchange exchange) throws SQLException {
            return strategy.prepareQuery(query, named, exchange);
        }

        @Override
        @SuppressWarnings("unchecked")
        public Iterator<?> createPopulateIterator(
                String query, String prepared, int expected, Exchange exchange, Object value) throws SQLException {
            int count = expected > 0 ? expected : questionMarks(prepared);
            List<Object> values = new ArrayList<>();
            if (count > 0) {
                add(values, strategy.createPopulateIterator(query, prepared, count, exchange, value), count);
            }
            if (values.size() < count) {
                throw new SQLException("Number of parameters mismatch. Expected: " + count + ", was: " + values.size());
            }
            exchange.getProperty(STATEMENTS, List.class).add(new SqlSent(prepared, values));
            return values.iterator();
        }

        /** Also the values of a list, each of which is a parameter. */
        private static void add(List<Object> values, Iterator<?> more, int count) {
            while (more != null && more.hasNext() && values.size() < count) {
                Object value = more.next();
                if (value instanceof Iterator<?> list) {
                    add(values, list, count);
                } else {
                    values.add(value);
                }
            }
        }

        private static int questionMarks(String sql) {
            return (int) sql.replaceAll("'[^']*'|\"[^\"]*\"", "")
                    .chars()
                    .filter(c -> c == '?')
                    .count();
        }

        @Override
        public void populateStatement(PreparedStatement statement, Iterator<?> values, int expected)
                throws SQLException {
            if (executes && expected > 0) {
                strategy.populateStatement(statement, values, expected);
            }
        }
    }
}
