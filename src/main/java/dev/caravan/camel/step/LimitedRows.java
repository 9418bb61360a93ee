package dev.caravan.camel.step;

import dev.caravan.database.RoutesPool;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Producer;
import org.apache.camel.component.sql.DefaultRowMapperFactory;
import org.apache.camel.component.sql.DefaultSqlPrepareStatementStrategy;
import org.apache.camel.component.sql.RowMapperFactory;
import org.apache.camel.component.sql.SqlConstants;
import org.apache.camel.component.sql.SqlEndpoint;
import org.apache.camel.component.sql.SqlOutputType;
import org.apache.camel.component.sql.SqlPrepareStatementStrategy;
import org.apache.camel.component.sql.SqlProducer;
import org.apache.camel.component.sql.stored.CallableStatementWrapperFactory;
import org.apache.camel.component.sql.stored.SqlStoredComponent;
import org.apache.camel.component.sql.stored.SqlStoredConstants;
import org.apache.camel.component.sql.stored.SqlStoredEndpoint;
import org.apache.camel.component.sql.stored.SqlStoredProducer;
import org.apache.camel.component.sql.stored.template.TemplateParser;
import org.apache.camel.spi.EndpointStrategy;
import org.apache.camel.support.ObjectHelper;
import org.postgresql.PGStatement;
import org.springframework.jdbc.core.CallableStatementCallback;
import org.springframework.jdbc.core.CallableStatementCreator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementCallback;
import org.springframework.jdbc.core.PreparedStatementCreator;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Makes each endpoint {@code sql:} and {@code sql-stored:} fail a message of an outbox whose query returns more rows than fit into the memory, whatever the data
 * source, commit what a statement for it has changed, and store each value as it is. Other exchanges of the endpoint are not changed.
 */
public final class LimitedRows implements EndpointStrategy {
    /** What a row with some small values takes as a map. All rows may take a tenth of the heap. */
    private static final int BYTES_AS_MAP = 1_024;

    /** What a row with one small value takes in the driver of Postgres, which reads all rows before it returns the first one. */
    private static final int BYTES_IN_DRIVER = 128;

    private final long heap;

    /** @param heap the size of the heap in bytes */
    public LimitedRows(long heap) {
        this.heap = heap;
    }

    @Override
    public Endpoint registerEndpoint(String uri, Endpoint endpoint) {
        if (endpoint.getClass() == SqlStoredEndpoint.class) {
            return new BothStored((SqlStoredEndpoint) endpoint);
        }
        return endpoint.getClass() == SqlEndpoint.class ? new BothSql((SqlEndpoint) endpoint) : endpoint;
    }

    private int most(SqlOutputType output) {
        int row = output == SqlOutputType.StreamList ? BYTES_IN_DRIVER : BYTES_AS_MAP;
        return (int) Math.min(Integer.MAX_VALUE - 1, heap / 10 / row);
    }

    /** An endpoint with two producers. */
    private final class BothSql extends SqlEndpoint implements OutboxDelivery {
        private BothSql(SqlEndpoint original) {
            FieldCopy.copy(SqlEndpoint.class, original, this);
        }

        @Override
        public Producer createProducer() {
            return new ProducerByExchange(this, this::createDelivery, super::createProducer);
        }

        @Override
        public Producer createDelivery() {
            SqlEndpoint own = new SqlEndpoint();
            FieldCopy.copy(SqlEndpoint.class, this, own);
            int most = most(getOutputType());
            RowMapperFactory rows = getRowMapperFactory();
            own.setRowMapperFactory(new Rows(
                    rows == null ? new DefaultRowMapperFactory() : rows,
                    most,
                    getOutputType() == SqlOutputType.StreamList));
            SqlPrepareStatementStrategy statements = getPrepareStatementStrategy();
            Statements limited = new Statements(
                    statements == null ? new DefaultSqlPrepareStatementStrategy(getSeparator()) : statements,
                    this,
                    most);
            boolean always = true; // a statement without parameters has a limit too, and is one of a batch
            SqlProducer producer =
                    new SqlProducer(
                            own,
                            getQuery(),
                            committing(getJdbcTemplate()),
                            limited,
                            isBatch(),
                            always,
                            isUseMessageBodyForSql()) {
                        @Override
                        protected JdbcTemplate fetchJdbcTemplate(Exchange exchange) {
                            return committing(super.fetchJdbcTemplate(exchange)); // a header may name another database
                        }
                    };
            producer.setParametersCount(getParametersCount());
            return producer;
        }
    }

    /** An endpoint with two producers. */
    private final class BothStored extends SqlStoredEndpoint implements OutboxDelivery {
        private BothStored(SqlStoredEndpoint original) {
            super(original.getEndpointUri(), (SqlStoredComponent) original.getComponent());
            FieldCopy.copy(SqlStoredEndpoint.class, original, this);
        }

        @Override
        public Producer createProducer() {
            return new ProducerByExchange(this, this::createDelivery, super::createProducer);
        }

        @Override
        public Producer createDelivery() {
            SqlStoredEndpoint own = new SqlStoredEndpoint(getEndpointUri(), (SqlStoredComponent) getComponent());
            FieldCopy.copy(SqlStoredEndpoint.class, this, own);
            TemplateParser templates = new StoredTemplates(getCamelContext().getClassResolver(), isBatch());
            FieldCopy.set(
                    SqlStoredEndpoint.class,
                    "wrapperFactory",
                    own,
                    new CallableStatementWrapperFactory(committing(getJdbcTemplate()), templates, isFunction()));
            return new SqlStoredProducer(own) {
                @Override
                public void process(Exchange exchange) throws Exception {
                    Object list = isUseMessageBodyForTemplate()
                            ? exchange.getIn().getHeader(SqlStoredConstants.SQL_STORED_PARAMETERS)
                            : exchange.getIn().getBody();
                    if (isBatch()) {
                        NamedParameters.requireBatch(list);
                    }
                    if (isBatch()
                            && !ObjectHelper.createIterator(list).hasNext()) { // Camel would fail, unlike a step sql:
                        exchange.getIn().setHeader(SqlStoredConstants.SQL_STORED_UPDATE_COUNT, 0);
                    } else {
                        super.process(exchange);
                    }
                }
            };
        }
    }

    /** Not one that a user has written. */
    private JdbcTemplate committing(JdbcTemplate template) {
        return template != null && template.getClass() == JdbcTemplate.class ? new Committing(template) : template;
    }

    /**
     * Commits what a statement has changed if the connections have no autocommit and the route begins no transaction. It would be rolled back when
     * the connection is released, and the message would count as delivered.
     */
    private final class Committing extends JdbcTemplate {
        private Committing(JdbcTemplate template) {
            FieldCopy.copy(JdbcTemplate.class, template, this);
        }

        @Override
        public <T> T execute(PreparedStatementCreator creator, PreparedStatementCallback<T> action) {
            return super.execute(creator, statement -> {
                T result = action.doInPreparedStatement(statement);
                commit(statement.getConnection());
                return result;
            });
        }

        @Override
        public <T> T execute(CallableStatementCreator creator, CallableStatementCallback<T> action) {
            return super.execute(creator, statement -> {
                T result = action.doInCallableStatement(statement);
                commit(statement.getConnection());
                return result;
            });
        }

        /** For the rows of a stored procedure. */
        @Override
        protected RowMapper<Map<String, Object>> getColumnMapRowMapper() {
            return new Rows(null, most(SqlOutputType.SelectList), false).limited(super.getColumnMapRowMapper());
        }

        private void commit(Connection connection) throws SQLException {
            if (isOfTransaction(TransactionSynchronizationManager.getResource(obtainDataSource()))) {
                return;
            }
            if (!connection.getAutoCommit()) {
                connection.commit();
            } else if (getDataSource() instanceof RoutesPool) {
                RoutesPool.requireNoTransaction(connection);
            }
        }
    }

    /** Whether the route commits: Spring keeps a connection until the end of a transaction, also one of another data source. */
    private static boolean isOfTransaction(Object resource) {
        return resource != null
                && TransactionSynchronizationManager.isActualTransactionActive()
                && (hasBegun(resource)
                        || TransactionSynchronizationManager.getResourceMap().values().stream()
                                .noneMatch(LimitedRows::hasBegun));
    }

    private static boolean hasBegun(Object resource) {
        return resource instanceof ConnectionHolder holder
                && FieldCopy.value(ConnectionHolder.class, "transactionActive", holder, Boolean.class);
    }

    /**
     * Lets the driver of Postgres read one row more than the limit. Not other drivers: that of SQL Server would let a statement change no
     * more rows than that either.
     */
    private record Statements(SqlPrepareStatementStrategy others, SqlEndpoint step, int most)
            implements SqlPrepareStatementStrategy {
        private static final String TEXT = "'[^']*+'";
        private static final String CALL = "(?:pg_catalog\\.)?set_config\\s*+\\((?:[^()']++|" + TEXT
                + "|\\((?:[^()']++|" + TEXT + ")*+\\))*+\\)(?:\\s+as\\s+\\w++)?\\s*+";

        /** Each step has another connection, whose session has been reset, so the next step would use other tables, or another role. */
        private static final Pattern ONLY_SETS = Pattern.compile(
                "\\s*+(?:set\\s+(?!transaction\\s|constraints\\s)[^;]*+|select\\s+" + CALL + "(?:,\\s*+" + CALL
                        + ")*+);?\\s*+",
                Pattern.CASE_INSENSITIVE);

        @Override
        public String prepareQuery(String query, boolean named, Exchange exchange) throws SQLException {
            if (step.isBatch()) {
                NamedParameters.requireBatch(
                        step.isUseMessageBodyForSql()
                                ? exchange.getIn().getHeader(SqlConstants.SQL_PARAMETERS)
                                : exchange.getIn().getBody());
            }
            DataSource database = step.getJdbcTemplate().getDataSource();
            if (database instanceof RoutesPool
                    && ONLY_SETS.matcher(query).matches()
                    && !TransactionSynchronizationManager.hasResource(database)) {
                throw new SQLException("A step sql: outside of a transaction sets something that the next step does not"
                        + " have: each step has a session that was reset. Begin the route with transacted, and use set local"
                        + " or set_config(…, true)");
            }
            return others.prepareQuery(query, named, exchange);
        }

        @Override
        public Iterator<?> createPopulateIterator(
                String query, String prepared, int expected, Exchange exchange, Object value) throws SQLException {
            if (step.isBatch()) {
                NamedParameters.requireElement(value);
            }
            if (!step.isAlwaysPopulateStatement() && expected <= 0) {
                return Collections.emptyIterator();
            }
            boolean isOfUser = others.getClass() != DefaultSqlPrepareStatementStrategy.class;
            if (!isOfUser && expected > 0) {
                NamedParameters.require(query, exchange, value);
            }
            Iterator<?> values = others.createPopulateIterator(query, prepared, expected, exchange, value);
            return isOfUser || values == null ? values : NamedParameters.sent(exchange, values);
        }

        @Override
        public void populateStatement(PreparedStatement statement, Iterator<?> values, int expected)
                throws SQLException {
            if (!step.isBatch()
                    && statement.isWrapperFor(PGStatement.class)
                    && statement.getMaxRows() == 0
                    && readsAll(statement)) {
                statement.setMaxRows(most + 1);
            }
            if (step.isAlwaysPopulateStatement() || expected > 0) {
                boolean areKnown = step.getParametersCount() == 0; // Camel has asked for them
                others.populateStatement(
                        statement, values == null ? null : BytesParameter.sent(statement, values, areKnown), expected);
            }
        }

        private static boolean readsAll(PreparedStatement statement) throws SQLException {
            Connection connection = statement.getConnection();
            return statement.getFetchSize() == 0 || connection.getAutoCommit();
        }
    }

    /** @param streamed whether each row is released before the next one: then only what the driver has cut has too many rows */
    private record Rows(RowMapperFactory others, int most, boolean streamed) implements RowMapperFactory {
        @Override
        public RowMapper<?> newColumnRowMapper() {
            return limited(others.newColumnRowMapper());
        }

        @Override
        public RowMapper<?> newBeanRowMapper(Class<?> type) {
            return limited(others.newBeanRowMapper(type));
        }

        <T> RowMapper<T> limited(RowMapper<T> rows) {
            return (row, number) -> {
                if (number >= most && !(streamed && isWhole(row))) {
                    throw new SQLDataException("The query returns more than " + most
                            + " rows, which may not fit into the memory. Write a limit into the query");
                }
                return rows.mapRow(row, number);
            };
        }

        private boolean isWhole(ResultSet row) throws SQLException {
            return row.getStatement().getMaxRows() != most + 1;
        }
    }
}
