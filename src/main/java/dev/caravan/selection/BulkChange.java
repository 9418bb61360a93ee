package dev.caravan.selection;

import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Changes selected messages in chunks, one transaction each. Committed chunks stay changed when it ends early. */
public final class BulkChange {
    /** Changes a chunk. Returns the number of messages changed; the others no longer have the selected version. */
    @FunctionalInterface
    public interface Change {
        int apply(Selection.Chunk chunk) throws SQLException;
    }

    /** Decides from the first messages of a subscription whether the others are changed too. */
    public interface Trial {
        /** No trial: all messages are changed. */
        Trial NONE = new Trial() {
            @Override
            public int messages() {
                return Integer.MAX_VALUE;
            }

            @Override
            public Optional<String> refusal(Selection.Chunk first, BooleanSupplier mayContinue) {
                return Optional.empty();
            }
        };

        /** Number of messages to change first, per subscription. */
        int messages();

        /**
         * Waits for the outcome of the first messages.
         *
         * @param mayContinue polled during the wait; false ends it
         * @return why the others must not be changed, in one sentence; empty if they may
         */
        Optional<String> refusal(Selection.Chunk first, BooleanSupplier mayContinue)
                throws SQLException, InterruptedException;
    }

    private final Change change;
    private final ChangePace pace;
    private final Trial trial;
    /** Reasons by subscription. */
    private final Map<String, String> refusals = new TreeMap<>();

    private long done;
    private long changedMeanwhile;

    public BulkChange(Change change, ChangePace pace, Trial trial) {
        this.change = change;
        this.pace = pace;
        this.trial = trial;
    }

    /**
     * @param mayContinue checked before each chunk; false ends the run
     * @param progress receives the number of changed messages after each chunk
     * @return true when all chunks were processed, including those that the trial refused
     */
    public boolean run(Selection set, BooleanSupplier mayContinue, LongConsumer progress)
            throws SQLException, InterruptedException {
        Selection.Chunk first = null;
        boolean tried = false;
        for (Selection.Chunk chunk : set.chunks(trial.messages(), pace.chunk())) {
            if (first == null || !first.subscription().equals(chunk.subscription())) {
                first = chunk;
                tried = false;
            } else if (!tried) {
                trial.refusal(first, mayContinue).ifPresent(reason -> refusals.put(chunk.subscription(), reason));
                tried = true;
            }
            if (!pace.await(mayContinue)) {
                return false;
            }
            if (!refusals.containsKey(chunk.subscription())) {
                apply(chunk);
                progress.accept(done);
            }
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

    /** Why subscriptions were not changed completely, one sentence each; empty if the trial refused none. */
    public Optional<String> refusal() {
        return refusals.isEmpty() ? Optional.empty() : Optional.of(String.join(". ", refusals.values()) + ".");
    }
}
