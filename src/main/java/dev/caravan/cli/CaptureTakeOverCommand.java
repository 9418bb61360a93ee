package dev.caravan.cli;

import dev.caravan.adopt.capture.TakeOverState;
import dev.caravan.adopt.capture.TakeOverState.Stage;
import dev.caravan.adopt.capture.TakeOvers;
import dev.caravan.base.clock.Clock;
import dev.caravan.database.Database;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan capture take-over}: takes over a table from a poller of the application. */
@Command(
        name = "take-over",
        sortOptions = false,
        description = {
            "Take over a table from a poller of the application: a subscription sends its rows from now on.",
            "If the poller can be stopped first, add --poller-stopped: rows that are pending become messages in order, and each"
                    + " new row becomes one in the transaction that writes it. Each is marked, so that no poller sends it.",
            "While the poller runs: new rows become messages and are hidden from it, and the messages wait until the poller has sent"
                    + " the older rows. When nothing is pending, stop the poller and run the command again with --poller-stopped.",
            "The table is locked for a moment. If the lock is not granted within 3 s, nothing is changed. Safe to repeat."
        })
final class CaptureTakeOverCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "File of the capture, with a section take-over.")
    private Path file;

    @Option(
            names = "--poller-stopped",
            description = "The poller has been stopped, in all processes, and will not start again.")
    private boolean pollerStopped;

    @Option(
            names = "--copy-rest",
            description =
                    "With --poller-stopped: rows that are still pending become messages, after those of new rows.")
    private boolean copyRest;

    @Option(names = "--status", description = "Show the state of the take-over. Nothing is changed.")
    private boolean status;

    @Option(
            names = "--undo",
            description =
                    "Return to the poller the rows whose messages are not delivered, and remove the triggers. Possible"
                            + " while the subscription is paused.")
    private boolean undo;

    @Option(names = "--dry-run", description = "Print the SQL and the number of pending rows. Nothing is changed.")
    private boolean dryRun;

    @Option(names = "--no-wait", description = "Do not wait until the poller has sent the rows that are pending.")
    private boolean noWait;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Mixin
    private IntervalOption interval;

    @Mixin
    private ActorOptions actor;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException, InterruptedException {
        if (Stream.of(status, undo, pollerStopped).filter(each -> each).count() > 1 || copyRest && !pollerStopped) {
            throw options.wrong(
                    "Use one of --status, --undo and --poller-stopped; --copy-rest needs --poller-stopped. Nothing was changed.");
        }
        TakeOvers takeOvers = new TakeOvers(options.reused(Database.forLongCommand(options.settings())), Clock.SYSTEM);
        TakeOverState state = takeOvers.state(file);
        if (status) {
            options.print(TakeOverText.state(state, file));
        } else if (dryRun) {
            warnOfTriggers(state);
            options.print((undo ? takeOvers.undoScript(file) : takeOvers.script(file, pollerStopped, copyRest)) + "\n"
                    + TakeOverText.counts(state) + ". Nothing was changed.");
        } else if (state.stage() == Stage.COMPLETE && state.pending() == 0 && !undo) {
            options.print(TakeOverText.state(state, file));
        } else if (undo) {
            undo(takeOvers, state);
        } else if (pollerStopped) {
            finish(takeOvers, state);
        } else {
            return begin(takeOvers, state);
        }
        return 0;
    }

    private int begin(TakeOvers takeOvers, TakeOverState before) throws SQLException, InterruptedException {
        if (before.stage() == Stage.NOT_BEGUN) {
            warnOfTriggers(before);
            before.others()
                    .forEach(other ->
                            options.report("Subscription " + other + " delivers messages of this type too, at once."));
            if (!options.confirmed(yes, "Capture new rows of " + before.table() + " and hide them from the poller")) {
                return 0;
            }
            takeOvers.begin(file, actor.actor());
            options.print("New rows of " + before.table() + " are now messages, which wait in " + before.subscription()
                    + ". The poller sends the older rows.");
        }
        if (noWait) {
            options.print(TakeOverText.state(takeOvers.state(file), file));
            return 0;
        }
        return drain(takeOvers);
    }

    private void warnOfTriggers(TakeOverState state) {
        if (state.stage() == Stage.NOT_BEGUN && !undo) {
            state.triggers()
                    .forEach(trigger ->
                            options.report("Trigger " + trigger.name() + " fires when a row is marked, with the"
                                    + " search_path of the capture. If its function names tables or functions without their schema,"
                                    + " each insert of the application will fail. Give it its own path first, such as:"
                                    + " alter function " + trigger.function() + " set search_path = app, public"));
        }
    }

    private int drain(TakeOvers takeOvers) throws SQLException, InterruptedException {
        try (Interruption interruption = new Interruption()) {
            return new TakeOverWatch(options.out(), interval.duration(), file)
                            .untilNothingIsPending(() -> takeOvers.state(file), interruption)
                    ? 0
                    : Interruption.EXIT;
        }
    }

    private void finish(TakeOvers takeOvers, TakeOverState state) throws SQLException {
        warnOfTriggers(state);
        if (options.confirmed(
                yes,
                "Deliver the rows of " + state.table() + " with " + state.subscription()
                        + ", now that the poller is stopped (" + TakeOverText.counts(state) + ")")) {
            options.print(TakeOverText.finished(takeOvers.finish(file, copyRest, actor.actor())));
        }
    }

    private void undo(TakeOvers takeOvers, TakeOverState state) throws SQLException {
        if (options.confirmed(
                yes, "Return the rows of " + state.table() + " to the poller (" + TakeOverText.counts(state) + ")")) {
            options.print(TakeOverText.undone(takeOvers.undo(file, actor.actor())));
        }
    }
}
