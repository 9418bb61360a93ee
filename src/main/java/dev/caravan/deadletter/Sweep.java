package dev.caravan.deadletter;

import java.sql.SQLException;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Changes a frozen set chunk by chunk; what is done stays done when it ends early. */
public final class Sweep {
    /** What is done to each chunk; returns how many it still found. */
    @FunctionalInterface
    public interface Change {
        int apply(FrozenSet.Chunk chunk) throws SQLException;
    }

    private final Change change;
    private final Pace pace;
    private long done;
    private long gone;

    public Sweep(Change change, Pace pace) {
        this.change = change;
        this.pace = pace;
    }

    /**
     * @param goOn asked before each chunk
     * @param progress told how many are done after each chunk
     * @return whether all chunks were done
     */
    public boolean run(FrozenSet set, BooleanSupplier goOn, LongConsumer progress)
            throws SQLException, InterruptedException {
        for (FrozenSet.Chunk chunk : set.chunks(pace.chunk())) {
            if (!pace.await(goOn)) {
                return false;
            }
            int changed = change.apply(chunk);
            done += changed;
            gone += chunk.size() - changed;
            pace.took(changed);
            progress.accept(done);
        }
        return true;
    }

    /** Changed and committed. */
    public long done() {
        return done;
    }

    /** Not found any more: someone else was faster, or they were tried again. */
    public long gone() {
        return gone;
    }
}
