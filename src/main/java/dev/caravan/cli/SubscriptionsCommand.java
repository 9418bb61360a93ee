package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan subscriptions}: the readers of the outbox. */
@Command(
        name = "subscriptions",
        description = "List, pause, resume, replay, split or delete subscriptions.",
        subcommands = {
            SubscriptionsListCommand.class,
            SubscriptionsPauseCommand.class,
            SubscriptionsResumeCommand.class,
            SubscriptionsReplayCommand.class,
            SubscriptionsLanesCommand.class,
            SubscriptionsDeleteCommand.class
        })
final class SubscriptionsCommand extends CommandGroup {
    SubscriptionsCommand() {
        super("Say what to do with subscriptions: list, pause, resume, replay, lanes or delete.");
    }
}
