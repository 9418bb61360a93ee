package dev.caravan.engine.store;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.progress.Read;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Iterator;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.component.sql.SqlPrepareStatementStrategy;

/** Connects camel-sql with a lane: binds the parameters of the next read, and passes its batch to the lane. */
public final class LaneReader implements SqlPrepareStatementStrategy, Processor {
    private final ReadStatement statement;
    private final LaneCounters counters;
    private final Clock clock;
    private final Function<Collection<Key>, Set<Key>> waiting;
    private final Consumer<SequenceState> sequence;
    private Lane lane;
    private Read next;
    private int rows;
    private long startedAt;
    private RuntimeException failure;

    /**
     * @param types message types separated by commas, with * for any characters
     * @param maxMessageBytes the contents of larger messages are not read
     * @param waiting returns the given keys whose fresh messages must wait
     * @param sequence throws if the sequence of the outbox does not continue after what the lane has read
     */
    public LaneReader(
            String types,
            LaneId id,
            long maxMessageBytes,
            LaneCounters counters,
            Function<Collection<Key>, Set<Key>> waiting,
            Consumer<SequenceState> sequence,
            Clock clock) {
        this.sequence = sequence;
        this.clock = clock;
        statement = new ReadStatement(id, TypePatterns.like(types), maxMessageBytes);
        this.counters = counters;
        this.waiting = waiting;
    }

    /** Prepares the next read of a lane; returns false while its window is full. */
    public boolean prepare(Lane lane) {
        this.lane = lane;
        rows = 0;
        failure = null;
        next = lane.nextRead();
        startedAt = clock.nanos();
        return next != null;
    }

    /** The statement that reads the lane. */
    public ReadStatement statement() {
        return statement;
    }

    /** Number of rows of the last read. */
    public int rows() {
        return rows;
    }

    @Override
    public String prepareQuery(String query, boolean allowNamedParameters, Exchange exchange) {
        return statement.of(next).text();
    }

    @Override
    public Iterator<?> createPopulateIterator(
            String query, String preparedQuery, int expectedParams, Exchange exchange, Object value) {
        return null; // populateStatement needs none
    }

    @Override
    public void populateStatement(PreparedStatement read, Iterator<?> iterator, int expectedParams)
            throws SQLException {
        statement.of(next).bind(read);
    }

    /** Throws the failure of {@link #process}, which camel-sql would only log. The lane has not taken the batch, which is read again. */
    public void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Passes the batch to the lane, whose threads deliver the messages. */
    @Override
    public void process(Exchange exchange) {
        BatchRows found = exchange.getMessage().getBody(BatchRows.class);
        Batch batch = found.answering(next);
        rows = batch.rows().size();
        counters.read(clock.nanos() - startedAt, rows);
        try {
            sequence.accept(found.sequence());
            lane.received(batch, waiting.apply(lane.keysToLookUp(batch)));
        } catch (RuntimeException e) {
            failure = e;
        }
    }
}
