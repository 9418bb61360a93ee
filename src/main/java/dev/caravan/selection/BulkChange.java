package dev.caravan.selection;

import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Changes a frozen set chunk by chunk; what is done stays done when it ends early. */
public final class BulkChange {
    /** What is done to each chunk; returns how many it still found. */
    @FunctionalInterface
    public interface Change {
        int apply(Selection.Chunk chunk) throws SQLException;
    }

    /** Decides after the first few of a subscription whether the others follow. */
    public interface Trial {
        /** All follow at once. */
        Trial NONE = new Trial() {
            @Override
            public int messages() {
                return Integer.MAX_VALUE;
            }

            @Override
            public Optional<String> refusal(Selection.Chunk first, BooleanSupplier goOn) {
                return Optional.empty();
            }
        };

        /** How many go first. */
        int messages();

        /**
         * Waits for what becomes of the first.
         *
         * @param goOn asked while it waits; false ends the wait
         * @return why the others must not follow, in one sentence; empty if they may
         */
        Optional<String> refusal(Selection.Chunk first, BooleanSupplier goOn) throws SQLException, InterruptedException;
    }

    private final Change change;
    private final ChangePace pace;
    private final Trial trial;
    /** By subscription. */
    private final Map<String, String> refusals = new TreeMap<>();

    private long done;
    private long gone;

    public BulkChange(Change change, ChangePace pace, Trial trial) {
        this.change = change;
        this.pace = pace;
        this.trial = trial;
    }

    /**
     * @param goOn asked before each chunk
     * @param progress told how many are done after each chunk
     * @return whether it came to its end, where what the trial refused was left alone
     */
    public boolean run(Selection set, BooleanSupplier goOn, LongConsumer progress)
            throws SQLException, InterruptedException {
        Selection.Chunk first = null;
        boolean tried = false;
        for (Selection.Chunk chunk : set.chunks(trial.messages(), pace.chunk())) {
            if (first == null || !first.subscription().equals(chunk.subscription())) {
                first = chunk;
                tried = false;
            } else if (!tried) {
                trial.refusal(first, goOn).ifPresent(why -> refusals.put(chunk.subscription(), why));
                tried = true;
            }
            if (!pace.await(goOn)) {
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
        gone += chunk.size() - changed;
        pace.took(changed);
    }

    /** Changed and committed. */
    public long done() {
        return done;
    }

    /** Not found any more: someone else was faster, or they were tried again. */
    public long gone() {
        return gone;
    }

    /** Why the rest of a subscription was left alone, one sentence for each; empty if the trial refused nothing. */
    public Optional<String> refusal() {
        return refusals.isEmpty() ? Optional.empty() : Optional.of(String.join(". ", refusals.values()) + ".");
    }
}
