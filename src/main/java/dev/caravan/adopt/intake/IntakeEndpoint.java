package dev.caravan.adopt.intake;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;
import org.apache.camel.Component;
import org.apache.camel.Consumer;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.component.sql.DefaultSqlEndpoint;
import org.apache.camel.component.sql.SqlEndpoint;
import org.apache.camel.component.sql.SqlPrepareStatementStrategy;
import org.apache.camel.component.sql.SqlProcessingStrategy;
import org.springframework.jdbc.core.JdbcTemplate;

/** The border between camel-sql and an intake: camel-sql reads the pending rows, the route copies them, and {@code onConsume} marks them. */
final class IntakeEndpoint extends SqlEndpoint
        implements SqlPrepareStatementStrategy, Processor, SqlProcessingStrategy {
    private final IntakeLoop loop;

    IntakeEndpoint(Component sql, IntakeLoop loop) {
        super("sql:intake-" + loop.intake().name(), sql);
        this.loop = loop;
        setAutowiredEnabled(false); // camel-sql would look for options of its own class of endpoints
        setDataSource(loop.connection());
        setUsePlaceholder(false);
        setGreedy(true); // a round that follows at once says so
        setInitialDelay(0);
        setDelay(loop.intake().delay().toMillis());
    }

    @Override
    protected String createEndpointUri() {
        return "sql:intake-" + loop.intake().name();
    }

    @Override
    public Consumer createConsumer(Processor route) throws Exception {
        IntakeConsumer consumer = new IntakeConsumer(this, loop, route);
        configureConsumer(consumer);
        return consumer;
    }

    /** @throws UnsupportedOperationException always: only the intake writes to its source */
    @Override
    public Producer createProducer() {
        throw new UnsupportedOperationException("An intake is no destination");
    }

    @Override
    public String prepareQuery(String query, boolean allowNamedParameters, Exchange exchange) {
        return loop.statement();
    }

    @Override
    public Iterator<?> createPopulateIterator(
            String query, String preparedQuery, int expectedParams, Exchange exchange, Object value) {
        return null; // populateStatement needs none
    }

    /** The statement has no parameters. */
    @Override
    public void populateStatement(PreparedStatement read, Iterator<?> iterator, int expectedParams)
            throws SQLException {
        read.setFetchSize(loop.fetchSize());
    }

    /** Converts the rows of a read; camel-sql calls this for its consumer. */
    @Override
    public List<?> queryForList(ResultSet rows, boolean allowMapToClass) throws SQLException {
        return loop.received(rows);
    }

    /** The only step of the route. */
    @Override
    public void process(Exchange exchange) {
        List<?> rows = exchange.getMessage().getBody(List.class);
        loop.copy(rows.stream().map(SourceRow.class::cast).toList());
    }

    @Override
    public int commit(
            DefaultSqlEndpoint endpoint, Exchange exchange, Object rows, JdbcTemplate jdbc, String onConsume) {
        try {
            return loop.mark();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int commitBatchComplete(DefaultSqlEndpoint endpoint, JdbcTemplate jdbc, String query) {
        return 0; // each batch is one commit
    }
}
