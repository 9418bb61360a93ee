package dev.caravan.operate.failed;

import java.sql.SQLException;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Changes selected messages in chunks, one transaction each. Committed chunks stay changed when it ends early. */
public final class BulkChange {
    /** Changes a chunk. Returns the number of messages changed; the others no longer have the selected version. */
    @FunctionalInterface
    public interface Change {
        int apply(Selection.Chunk chunk) throws SQLException;
    }

    private final Change change;
    private final ChangePace pace;

    private long done;
    private long changedMeanwhile;

    public BulkChange(Change change, ChangePace pace) {
        this.change = change;
        this.pace = pace;
    }

    /**
     * @param mayContinue checked before each chunk; false ends the run
     * @param progress receives the number of changed messages after each chunk
     * @return true when all chunks were processed
     */
    public boolean run(Selection set, BooleanSupplier mayContinue, LongConsumer progress)
            throws SQLException, InterruptedException {
        for (Selection.Chunk chunk : set.chunks(pace.chunk())) {
            if (!pace.await(mayContinue)) {
                return false;
            }
            apply(chunk);
            progress.accept(done);
        }
        return true;
    }

    private void apply(Selection.Chunk chunk) throws SQLException {
        int changed = change.apply(chunk);
        done += changed;
        changedMeanwhile += chunk.size() - changed;
        pace.record(changed);
    }

    /** Number of messages changed and committed. */
    public long done() {
        return done;
    }

    /** Number of messages skipped because they changed after they were selected. */
    public long changedMeanwhile() {
        return changedMeanwhile;
    }
}
