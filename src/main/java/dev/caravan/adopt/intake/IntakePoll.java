package dev.caravan.adopt.intake;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.component.sql.DefaultSqlEndpoint;
import org.apache.camel.component.sql.SqlPrepareStatementStrategy;
import org.apache.camel.component.sql.SqlProcessingStrategy;
import org.springframework.jdbc.core.JdbcTemplate;

/** The border between camel-sql and an intake: camel-sql reads the rows, the route copies them, and {@code onConsume} marks them. */
final class IntakePoll implements SqlPrepareStatementStrategy, Processor, SqlProcessingStrategy {
    private final IntakeLoop loop;

    IntakePoll(IntakeLoop loop) {
        this.loop = loop;
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
