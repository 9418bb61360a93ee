package dev.caravan.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
final class SubscriptionsCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Say what to do with subscriptions: list, pause, resume, replay, lanes or delete.");
    }
}
