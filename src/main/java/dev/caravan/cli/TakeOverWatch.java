package dev.caravan.cli;

import dev.caravan.adopt.capture.TakeOverState;
import dev.caravan.adopt.capture.TakeOverState.Stage;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.apache.camel.util.function.ThrowingSupplier;

/** Shows how many rows are pending until the poller has sent all of them. */
final class TakeOverWatch {
    /** Number of reads without progress after which the pending rows are reported as stuck. */
    private static final int STUCK_AFTER = 15;

    private static final long SHORT_MILLIS = 200;

    private final PrintWriter out;
    private final Duration interval;
    private final Path file;
    private String shown = "";

    TakeOverWatch(PrintWriter out, Duration interval, Path file) {
        this.out = out;
        this.interval = interval;
        this.file = file;
    }

    /** Returns false if it was interrupted. Nothing is changed in either case. */
    boolean untilNothingIsPending(ThrowingSupplier<TakeOverState, SQLException> reader, Interruption interruption)
            throws SQLException, InterruptedException {
        long lowest = Long.MAX_VALUE;
        int withoutProgress = 0;
        TakeOverState state = reader.get();
        while (state.stage() == Stage.DRAINING && state.pending() > 0 && interruption.mayContinue()) {
            withoutProgress = state.pending() < lowest ? 0 : withoutProgress + 1;
            lowest = Math.min(lowest, state.pending());
            boolean stuck = withoutProgress > 0 && withoutProgress % STUCK_AFTER == 0;
            show(stuck ? TakeOverText.stuck(state, file) : TakeOverText.counts(state));
            pause(interruption);
            state = reader.get();
        }
        show(TakeOverText.state(state, file));
        return interruption.mayContinue();
    }

    private void show(String text) {
        if (!text.equals(shown)) {
            out.println(text);
            out.flush();
            shown = text;
        }
    }

    private void pause(Interruption interruption) throws InterruptedException {
        for (long left = interval.toMillis(); left > 0 && interruption.mayContinue(); left -= SHORT_MILLIS) {
            Thread.sleep(Math.min(left, SHORT_MILLIS));
        }
    }
}
