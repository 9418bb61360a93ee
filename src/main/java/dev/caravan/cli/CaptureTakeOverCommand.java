package dev.caravan.cli;

import dev.caravan.capture.TakeOverState;
import dev.caravan.capture.TakeOvers;
import dev.caravan.clock.Clock;
import dev.caravan.database.Database;
import dev.caravan.text.Humane;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan capture take-over}: hands a table over from a poller of the application. */
@Command(
        name = "take-over",
        sortOptions = false,
        description = {
            "Hand a table over from a poller of the application: a subscription sends its rows from now on.",
            "Rows that are pending become messages in order, and are marked, so that the poller does not send them. So does each new"
                    + " row, in the transaction that writes it.",
            "The table is locked meanwhile. If the lock is not granted within 3 s, nothing is changed. Safe to repeat."
        })
final class CaptureTakeOverCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "File of the capture, with a section take-over.")
    private Path file;

    @Option(
            names = "--poller-stopped",
            description = "The poller has been stopped, in all processes, and will not start again.")
    private boolean pollerStopped;

    @Option(names = "--dry-run", description = "Print the SQL and the number of pending rows. Nothing is changed.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Mixin
    private ActorOptions actor;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException {
        TakeOvers takeOvers = new TakeOvers(Database.forLongCommand(options.settings()), Clock.SYSTEM);
        TakeOverState state = takeOvers.state(file);
        if (dryRun) {
            print(takeOvers.script(file, pollerStopped, false) + "\n" + counted(state) + " Nothing was changed.");
            return 0;
        }
        if (!pollerStopped) {
            throw new ParameterException(
                    spec.commandLine(), "Stop the poller first, and add --poller-stopped. Nothing was changed.");
        }
        return finish(takeOvers, state);
    }

    private int finish(TakeOvers takeOvers, TakeOverState state) throws SQLException {
        if (state.stage() == TakeOverState.Stage.COMPLETE && state.pending() == 0) {
            print("The take-over of " + state.table() + " is complete.");
            return 0;
        }
        if (!confirmed("Let " + state.subscription() + " send " + Humane.counted(state.pending(), "pending row")
                + " of " + state.table() + ", and all new rows")) {
            return 0;
        }
        TakeOvers.Finished finished = takeOvers.finish(file, false, actor.actor());
        print("Took " + state.table() + " over: " + Humane.counted(finished.copied(), "pending row")
                + (finished.copied() == 1 ? " is a message" : " are messages") + " now, and each new row will be. "
                + state.subscription() + " delivers them. Do not start the poller again.");
        return 0;
    }

    private static String counted(TakeOverState state) {
        return Humane.counted(state.pending(), "row") + " of " + state.table() + (state.pending() == 1 ? " is" : " are")
                + " pending.";
    }

    private boolean confirmed(String action) {
        boolean confirmed = yes || Confirmation.onConsole(spec.commandLine()).confirmed(action);
        if (!confirmed) {
            spec.commandLine().getErr().println("Nothing was changed.");
        }
        return confirmed;
    }

    private void print(String text) {
        spec.commandLine().getOut().println(text);
        spec.commandLine().getOut().flush();
    }
}
