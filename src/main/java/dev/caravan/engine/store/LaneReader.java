package dev.caravan.engine.store;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.Batch;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.lane.LaneCounters;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.progress.Read;
import java.util.Collection;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** Prepares the next read of a lane, and passes its batch to the lane, whose threads deliver the messages. Not thread-safe. */
public final class LaneReader {
    private final ReadStatement read;
    private final LaneCounters counters;
    private final Clock clock;
    private final Function<Collection<Key>, Set<Key>> waiting;
    private final Consumer<SequenceState> sequence;
    private Lane lane;
    private Read next;
    private Sql statement;
    private int rows;
    private long startedAt;
    private boolean readAll;
    private RuntimeException failure;

    /**
     * @param waiting returns the given keys whose fresh messages must wait
     * @param sequence throws if the sequence of the outbox does not continue after what the lane has read
     */
    public LaneReader(
            LaneSettings settings,
            LaneId id,
            LaneCounters counters,
            Function<Collection<Key>, Set<Key>> waiting,
            Consumer<SequenceState> sequence,
            Clock clock) {
        this.sequence = sequence;
        this.clock = clock;
        read = new ReadStatement(id, TypePatterns.like(settings.types()), settings.maxMessageBytes());
        this.counters = counters;
        this.waiting = waiting;
    }

    /** Prepares the next read of a lane; returns false while its window is full. */
    public boolean prepare(Lane lane) {
        this.lane = lane;
        rows = 0;
        readAll = false;
        failure = null;
        next = lane.nextRead();
        statement = next == null ? null : read.of(next);
        startedAt = clock.nanos();
        return next != null;
    }

    /** The statement of the prepared read, with its values. */
    public Sql statement() {
        return statement;
    }

    /** The text of a read that leaves out no missing ids. */
    public String text() {
        return read.text();
    }

    /** Number of rows of the last read. */
    public int rows() {
        return rows;
    }

    /** Whether the last read has returned every message that was visible and not taken before. */
    public boolean hasReadAll() {
        return readAll;
    }

    /** Passes what the prepared read has found to the lane. */
    public void received(BatchRows found) {
        Batch batch = found.answering(next);
        rows = batch.messages().size();
        counters.read(clock.nanos() - startedAt, rows);
        try {
            sequence.accept(found.sequence());
            lane.received(batch, waiting.apply(lane.keysToLookUp(batch.messages())));
            readAll = batch.isAll();
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /**
     * Throws the failure of {@link #received}. The lane has not taken the batch, which is read again. Progress is saved before: otherwise the
     * lease would end if each read failed.
     */
    public void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }
}
