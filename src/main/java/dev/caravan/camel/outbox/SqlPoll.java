package dev.caravan.camel.outbox;

import dev.caravan.engine.loop.PolledRead;
import dev.caravan.engine.store.BatchRows;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Iterator;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.component.sql.DefaultSqlEndpoint;
import org.apache.camel.component.sql.SqlPrepareStatementStrategy;
import org.apache.camel.component.sql.SqlProcessingStrategy;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The border between camel-sql and the engine. In a poll, camel-sql runs the statement that reads for one lane or for all, gives its batch to this
 * processor, and then commits with {@code onConsume}. To camel-sql a batch is one row. The mark that {@code onConsume} sets is not in that row:
 * it is the progress of the lanes, in the rows of their subscriptions. The messages of a lane that failed are stored in the same transaction. If
 * {@code onConsume} does not update the row of a lane, the lane has another owner and is lost. A lane decides whether a save is due, and other
 * threads deliver the messages meanwhile, so a commit saves what was finished by then.
 */
final class SqlPoll implements SqlPrepareStatementStrategy, Processor, SqlProcessingStrategy {
    private final PolledRead polled;

    SqlPoll(PolledRead polled) {
        this.polled = polled;
    }

    @Override
    public String prepareQuery(String query, boolean allowNamedParameters, Exchange exchange) {
        return polled.statement().text();
    }

    @Override
    public Iterator<?> createPopulateIterator(
            String query, String preparedQuery, int expectedParams, Exchange exchange, Object value) {
        return null; // populateStatement needs none
    }

    @Override
    public void populateStatement(PreparedStatement read, Iterator<?> iterator, int expectedParams)
            throws SQLException {
        polled.statement().bind(read);
    }

    @Override
    public void process(Exchange exchange) {
        polled.received(exchange.getMessage().getBody(BatchRows.class));
    }

    /** @throws IllegalStateException if camel-sql is configured with another statement or other connections than those that save */
    @Override
    public int commit(
            DefaultSqlEndpoint endpoint, Exchange exchange, Object batch, JdbcTemplate jdbc, String onConsume) {
        if (jdbc != polled.jdbc() || !onConsume.equals(polled.onConsume())) {
            throw new IllegalStateException(
                    "onConsume of " + endpoint + " was replaced: progress is saved only with the statement of"
                            + " Caravan, because it must fail if another relay owns the lane");
        }
        return polled.save() ? 1 : 0;
    }

    @Override
    public int commitBatchComplete(DefaultSqlEndpoint endpoint, JdbcTemplate jdbc, String query) {
        return 0; // each batch is one commit
    }
}
