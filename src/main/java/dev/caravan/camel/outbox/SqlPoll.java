package dev.caravan.camel.outbox;

import dev.caravan.engine.loop.LaneLoop;
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
 * The border between camel-sql and the engine. In a poll, camel-sql runs the statement that reads the lane, gives its batch to this
 * processor, and then commits with {@code onConsume}. To camel-sql a batch is one row. The mark that {@code onConsume} sets is not in that row:
 * it is the progress of the lane, in the row of its subscription. Messages that failed are stored in the same transaction. If {@code onConsume}
 * does not update exactly one row, the lane has another owner and is lost. The lane decides whether a save is due, and other threads deliver
 * the messages meanwhile, so a commit saves what was finished by then.
 */
final class SqlPoll implements SqlPrepareStatementStrategy, Processor, SqlProcessingStrategy {
    private final LaneLoop loop;

    SqlPoll(LaneLoop loop) {
        this.loop = loop;
    }

    LaneLoop loop() {
        return loop;
    }

    /** The connections on which camel-sql reads, and on which progress is saved. */
    JdbcTemplate jdbc() {
        return loop.jdbc();
    }

    /** The statement that reads. It has no values yet: {@link #prepareQuery} replaces it for each poll. */
    String query() {
        return loop.reader().text();
    }

    /** The statement that saves progress. */
    String onConsume() {
        return loop.saveStatement().text();
    }

    @Override
    public String prepareQuery(String query, boolean allowNamedParameters, Exchange exchange) {
        return loop.reader().statement().text();
    }

    @Override
    public Iterator<?> createPopulateIterator(
            String query, String preparedQuery, int expectedParams, Exchange exchange, Object value) {
        return null; // populateStatement needs none
    }

    @Override
    public void populateStatement(PreparedStatement read, Iterator<?> iterator, int expectedParams)
            throws SQLException {
        loop.reader().statement().bind(read);
    }

    @Override
    public void process(Exchange exchange) {
        loop.reader().received(exchange.getMessage().getBody(BatchRows.class));
    }

    /** @throws IllegalStateException if camel-sql is configured with another statement or other connections than those that save */
    @Override
    public int commit(
            DefaultSqlEndpoint endpoint, Exchange exchange, Object batch, JdbcTemplate jdbc, String onConsume) {
        if (jdbc != jdbc() || !onConsume.equals(onConsume())) {
            throw new IllegalStateException(
                    "onConsume of " + endpoint + " was replaced: progress is saved only with the statement of"
                            + " Caravan, because it must fail if another relay owns the lane");
        }
        loop.settleAndSave();
        return loop.lane() == null ? 0 : 1;
    }

    @Override
    public int commitBatchComplete(DefaultSqlEndpoint endpoint, JdbcTemplate jdbc, String query) {
        return 0; // each batch is one commit
    }
}
