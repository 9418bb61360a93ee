package dev.caravan.cli;

import dev.caravan.adopt.capture.Backfill;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.Database;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code caravan capture backfill}: writes the existing rows of captured tables into the outbox. */
@Command(
        name = "backfill",
        sortOptions = false,
        description = {
            "Write a message for each existing row of captured tables, while applications write to them.",
            "Installs the capture if needed, in the transaction in which the backfill begins. The table is locked for"
                    + " a moment; if the lock is not granted within 3 s, nothing is changed.",
            "Can be interrupted and run again: it continues after the last chunk."
        })
final class CaptureBackfillCommand implements Callable<Integer> {
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONG_WAIT = TimeUnit.SECONDS.toNanos(3);

    @Mixin
    private CaptureFiles files;

    @Option(names = "--dry-run", description = "Print the number of messages and the SQL. Nothing is changed.")
    private boolean dryRun;

    @Option(names = "--again", description = "Begin again from the first row, even if a backfill is complete.")
    private boolean again;

    @Option(
            names = "--chunk-size",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Rows per transaction. They are locked meanwhile. Default: ${DEFAULT-VALUE}")
    private int chunkSize;

    @Option(names = "--rate", paramLabel = "N", description = "At most N messages a second. Default: no limit")
    private Integer rate;

    @Mixin
    private SettingsOptions options;

    private final Clock clock = Clock.SYSTEM;

    @Override
    public Integer call() throws SQLException, IOException, InterruptedException {
        options.requireUpTo(100_000, "--chunk-size", chunkSize, "");
        options.requireUpTo(1_000_000, "--rate", rate == null ? 1 : rate, "");
        List<Backfill> backfills = Backfill.of(Database.forLongCommand(options.settings()), files.files());
        if (dryRun) {
            for (Backfill backfill : backfills) {
                options.print(
                        backfill.statement() + ";\n\nWould write " + Formatted.counted(backfill.expected(), "message")
                                + " from " + backfill.table() + ". Nothing was changed.");
            }
            return 0;
        }
        try (Interruption interruption = new Interruption()) {
            for (Backfill backfill : backfills) {
                try (backfill) {
                    if (!run(backfill, interruption)) {
                        options.report("Interrupted: the backfill of " + backfill.name()
                                + " is unfinished. To continue, run the same command again.");
                        return Interruption.EXIT;
                    }
                }
            }
        }
        return 0;
    }

    private boolean run(Backfill backfill, Interruption interruption) throws SQLException, InterruptedException {
        Backfill.Start start = backfill.begin(again);
        if (start == Backfill.Start.COMPLETE) {
            options.print("The backfill of " + backfill.name() + " is complete: "
                    + Formatted.counted(backfill.messages(), "message") + ". To send all rows again, add --again");
            return true;
        }
        if (start == Backfill.Start.CONTINUED) {
            options.print("Continuing the backfill of " + backfill.name() + " after "
                    + Formatted.counted(backfill.messages(), "message") + ".");
        }
        BackfillProgress progress = new BackfillProgress(
                options.err(), Boolean.getBoolean("caravan.terminal"), backfill.name(), backfill.rows(), clock);
        boolean finished;
        try {
            finished = run(backfill, interruption, progress);
        } catch (SQLException e) {
            progress.end();
            options.report(
                    "The backfill of " + backfill.name() + " has stopped. To continue, run the same command again.");
            throw e;
        }
        progress.end();
        if (finished) {
            options.print(String.format(
                    Locale.ROOT,
                    "Completed the backfill of %s: %s from %s, in %.1f s.",
                    backfill.name(),
                    Formatted.counted(backfill.messages(), "message"),
                    backfill.table(),
                    progress.seconds()));
        }
        return finished;
    }

    private boolean run(Backfill backfill, Interruption interruption, BackfillProgress progress)
            throws SQLException, InterruptedException {
        ChangePace pace = new ChangePace(rate == null ? 0 : rate, clock, TimeUnit.NANOSECONDS::sleep);
        long rows = 0;
        long lastChunk = clock.nanos();
        boolean reported = false;
        while (pace.await(interruption::mayContinue)) {
            Backfill.Chunk chunk = backfill.next(pace.chunk(chunkSize));
            if (chunk.finished()) {
                return true;
            }
            if (chunk.waited()) {
                if (!reported && clock.nanos() - lastChunk > LONG_WAIT) {
                    reported = true;
                    progress.end();
                    options.report("Waiting for a row of " + backfill.table()
                            + " that another transaction has locked. Find it in pg_stat_activity (xact_start).");
                }
                TimeUnit.NANOSECONDS.sleep(PAUSE);
            } else {
                reported = false;
                lastChunk = clock.nanos();
            }
            rows += chunk.rows();
            pace.record(chunk.messages());
            progress.at(rows);
        }
        return false;
    }
}
