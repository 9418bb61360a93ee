package dev.caravan.lab.demo;

import java.io.PrintStream;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Shows progress and status on stderr: redrawn on a terminal, otherwise one line every few seconds. */
final class DemoScreen implements AutoCloseable {
    private static final long TERMINAL_REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LINE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final PrintStream err = System.err;
    private final boolean terminal;
    private final LiveBlock block = new LiveBlock(err);
    private long shownAt;

    DemoScreen(boolean terminal) {
        this.terminal = terminal;
        if (terminal) {
            System.setErr(block.above()); // log lines of the relay must not break the table
        }
    }

    /** Prints a permanent line. */
    void print(String line) {
        System.err.println(line);
    }

    /** Shows the status when its interval has passed. */
    void update(DemoStatus status) throws SQLException {
        long now = System.nanoTime();
        if (now - shownAt < (terminal ? TERMINAL_REDRAW_NANOS : LINE_EVERY_NANOS)) {
            return;
        }
        shownAt = now;
        if (terminal) {
            block.show(status.table());
        } else {
            print(status.line());
        }
    }

    /** Shows the final status and the last arrivals. */
    void finish(DemoStatus status) throws SQLException {
        if (terminal) {
            block.show(List.of());
            status.table().forEach(this::print);
        } else {
            print(status.line());
            status.samples().forEach(this::print);
        }
    }

    @Override
    public void close() {
        if (terminal) {
            System.setErr(err);
        }
    }
}
