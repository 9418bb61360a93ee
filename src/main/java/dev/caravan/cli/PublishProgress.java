package dev.caravan.cli;

import java.io.PrintWriter;
import java.util.Locale;

/** Count and rate on one line of a terminal, rewritten a few times a second; silent elsewhere. */
final class PublishProgress {
    private static final long EVERY_NANOS = 250_000_000L;

    private final PrintWriter err;
    private final boolean onTerminal;
    private final long started = System.nanoTime();
    private long shown = started;

    PublishProgress(PrintWriter err, boolean onTerminal) {
        this.err = err;
        this.onTerminal = onTerminal;
    }

    void at(long messages) {
        if (onTerminal && System.nanoTime() - shown > EVERY_NANOS) {
            shown = System.nanoTime();
            err.printf(Locale.ROOT, "\r%,d messages, %,d a second ", messages, rate(messages));
            err.flush();
        }
    }

    /** Clears the line, so that what is printed next starts on a clean one. */
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
