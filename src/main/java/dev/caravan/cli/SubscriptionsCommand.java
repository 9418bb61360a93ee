package dev.caravan.cli;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.Database;
import dev.caravan.engine.lane.Start;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.LaneChange;
import dev.caravan.operate.subscription.SubscriptionCreation;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code caravan subscriptions}: commands on subscriptions. */
@Command(
        name = "subscriptions",
        description = "List, create, pause, resume, replay or delete subscriptions, or change their number of lanes.",
        subcommands = {
            SubscriptionsCommand.List.class,
            SubscriptionsResumeCommand.class,
            SubscriptionsReplayCommand.class
        })
final class SubscriptionsCommand extends CommandGroup {
    private static final int MAX_LANES = 64;
    private static final long STEP_MILLIS = 300;

    /** The same as {@code caravan status}. */
    @Command(name = "list")
    static final class List extends StatusCommand {}

    SubscriptionsCommand() {
        super("list", "create", "pause", "resume", "replay", "lanes", "delete");
    }

    /** Parses the values of the option start of a route. */
    private static final class StartConverter implements ITypeConverter<Start> {
        @Override
        public Start convert(String text) {
            try {
                return Start.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    /** The JSON of a subscription that was created. */
    private record Created(String subscription, long position, int lanes, boolean paused) {}

    @Command(
            name = "create",
            sortOptions = false,
            description = {
                "Create a subscription before its route runs for the first time.",
                "Without this command, a subscription is created when a relay starts its route, at the option start of the route."
            })
    void create(
            @Parameters(paramLabel = "SUBSCRIPTION", description = "Name of the subscription.") String name,
            @Option(names = "--paused", description = "Deliver nothing until the subscription is resumed.")
                    boolean paused,
            @Option(
                            names = "--start",
                            paramLabel = "START",
                            defaultValue = "earliest",
                            converter = StartConverter.class,
                            description = "Where it starts, as in the route: earliest, latest, an id, or a time such as"
                                    + " 2026-01-31T00:00:00Z. Default: earliest.")
                    Start start,
            @Option(
                            names = "--lanes",
                            paramLabel = "NUMBER",
                            defaultValue = "1",
                            description = "Number of lanes, as in the route, 1 to 64. Default: 1.")
                    int lanes,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        options.requireUpTo(MAX_LANES, "--lanes", lanes, " Nothing was changed.");
        Actor by = actor.actor();
        long position =
                new SubscriptionCreation(options.database(), Clock.SYSTEM).create(name, lanes, start, paused, by);
        output.print(
                "Created " + name + (paused ? ", paused" : "") + ". It starts after id " + position
                        + (paused ? ". Resume it with: caravan subscriptions resume " + name : "."),
                new Created(name, position, lanes, paused));
    }

    /** The JSON of a subscription that was paused or resumed. */
    record Changed(String subscription, String state, boolean changed) {}

    @Command(
            name = "pause",
            sortOptions = false,
            description =
                    "Pause a subscription until it is resumed. The pause survives restarts. Its relay stops within about 3 s;"
                            + " messages wait in the outbox. Safe to repeat.")
    void pause(
            @Parameters(paramLabel = "SUBSCRIPTION", description = "Name of the subscription.") String name,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        Actor by = actor.actor();
        Subscriptions subscriptions = new Subscriptions(options.database());
        new SubscriptionNames(subscriptions).require(name);
        boolean changed = subscriptions.pause(name, by);
        output.print(
                changed
                        ? "Paused " + name
                                + ". Its relay stops within about 3 s. Resume with: caravan subscriptions resume "
                                + name
                        : name + " is already paused.",
                new Changed(name, "paused", changed));
    }

    /** The JSON of a number of lanes. */
    private record Lanes(String subscription, int lanes, int before, boolean changed) {}

    @Command(
            name = "lanes",
            sortOptions = false,
            description = {
                "Change the number of lanes of a subscription, so that more relays can share it. Relays finish the messages in flight and"
                        + " release the lanes; then all lanes are changed at once. No message is lost, repeated or out of order.",
                "Afterwards only relays whose route has the new number (option lanes) deliver its messages: change the route file on"
                        + " all relays right after this command. Until then its messages wait.",
                "If the command is interrupted or times out, nothing is changed, and the relays continue as before."
            })
    int lanes(
            @Parameters(index = "0", paramLabel = "SUBSCRIPTION", description = "Name of the subscription.")
                    String name,
            @Parameters(index = "1", paramLabel = "LANES", description = "New number of lanes, 1 to " + MAX_LANES + ".")
                    int lanes,
            @Option(
                            names = "--timeout",
                            paramLabel = "SECONDS",
                            defaultValue = "60",
                            description = "How long to wait for the relays, in seconds. Default: 60")
                    int timeout,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException, InterruptedException {
        options.requireUpTo(MAX_LANES, "LANES", lanes, " Nothing was changed.");
        options.requireUpTo(86_400, "--timeout", timeout, " Nothing was changed.");
        DataSource database = Database.forLongCommand(options.settings());
        new SubscriptionNames(new Subscriptions(database)).require(name);
        LaneChange change = new LaneChange(database, name, lanes, actor.actor());
        try (Interruption interruption = new Interruption()) {
            int before = change.lanes();
            LaneChange.Step last = advance(change, timeout, interruption, options);
            if (last.done()) {
                output.print(text(name, lanes, before), new Lanes(name, lanes, before, before != lanes));
                return 0;
            }
            change.cancel();
            options.report((interruption.mayContinue() ? "Timed out" : "Interrupted") + " while waiting for "
                    + last.waitsFor() + ". Nothing was changed. Relays continue with "
                    + Formatted.counted(before, "lane") + ".");
            return interruption.mayContinue() ? 1 : Interruption.EXIT;
        }
    }

    /** Advances until the change is done, the time is over or Ctrl-C is pressed. */
    private static LaneChange.Step advance(
            LaneChange change, int timeout, Interruption interruption, SettingsOptions options)
            throws SQLException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeout);
        String reported = "";
        LaneChange.Step step = change.advance();
        while (!step.done() && interruption.mayContinue() && System.nanoTime() - end < 0) {
            if (!step.waitsFor().equals(reported)) {
                reported = step.waitsFor();
                options.report("Waiting for " + reported);
            }
            TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
            step = change.advance();
        }
        return step;
    }

    private static String text(String name, int lanes, int before) {
        return before == lanes
                ? name + " already has " + Formatted.counted(lanes, "lane") + "."
                : name + " now has " + Formatted.counted(lanes, "lane") + " instead of " + before + ". Set lanes: "
                        + lanes + " in its route on all relays. Until then its messages wait.";
    }

    /** The JSON of a subscription that was deleted. */
    private record Deleted(String subscription, boolean deleted, long retries, long deadLetters) {}

    @Command(
            name = "delete",
            sortOptions = false,
            description = {
                "Remove a subscription with its progress, waiting messages and dead letters. Messages in the outbox are not removed.",
                "Refused while a route uses it: remove the route first. A later route of the same name starts a new subscription."
            })
    void delete(
            @Parameters(paramLabel = "SUBSCRIPTION", description = "Name of the subscription.") String name,
            @Option(
                            names = "--yes",
                            description = "Do not ask for confirmation when waiting messages or dead letters are lost.")
                    boolean yes,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException {
        Actor by = actor.actor();
        Subscriptions subscriptions = new Subscriptions(Database.forLongCommand(options.settings()));
        new SubscriptionNames(subscriptions).require(name);
        subscriptions.requireUnused(name);
        Subscriptions.Content content = subscriptions.content(name);
        String lost = Formatted.counted(content.retries(), "waiting message") + " and "
                + Formatted.counted(content.deadLetters(), "dead letter");
        if (options.confirmed(yes || content.isEmpty(), "Delete subscription " + name + " and lose " + lost)) {
            subscriptions.delete(name, content, by);
            output.print(
                    "Deleted subscription " + name + (content.isEmpty() ? "." : " with " + lost + "."),
                    new Deleted(name, true, content.retries(), content.deadLetters()));
        }
    }
}
