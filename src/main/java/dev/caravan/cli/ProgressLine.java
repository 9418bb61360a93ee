package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import java.io.PrintWriter;
import java.util.Locale;

/** Shows the number of messages and their rate on one line of a terminal, at most four times a second. Otherwise prints nothing. */
final class ProgressLine {
    private static final long INTERVAL_NANOS = 250_000_000L;

    private final PrintWriter err;
    private final boolean onTerminal;
    private final long started = System.nanoTime();
    private long shown = started;

    ProgressLine(PrintWriter err, boolean onTerminal) {
        this.err = err;
        this.onTerminal = onTerminal;
    }

    void at(long messages) {
        if (onTerminal && System.nanoTime() - shown > INTERVAL_NANOS) {
            shown = System.nanoTime();
            err.printf(Locale.ROOT, "\r%s, %,d a second ", Formatted.counted(messages, "message"), rate(messages));
            err.flush();
        }
    }

    /** Clears the line, so that the next output starts on an empty one. */
    void end() {
        if (shown != started) {
            err.print("\r" + " ".repeat(60) + "\r");
            err.flush();
        }
    }

    double seconds() {
        return (System.nanoTime() - started) / 1e9;
    }

    long rate(long messages) {
        return Math.round(messages / Math.max(seconds(), 0.001));
    }
}
