package dev.caravan.cli;

import dev.caravan.audit.Actor;
import dev.caravan.subscription.Subscriptions;
import java.sql.SQLException;
import picocli.CommandLine.Command;

/** {@code caravan subscriptions pause}: stop a subscription until it is resumed. */
@Command(
        name = "pause",
        sortOptions = false,
        description = "Stop a subscription until it is resumed, also across restarts. Its relay stops within about 3 s;"
                + " messages wait in the outbox. Safe to repeat.")
final class SubscriptionsPauseCommand extends PausedCommand {
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
                ? "Paused " + name + ": its relay stops within about 3 s. Go on with: caravan subscriptions resume "
                        + name
                : name + " is paused already.";
    }
}
