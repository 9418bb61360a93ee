package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan subscriptions}: commands on subscriptions. */
@Command(
        name = "subscriptions",
        description = "List, create, pause, resume, replay or delete subscriptions, or change their number of lanes.",
        subcommands = {
            SubscriptionsListCommand.class,
            SubscriptionsCreateCommand.class,
            SubscriptionsPauseCommand.class,
            SubscriptionsResumeCommand.class,
            SubscriptionsReplayCommand.class,
            SubscriptionsLanesCommand.class,
            SubscriptionsDeleteCommand.class
        })
final class SubscriptionsCommand extends CommandGroup {
    SubscriptionsCommand() {
        super("Missing subcommand: list, create, pause, resume, replay, lanes or delete.");
    }
}
