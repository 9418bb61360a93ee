package dev.caravan.cli;

import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import picocli.CommandLine.Command;

/** {@code caravan subscriptions pause}: stops a subscription until it is resumed. */
@Command(
        name = "pause",
        sortOptions = false,
        description =
                "Pause a subscription until it is resumed. The pause survives restarts. Its relay stops within about 3 s;"
                        + " messages wait in the outbox. Safe to repeat.")
final class SubscriptionsPauseCommand extends PauseOrResumeCommand {
    @Override
    boolean change(Subscriptions subscriptions, String name, Actor by) throws SQLException {
        return subscriptions.pause(name, by);
    }

    @Override
    String state() {
        return "paused";
    }

    @Override
    String text(String name, boolean changed) {
        return changed
                ? "Paused " + name + ". Its relay stops within about 3 s. Resume with: caravan subscriptions resume "
                        + name
                : name + " is already paused.";
    }
}
