package dev.caravan.cli;

import dev.caravan.database.DatabaseFailure;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.camel.util.function.ThrowingSupplier;

/** Refreshes a text periodically: redrawn in place on a terminal, otherwise appended. */
final class Watch {
    private static final String HOME = "\u001b[H";
    private static final String CLEAR_LINE_END = "\u001b[K\n";
    private static final String CLEAR_BELOW = "\u001b[J";
    private static final String CLEAR_ALL = "\u001b[2J";

    /** Refreshes until the process is stopped. Stopping is the normal end, so the exit code is 0. */
    static final Timer UNTIL_STOPPED = new Timer() {
        @Override
        public void begin() {
            exitWith0(() -> {});
        }

        @Override
        public boolean await(Duration pause) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(pause.toMillis());
            return true;
        }
    };

    /** Makes a stop of the process run this action and end the process with exit code 0. */
    static void exitWith0(Runnable last) {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            last.run();
                            Runtime.getRuntime().halt(0);
                        },
                        "stop-watching"));
    }

    /** Decides when to refresh. */
    interface Timer {
        void begin();

        /** Waits for this time. Returns false when the person quits. */
        boolean await(Duration pause) throws InterruptedException;
    }

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean redrawn;
    private final Timer timer;

    Watch(PrintWriter out, PrintWriter err, boolean redrawn, Timer timer) {
        this.out = out;
        this.err = err;
        this.redrawn = redrawn;
        this.timer = timer;
    }

    /**
     * Refreshes until the timer ends or the output is closed. A database failure after the first refresh is reported, and the
     * next refresh tries again.
     *
     * @throws SQLException when the first refresh fails
     */
    void run(Duration interval, ThrowingSupplier<String, SQLException> view) throws SQLException, InterruptedException {
        String text = view.get();
        timer.begin();
        out.print(redrawn ? CLEAR_ALL : "");
        show(text);
        while (!out.checkError() && timer.await(interval)) {
            try {
                show(view.get());
            } catch (SQLException e) {
                err.println(DatabaseFailure.in(e).map(DatabaseFailure::text).orElse(e.getMessage()));
                err.flush();
            }
        }
    }

    /** Writes everything at once, so that Ctrl-C leaves complete lines. */
    private void show(String text) {
        out.print(redrawn ? HOME + text.replace("\n", CLEAR_LINE_END) + CLEAR_LINE_END + CLEAR_BELOW : text + "\n");
        out.flush();
    }
}
