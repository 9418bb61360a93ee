package dev.caravan.cli;

import dev.caravan.capture.TakeOverState;
import dev.caravan.capture.TakeOverState.Stage;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;

/** Shows how many rows are pending until the poller has sent all of them. */
final class TakeOverWatch {
    /** Looks without progress before rows are taken for ones that the poller cannot send. */
    private static final int LOOKS = 15;

    private static final long SHORT_MILLIS = 200;

    /** Looks at the database. */
    @FunctionalInterface
    interface Look {
        TakeOverState state() throws SQLException;
    }

    private final PrintWriter out;
    private final Duration interval;
    private final Path file;
    private String shown = "";

    TakeOverWatch(PrintWriter out, Duration interval, Path file) {
        this.out = out;
        this.interval = interval;
        this.file = file;
    }

    /** False if it was interrupted, which changes nothing. */
    boolean untilNothingIsPending(Look look, Interruption interruption) throws SQLException, InterruptedException {
        long lowest = Long.MAX_VALUE;
        int looks = 0;
        TakeOverState state = look.state();
        while (state.stage() == Stage.DRAINING && state.pending() > 0 && interruption.mayContinue()) {
            looks = state.pending() < lowest ? 0 : looks + 1;
            lowest = Math.min(lowest, state.pending());
            show(looks > 0 && looks % LOOKS == 0 ? TakeOverText.stuck(state, file) : TakeOverText.counts(state));
            pause(interruption);
            state = look.state();
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
