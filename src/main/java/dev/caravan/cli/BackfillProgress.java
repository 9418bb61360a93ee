package dev.caravan.cli;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Span;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Shows the progress of a backfill: on a terminal as a bar that is updated in place, otherwise as a line every ten seconds. */
final class BackfillProgress extends ProgressLine {
    private static final long LINE_INTERVAL = TimeUnit.SECONDS.toNanos(10);
    private static final int CELLS = 20;

    private final String name;
    private final long total;

    /** @param total number of rows to read, counted before the backfill */
    BackfillProgress(PrintWriter err, boolean onTerminal, String name, long total, Clock clock) {
        super(err, onTerminal, clock);
        this.name = name;
        this.total = total;
    }

    @Override
    void at(long rows) {
        if (isDue(onTerminal ? INTERVAL : LINE_INTERVAL)) {
            long read = Math.min(rows, total);
            String text = name + ": " + text(read);
            print(
                    onTerminal
                            ? String.format(Locale.ROOT, "\r%-" + WIDTH + "s", "[" + bar(read) + "] " + text)
                            : text + System.lineSeparator());
        }
    }

    private String text(long rows) {
        Duration left = Duration.ofSeconds(Math.round((total - rows) * seconds() / Math.max(rows, 1)));
        return String.format(
                Locale.ROOT,
                "%d %%, %,d of %s, %,d a second%s",
                percent(rows),
                rows,
                Formatted.counted(total, "row"),
                rate(rows),
                rows == 0 ? "" : ", " + Span.text(left) + " left");
    }

    private long percent(long rows) {
        return total == 0 ? 100 : rows * 100 / total;
    }

    private String bar(long rows) {
        int full = (int) (percent(rows) * CELLS / 100);
        return "#".repeat(full) + ".".repeat(CELLS - full);
    }
}
