package dev.caravan.cli;

import dev.caravan.database.DatabaseFailure;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Shows something again and again: redrawn in place on a terminal, appended elsewhere. */
final class Watch {
    private static final String HOME = "\u001b[H";
    private static final String CLEAR_LINE_END = "\u001b[K\n";
    private static final String CLEAR_BELOW = "\u001b[J";
    private static final String CLEAR_ALL = "\u001b[2J";

    /** Until the process is asked to end: that is how one leaves, so it ends with 0. */
    static final Rhythm UNTIL_STOPPED = new Rhythm() {
        @Override
        public void begin() {
            endWith0(() -> {});
        }

        @Override
        public boolean goesOnAfter(Duration pause) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(pause.toMillis());
            return true;
        }
    };

    /** From now on to stop the process ends it with 0, after one last thing. */
    static void endWith0(Runnable last) {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            last.run();
                            Runtime.getRuntime().halt(0);
                        },
                        "stop-watching"));
    }

    /** What is looked at. */
    @FunctionalInterface
    interface Look {
        String text() throws SQLException;
    }

    /** When to look again. */
    interface Rhythm {
        void begin();

        boolean goesOnAfter(Duration pause) throws InterruptedException;
    }

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean redrawn;
    private final Rhythm rhythm;

    Watch(PrintWriter out, PrintWriter err, boolean redrawn, Rhythm rhythm) {
        this.out = out;
        this.err = err;
        this.redrawn = redrawn;
        this.rhythm = rhythm;
    }

    /**
     * Ends when the rhythm does or nobody reads any more. A database that goes away meanwhile is looked for again.
     *
     * @throws SQLException when the first look fails
     */
    void run(Duration pause, Look look) throws SQLException, InterruptedException {
        String text = look.text();
        rhythm.begin();
        out.print(redrawn ? CLEAR_ALL : "");
        show(text);
        while (!out.checkError() && rhythm.goesOnAfter(pause)) {
            try {
                show(look.text());
            } catch (SQLException e) {
                err.println(DatabaseFailure.in(e).map(DatabaseFailure::text).orElse(e.getMessage()));
                err.flush();
            }
        }
    }

    /** A look with its time above it. */
    static String dated(String text) {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS) + "\n" + text + "\n";
    }

    /** In one write, so that Ctrl-C leaves whole lines. */
    private void show(String text) {
        out.print(redrawn ? HOME + text.replace("\n", CLEAR_LINE_END) + CLEAR_LINE_END + CLEAR_BELOW : text + "\n");
        out.flush();
    }
}
