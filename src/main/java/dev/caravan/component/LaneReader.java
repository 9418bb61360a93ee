package dev.caravan.component;

import dev.caravan.lane.Batch;
import dev.caravan.lane.Lane;
import dev.caravan.lane.LaneStats;
import dev.caravan.lane.Read;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Iterator;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.component.sql.SqlPrepareStatementStrategy;

/** What camel-sql asks on a read: the parameters before it, from position and gaps, and where the batch goes after it. */
final class LaneReader implements SqlPrepareStatementStrategy, Processor {
    private final String[] typePatterns;
    private final LaneId id;
    private final LaneStats stats;
    private Lane lane;
    private Read next;
    private long readTo;
    private int rows;
    private long askedAt;

    /** @param types message types separated by commas, with * for any characters */
    LaneReader(String types, LaneId id, LaneStats stats) {
        typePatterns = TypePatterns.like(types);
        this.id = id;
        this.stats = stats;
    }

    /**
     * Sets up the next read for a lane; false while its window has no room.
     *
     * @param readTo the last id to read; an only lane never is below the barrier of a change of lanes
     */
    boolean prepare(Lane lane, long readTo) {
        this.readTo = readTo;
        this.lane = lane;
        rows = 0;
        next = lane.nextRead();
        askedAt = System.nanoTime();
        return next != null;
    }

    /** The statement that reads the lane. */
    String query() {
        return id.isOnly() ? "classpath:sql/read.sql" : "classpath:sql/read_lane.sql";
    }

    /** How many parameters it has. */
    int parameters() {
        return id.isOnly() ? 8 : 13;
    }

    /** How many rows the last read returned. */
    int rows() {
        return rows;
    }

    @Override
    public String prepareQuery(String query, boolean allowNamedParameters, Exchange exchange) {
        return query;
    }

    @Override
    public Iterator<?> createPopulateIterator(
            String query, String preparedQuery, int expectedParams, Exchange exchange, Object value) {
        return null; // populateStatement needs none
    }

    @Override
    public void populateStatement(PreparedStatement read, Iterator<?> iterator, int expectedParams)
            throws SQLException {
        Array patterns = read.getConnection().createArrayOf("text", typePatterns);
        if (id.isOnly()) {
            populateOnly(read, patterns);
        } else {
            populateOneOfSeveral(read, patterns);
        }
    }

    private void populateOnly(PreparedStatement read, Array patterns) throws SQLException {
        read.setArray(1, patterns);
        read.setString(2, next.missing());
        read.setInt(3, next.limit());
        read.setArray(4, patterns);
        read.setLong(5, next.position());
        read.setInt(6, next.limit());
        read.setInt(7, next.limit());
        read.setLong(8, next.bytes());
    }

    private void populateOneOfSeveral(PreparedStatement read, Array patterns) throws SQLException {
        read.setArray(1, patterns);
        read.setInt(2, id.lanes());
        read.setInt(3, id.number());
        read.setString(4, next.missing());
        read.setInt(5, next.limit());
        read.setArray(6, patterns);
        read.setInt(7, id.lanes());
        read.setInt(8, id.number());
        read.setLong(9, next.position());
        read.setLong(10, readTo);
        read.setInt(11, next.limit());
        read.setInt(12, next.limit());
        read.setLong(13, next.bytes());
    }

    /** Takes in the batch; the messages leave on the threads of the lane. */
    @Override
    public void process(Exchange exchange) {
        Batch batch = exchange.getMessage().getBody(Batch.class);
        rows = batch.rows().size();
        stats.read(System.nanoTime() - askedAt, rows);
        lane.received(batch);
    }
}
