package dev.caravan.store;

import dev.caravan.clock.Clock;
import dev.caravan.delivery.Key;
import dev.caravan.lane.Batch;
import dev.caravan.lane.Lane;
import dev.caravan.lane.LaneCounters;
import dev.caravan.progress.Read;
import dev.caravan.selection.TypePatterns;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Iterator;
import java.util.Set;
import java.util.function.Function;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.component.sql.SqlPrepareStatementStrategy;

/** What camel-sql asks on a read: the parameters before it, from position and gaps, and where the batch goes after it. */
public final class LaneReader implements SqlPrepareStatementStrategy, Processor {
    private final String[] typePatterns;
    private final ReadStatement statement;
    private final LaneCounters counters;
    private final Clock clock;
    private final Function<Collection<Key>, Set<Key>> waiting;
    private Lane lane;
    private Read next;
    private int rows;
    private long askedAt;
    private RuntimeException failure;

    /**
     * @param types message types separated by commas, with * for any characters
     * @param waiting looks up those of some keys whose fresh messages have to wait
     */
    public LaneReader(
            String types, LaneId id, LaneCounters counters, Function<Collection<Key>, Set<Key>> waiting, Clock clock) {
        this.clock = clock;
        typePatterns = TypePatterns.like(types);
        statement = new ReadStatement(id);
        this.counters = counters;
        this.waiting = waiting;
    }

    /** Sets up the next read for a lane; false while its window has no room. */
    public boolean prepare(Lane lane) {
        this.lane = lane;
        rows = 0;
        failure = null;
        next = lane.nextRead();
        askedAt = clock.nanos();
        return next != null;
    }

    /** The statement that reads the lane. */
    public ReadStatement statement() {
        return statement;
    }

    /** How many rows the last read returned. */
    public int rows() {
        return rows;
    }

    @Override
    public String prepareQuery(String query, boolean allowNamedParameters, Exchange exchange) {
        return statement.text(next);
    }

    @Override
    public Iterator<?> createPopulateIterator(
            String query, String preparedQuery, int expectedParams, Exchange exchange, Object value) {
        return null; // populateStatement needs none
    }

    @Override
    public void populateStatement(PreparedStatement read, Iterator<?> iterator, int expectedParams)
            throws SQLException {
        statement.bind(read, typePatterns, next);
    }

    /** Throws what went wrong after the last read: camel-sql would only log it. The batch is not taken in, so it is read again. */
    public void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Takes in the batch; the messages leave on the threads of the lane. */
    @Override
    public void process(Exchange exchange) {
        Batch batch = exchange.getMessage().getBody(BatchRows.class).answering(next);
        rows = batch.rows().size();
        counters.read(clock.nanos() - askedAt, rows);
        try {
            lane.received(batch, waiting.apply(lane.keysToLookUp(batch)));
        } catch (RuntimeException e) {
            failure = e;
        }
    }
}
