package dev.caravan.cli;

import dev.caravan.deadletter.Signature;
import dev.caravan.deadletter.Subscriptions;
import java.sql.SQLException;
import picocli.CommandLine.Command;

/** {@code caravan subscriptions resume}: start a paused subscription again. */
@Command(
        name = "resume",
        sortOptions = false,
        description = "Start a paused subscription again where it stopped. A relay takes it within about a second."
                + " Safe to repeat.")
final class SubscriptionsResumeCommand extends PausedCommand {
    @Override
    boolean change(Subscriptions subscriptions, String name, Signature by) throws SQLException {
        return subscriptions.resume(name, by);
    }

    @Override
    String state() {
        return "resumed";
    }

    @Override
    String text(String name, boolean changed) {
        return changed ? "Resumed " + name + ": a relay takes it within about a second." : name + " is not paused.";
    }
}
