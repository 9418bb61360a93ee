package dev.caravan.cli;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Formatted;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Shows the number of messages and their rate on one line of a terminal, at most four times a second. Otherwise prints nothing. */
class ProgressLine {
    static final int WIDTH = 100;
    static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(250);

    final boolean onTerminal;
    private final PrintWriter err;
    private final Clock clock;
    private final long started;
    private long shown;

    ProgressLine(PrintWriter err, boolean onTerminal, Clock clock) {
        this.err = err;
        this.onTerminal = onTerminal;
        this.clock = clock;
        this.started = clock.nanos();
        this.shown = started;
    }

    void at(long messages) {
        if (onTerminal && isDue(INTERVAL)) {
            print(String.format(
                    Locale.ROOT, "\r%s, %,d a second ", Formatted.counted(messages, "message"), rate(messages)));
        }
    }

    /** Whether this time has passed since the start or the last output. Then it begins again. */
    final boolean isDue(long nanos) {
        boolean due = clock.nanos() - shown >= nanos;
        shown = due ? clock.nanos() : shown;
        return due;
    }

    final void print(String text) {
        err.print(text);
        err.flush();
    }

    /** Clears the line, so that the next output starts on an empty one. */
    final void end() {
        if (onTerminal && shown != started) {
            print("\r" + " ".repeat(WIDTH) + "\r");
        }
    }

    final double seconds() {
        return (clock.nanos() - started) / 1e9;
    }

    final long rate(long messages) {
        return Math.round(messages / Math.max(seconds(), 0.001));
    }
}
