package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.store.BatchRows;
import dev.caravan.engine.store.ReadStatement;
import dev.caravan.engine.store.SubscriptionStore;

/** The reads of a lane that does not follow the tail: prepares the next one, and passes its batch to the lane. Not thread-safe. */
final class LaneReader {
    private final SubscriptionStore store;
    private final ReadStatement read;
    private final LaneCounters counters;
    private final Clock clock;
    private Lane lane;
    private Read next;
    private Sql statement;
    private int rows;
    private long startedAt;
    private boolean readAll;
    private RuntimeException failure;

    LaneReader(LaneSettings settings, SubscriptionStore store, LaneCounters counters, Clock clock) {
        this.store = store;
        read = new ReadStatement(store.lane(), TypePatterns.like(settings.types()), settings.maxMessageBytes());
        statement = read.all();
        this.counters = counters;
        this.clock = clock;
    }

    /** Prepares the next read of a lane; returns false while its window is full. */
    boolean prepare(Lane lane) {
        this.lane = lane;
        rows = 0;
        readAll = false;
        failure = null;
        next = lane.nextRead();
        startedAt = clock.nanos();
        if (next == null) {
            return false;
        }
        statement = read.of(next);
        return true;
    }

    /** The statement of the prepared read, with its values; before the first one, the statement without values. */
    Sql statement() {
        return statement;
    }

    /** Number of rows of the last read. */
    int rows() {
        return rows;
    }

    /** Whether the last read has returned every message that was visible and not taken before. */
    boolean hasReadAll() {
        return readAll;
    }

    /** Passes what the prepared read has found to the lane. */
    void received(BatchRows found) {
        Batch batch = found.answering(next);
        rows = batch.messages().size();
        counters.read(clock.nanos() - startedAt, rows);
        try {
            store.requireSame(found.sequence(), lane.position());
            lane.received(batch, store.retries().waiting(lane.keysToLookUp(batch.messages())));
            readAll = batch.isAll();
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /**
     * Throws the failure of {@link #received}. The lane has not taken the batch, which is read again. Progress is saved before: otherwise the
     * lease would end if each read failed.
     */
    void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }
}
