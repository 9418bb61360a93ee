package dev.caravan.cli;

import dev.caravan.adopt.capture.TakeOverState;
import dev.caravan.adopt.capture.TakeOvers;
import dev.caravan.base.text.Formatted;
import java.nio.file.Path;

/** The state of a take-over and the next step, as text. */
final class TakeOverText {
    private TakeOverText() {}

    /** {@code 12 rows are pending, 3 messages wait}. */
    static String counts(TakeOverState state) {
        return Formatted.counted(state.pending(), "row") + (state.pending() == 1 ? " is" : " are") + " pending"
                + (state.stage() == TakeOverState.Stage.DRAINING
                        ? ", " + Formatted.counted(state.captured(), "message")
                                + (state.captured() == 1 ? " waits" : " wait")
                        : "");
    }

    static String state(TakeOverState state, Path file) {
        String counts = counts(state) + ". ";
        return switch (state.stage()) {
            case NOT_BEGUN ->
                "The take-over of " + state.table() + " has not begun. " + counts + "Nothing is captured.";
            case DRAINING ->
                counts
                        + (state.pending() == 0
                                ? next(file)
                                : "The poller sends the rows that are pending. New ones wait in " + state.subscription()
                                        + ".");
            case COMPLETE ->
                "The take-over of " + state.table() + " is complete: " + state.subscription() + " delivers. "
                        + (state.pending() == 0
                                ? "No row is pending."
                                : counts + "To deliver these too, add: --poller-stopped --copy-rest");
        };
    }

    static String next(Path file) {
        return "Stop the poller now, in all processes. Then run: ./caravan capture take-over " + file
                + " --poller-stopped";
    }

    /** What to do if the number of pending rows does not decrease. */
    static String stuck(TakeOverState state, Path file) {
        return Formatted.counted(state.pending(), "row")
                + " pending, and the number does not decrease. If the poller cannot send them, stop it and"
                + " let " + state.subscription()
                + " deliver them after the messages that wait: ./caravan capture take-over " + file
                + " --poller-stopped --copy-rest";
    }

    static String finished(TakeOvers.Finished finished) {
        TakeOverState state = finished.before();
        return "Took " + state.table() + " over: " + Formatted.counted(finished.copied(), "pending row")
                + (finished.copied() == 1 ? " is now a message" : " are now messages")
                + (state.captured() > 0
                        ? ", in addition to " + Formatted.counted(state.captured(), "message") + " of new rows"
                        : "")
                + ". " + state.subscription()
                + (finished.paused()
                        ? " is paused. To deliver them, and each new row: ./caravan subscriptions resume "
                                + state.subscription()
                        : " delivers them, and each new row")
                + ". Do not start the poller again.";
    }

    static String undone(TakeOvers.Undone undone) {
        return "Returned " + Formatted.counted(undone.rows(), "row") + " of "
                + undone.before().table()
                + " to the poller, and removed " + Formatted.counted(undone.messages(), "message")
                + " and the triggers. The poller can run. Subscription "
                + undone.before().subscription()
                + (undone.deleted() ? " was deleted." : " is paused.");
    }
}
