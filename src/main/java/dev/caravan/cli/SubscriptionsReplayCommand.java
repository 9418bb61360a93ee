package dev.caravan.cli;

import dev.caravan.base.message.Key;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.PointInTime;
import dev.caravan.base.text.TimeRange;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.replay.Replay;
import dev.caravan.operate.replay.ReplayFilter;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code caravan subscriptions replay}: delivers messages again. */
@Command(
        name = "replay",
        sortOptions = false,
        description = {
            "Deliver messages again, in order per key. New messages are delivered meanwhile. Only messages at or below"
                    + " the position at the start are replayed; messages that are in flight, waiting, dead, discarded or"
                    + " pruned are not.",
            "Messages are sent as they are in the outbox: without the changes of a retry with --edit, and including"
                    + " those that the subscription has never delivered, such as those from before its start. Both are"
                    + " counted first.",
            "A route with an idempotentConsumer, such as the shipped SMS and email routes, skips messages that it has"
                    + " delivered. --forget removes their message ids from outbox_idempotent in the same transaction, so"
                    + " that they are sent again."
        })
final class SubscriptionsReplayCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SUBSCRIPTION", description = "Name of the subscription.")
    private String name;

    @Option(names = "--all", description = "All messages that are still in the outbox; not with filters.")
    private boolean all;

    @Option(names = "--from-id", paramLabel = "ID", description = "Only messages with this id or a higher one.")
    private Long fromId;

    @Option(names = "--to-id", paramLabel = "ID", description = "Only messages with this id or a lower one.")
    private Long toId;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Only messages created at or after this time: " + PointInTime.FORMS)
    private Instant since;

    @Option(names = "--until", paramLabel = "TIME", description = "Only messages created before this time.")
    private Instant until;

    @Option(
            names = "--type",
            paramLabel = "PATTERN",
            description = "Only messages of these types: patterns with *, separated by commas, for example 'order.*'")
    private String types;

    @Option(names = "--key", paramLabel = "TYPE/ID", description = "Only messages of this key, for example order/77")
    private Key key;

    @Option(
            names = "--forget",
            description =
                    "Remove the message ids from outbox_idempotent, so that an idempotentConsumer does not skip them.")
    private boolean forget;

    @Mixin
    private BulkOptions bulk;

    @Mixin
    private ActorOptions actor;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws Exception {
        requireFilterOrAll();
        Actor by = actor.actor();
        bulk.rate();
        DataSource database = options.database();
        new SubscriptionNames(new Subscriptions(database)).require(name);
        Replay replay = Replay.of(database, name, filter(), forget);
        try (Interruption interruption = new Interruption()) {
            return countAndRun(database, replay, by, interruption);
        }
    }

    private void requireFilterOrAll() {
        boolean filters = Stream.of(fromId, toId, since, until, types, key).anyMatch(Objects::nonNull);
        if (!filters && !all) {
            throw options.wrong(
                    "Nothing is selected. Use --all, or filters such as --from-id, --since, --type or --key.");
        }
        if (filters && all) {
            throw options.wrong("Use --all or filters, not both.");
        }
    }

    private ReplayFilter filter() {
        TimeRange times = MessageFilterOptions.timeRange(since, until, options);
        ReplayFilter filter = new ReplayFilter(
                Optional.ofNullable(fromId),
                Optional.ofNullable(toId),
                times.since(),
                times.until(),
                Optional.ofNullable(types),
                Optional.ofNullable(key));
        if (filter.isEmptyRange()) {
            throw options.wrong("--from-id must not be higher than --to-id.");
        }
        return filter;
    }

    private int countAndRun(DataSource database, Replay replay, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        long count = replay.count(database, interruption::mayContinue);
        if (!interruption.mayContinue()) {
            options.report("Interrupted while counting: nothing was changed.");
            return Interruption.EXIT;
        }
        if (count == 0 || bulk.dryRun()) {
            output.print(
                    count == 0
                            ? "No message for " + name + " matches. Nothing was changed."
                            : "Would replay " + Formatted.counted(count, "message") + " to " + name + ". "
                                    + notes(replay) + "Nothing was changed.",
                    result(count, replay, 0, 0));
            return 0;
        }
        if (!interruption.ask(() -> bulk.confirmed(
                notes(replay) + "Deliver " + Formatted.counted(count, "message") + " to " + name + " again"))) {
            return 0;
        }
        return run(database, replay, count, by, interruption);
    }

    private String notes(Replay replay) {
        return (replay.neverDelivered() == 0
                        ? ""
                        : name + " delivers at least " + Formatted.counted(replay.neverDelivered(), "message")
                                + " for the first time, such as messages from before its start. ")
                + (replay.edited() == 0
                        ? ""
                        : "Of " + Formatted.counted(replay.edited(), "edited message")
                                + " the original content is sent, without the changes. ");
    }

    private int run(DataSource database, Replay replay, long count, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        ProgressLine progress = options.progress();
        Jobs jobs = new Jobs(database);
        Jobs.Task task = new Jobs.Task("replay", Optional.of(name), replay.details());
        FollowedJob job = new FollowedJob(
                jobs, jobs.startOrContinue(task, bulk.rate(), Optional.empty(), OptionalLong.of(count), by), by);
        boolean finished;
        try {
            finished = job.follow(interruption, progress::at);
        } catch (SQLException e) {
            options.report("Failed after " + Formatted.counted(job.job().done(), "message") + "." + job.continuation()
                    + " To see the last message, run: caravan audit list");
            throw e;
        } finally {
            progress.end();
        }
        String next = finished ? next(database) : "The others are not replayed.";
        output.print(
                (finished ? "Replaying " : "Interrupted: replaying ")
                        + Formatted.counted(job.job().done(), "message") + " to " + name + ". " + next,
                result(count, replay, job.job().done(), job.job().forgotten()));
        return finished ? 0 : Interruption.EXIT;
    }

    /** Who delivers the messages now, or what a person has to do first. */
    private String next(DataSource database) throws SQLException {
        return SubscriptionStatus.all(database).stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .map(this::next)
                .orElse("The subscription was deleted meanwhile.");
    }

    private String next(SubscriptionStatus status) {
        if (status.halt().isPresent()) {
            return "A relay has halted the subscription: they are delivered after ./caravan subscriptions resume "
                    + name + " --after ID";
        }
        if (status.paused()) {
            return "The subscription is paused: they are delivered after ./caravan subscriptions resume " + name;
        }
        boolean owned = status.lanes().stream()
                .allMatch(lane ->
                        lane.leaseLeft().filter(left -> !left.isNegative()).isPresent());
        return owned
                ? "A relay delivers them now."
                : "No relay works "
                        + (status.lanes().size() == 1 ? "the subscription" : "all lanes of the subscription")
                        + ": they are delivered when one is started with its route (./caravan run).";
    }

    /** The result as JSON. */
    private record Result(
            String subscription,
            long matched,
            long neverDeliveredAtLeast,
            long edited,
            long replayed,
            long forgotten,
            boolean dryRun) {}

    private Result result(long matched, Replay replay, long replayed, long forgotten) {
        return new Result(name, matched, replay.neverDelivered(), replay.edited(), replayed, forgotten, bulk.dryRun());
    }
}
