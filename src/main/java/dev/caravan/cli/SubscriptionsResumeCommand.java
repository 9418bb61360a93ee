package dev.caravan.cli;

import dev.caravan.database.BoundedCount;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.HaltedSubscription;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan subscriptions resume}: resumes a paused or halted subscription. */
@Command(
        name = "resume",
        sortOptions = false,
        description = {
            "Resume a paused subscription where it stopped. A relay continues within about a second. Safe to repeat.",
            "A halted subscription needs --after: the outbox was restored or truncated, and a person must decide which messages"
                    + " are still to be delivered; or --where-it-stopped, if its sequence was only altered."
        })
final class SubscriptionsResumeCommand implements Callable<Integer> {
    private static final String RESUMED = "resumed";

    @Parameters(paramLabel = "SUBSCRIPTION", description = "Name of the subscription.")
    private String name;

    @Mixin
    private ActorOptions actor;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Option(
            names = "--after",
            paramLabel = "ID",
            description =
                    "For a halted subscription: resume after this id. Messages with higher ids are delivered, even if they were"
                            + " delivered before; messages up to it are not. 0: all messages in the outbox.")
    private Long after;

    @Option(
            names = "--where-it-stopped",
            description =
                    "For a halted subscription: resume where it stopped. Only if no id was assigned again, for example after an"
                            + " ALTER SEQUENCE that did not restart it; otherwise messages are not delivered.")
    private boolean whereItStopped;

    @Option(names = "--yes", description = "With --after: do not ask for confirmation.")
    private boolean yes;

    @Override
    public Integer call() throws SQLException {
        Actor by = actor.actor();
        Subscriptions subscriptions = new Subscriptions(options.database());
        new SubscriptionNames(subscriptions).require(name);
        if (after != null && whereItStopped) {
            throw options.wrong("--after and --where-it-stopped exclude each other");
        }
        HaltedSubscription halted = new HaltedSubscription(options.database(), name);
        if (after != null) {
            resumeAfter(halted, by);
        } else if (whereItStopped) {
            halted.resumeWhereItStopped(by);
            print(true);
        } else {
            print(subscriptions.resume(name, by));
        }
        return 0;
    }

    private void print(boolean changed) {
        output.print(
                changed ? "Resumed " + name + ". A relay continues within about a second." : name + " is not paused.",
                new SubscriptionsCommand.Changed(name, RESUMED, changed));
    }

    /** The JSON of a halted subscription that was resumed. */
    private record ResumedAfter(
            String subscription,
            String state,
            boolean changed,
            long after,
            BoundedCount following,
            BoundedCount passed) {}

    private void resumeAfter(HaltedSubscription halted, Actor by) throws SQLException {
        HaltedSubscription.Outlook outlook = halted.outlook(after);
        String messages = outlook.following().counted("message");
        String following = messages + (messages.equals("1 message") ? " with a higher id" : " with higher ids");
        String passed = outlook.passed().counted("message");
        if (options.confirmed(
                yes,
                "Resume " + name + " after id " + after + ": deliver " + following
                        + ", even if delivered before, and skip " + passed
                        + " up to it, even if not delivered before")) {
            halted.resume(after, by);
            output.print(
                    "Resumed " + name + " after id " + after + ". It delivers " + following
                            + ", even if delivered before, and skips " + passed
                            + " up to it. A relay continues within about a second.",
                    new ResumedAfter(name, RESUMED, true, after, outlook.following(), outlook.passed()));
        }
    }
}
