package dev.caravan.cli;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Formatted;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Shows the progress of a backfill: on a terminal as a bar that is updated in place, otherwise as a line every ten seconds. */
final class BackfillProgress {
    private static final long TERMINAL_INTERVAL = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long LINE_INTERVAL = TimeUnit.SECONDS.toNanos(10);
    private static final int CELLS = 20;
    private static final int WIDTH = 100;

    private final PrintWriter err;
    private final boolean onTerminal;
    private final String name;
    private final long total;
    private final Clock clock;
    private final long started;
    private long shown;

    /** @param total number of rows to read, counted before the backfill */
    BackfillProgress(PrintWriter err, boolean onTerminal, String name, long total, Clock clock) {
        this.err = err;
        this.onTerminal = onTerminal;
        this.name = name;
        this.total = total;
        this.clock = clock;
        this.started = clock.nanos();
        this.shown = started;
    }

    void at(long rows) {
        if (clock.nanos() - shown >= (onTerminal ? TERMINAL_INTERVAL : LINE_INTERVAL)) {
            shown = clock.nanos();
            String text = name + ": " + text(Math.min(rows, total));
            err.print(onTerminal ? "\r" + padded("[" + bar(rows) + "] " + text) : text + System.lineSeparator());
            err.flush();
        }
    }

    /** Prints a line, and clears the progress bar first. */
    void report(String text) {
        end();
        err.println(text);
        err.flush();
    }

    /** Clears the line, so that the next output starts on an empty one. */
    void end() {
        if (onTerminal && shown != started) {
            err.print("\r" + padded("") + "\r");
            err.flush();
        }
    }

    double seconds() {
        return Math.max(clock.nanos() - started, 1_000_000L) / 1e9;
    }

    private String text(long rows) {
        double rate = rows / seconds();
        String left = rate == 0 ? "" : ", " + duration(Math.round((total - rows) / rate)) + " left";
        return String.format(
                Locale.ROOT,
                "%d %%, %,d of %s, %,d a second%s",
                percent(rows),
                rows,
                Formatted.counted(total, "row"),
                Math.round(rate),
                left);
    }

    private long percent(long rows) {
        return total == 0 ? 100 : rows * 100 / total;
    }

    private String bar(long rows) {
        int full = (int) (percent(Math.min(rows, total)) * CELLS / 100);
        return "#".repeat(full) + ".".repeat(CELLS - full);
    }

    private static String duration(long seconds) {
        return seconds < 60
                ? seconds + " s"
                : seconds < 3_600 ? seconds / 60 + " min" : String.format(Locale.ROOT, "%.1f h", seconds / 3_600.0);
    }

    private static String padded(String text) {
        return text + " ".repeat(Math.max(0, WIDTH - text.length()));
    }
}
