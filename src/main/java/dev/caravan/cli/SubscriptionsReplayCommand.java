package dev.caravan.cli;

import dev.caravan.audit.Actor;
import dev.caravan.delivery.Key;
import dev.caravan.replay.Replay;
import dev.caravan.replay.ReplayFilter;
import dev.caravan.selection.ChangePace;
import dev.caravan.subscription.Subscriptions;
import dev.caravan.text.Formatted;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code caravan subscriptions replay}: delivers messages again. */
@Command(
        name = "replay",
        sortOptions = false,
        description = {
            "Deliver messages again that a subscription has delivered, in order per key. New messages are delivered meanwhile."
                    + " Only messages at or below the position at the start are replayed; messages that are in flight, waiting, dead or"
                    + " pruned are not.",
            "A route with an idempotentConsumer, such as the shipped SMS and email routes, skips messages that it has delivered."
                    + " --forget removes their message ids from outbox_idempotent in the same transaction, so that they are sent again."
        })
final class SubscriptionsReplayCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

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
            converter = TimeConverter.class,
            description = "Only messages created at or after this time: " + TimeConverter.FORMS)
    private Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "Only messages created before this time.")
    private Instant until;

    @Option(
            names = "--type",
            paramLabel = "PATTERN",
            description = "Only messages of these types: patterns with *, separated by commas, for example 'order.*'")
    private String types;

    @Option(
            names = "--key",
            paramLabel = "TYPE/ID",
            converter = KeyConverter.class,
            description = "Only messages of this key, for example order/77")
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
        ChangePace pace = bulk.pace();
        DataSource database = options.database();
        new SubscriptionNames(new Subscriptions(database)).require(name);
        Replay replay = Replay.of(database, name, filter(), forget);
        try (Interruption interruption = new Interruption()) {
            return countAndRun(replay, pace, by, interruption);
        }
    }

    private void requireFilterOrAll() {
        boolean filters = Stream.of(fromId, toId, since, until, types, key).anyMatch(Objects::nonNull);
        if (!filters && !all) {
            throw usageError("Nothing is selected. Use --all, or filters such as --from-id, --since, --type or --key.");
        }
        if (filters && all) {
            throw usageError("Use --all or filters, not both.");
        }
    }

    private ReplayFilter filter() {
        return new ReplayFilter(
                Optional.ofNullable(fromId),
                Optional.ofNullable(toId),
                Optional.ofNullable(since),
                Optional.ofNullable(until),
                Optional.ofNullable(types),
                Optional.ofNullable(key));
    }

    private int countAndRun(Replay replay, ChangePace pace, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        long count = replay.count(interruption::mayContinue);
        if (!interruption.mayContinue()) {
            report("Interrupted while counting: nothing was changed.");
            return Interruption.EXIT;
        }
        if (count == 0 || bulk.dryRun()) {
            output.print(
                    () -> count == 0
                            ? "No delivered message of " + name + " matches. Nothing was changed."
                            : "Would replay " + Formatted.counted(count, "message") + " to " + name
                                    + ". Nothing was changed.",
                    () -> fields(count, replay));
            return 0;
        }
        if (!interruption.ask(
                () -> bulk.confirmed("Deliver " + Formatted.counted(count, "message") + " to " + name + " again"))) {
            report("Nothing was changed.");
            return 0;
        }
        return run(replay, count, pace, by, interruption);
    }

    private int run(Replay replay, long count, ChangePace pace, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        ProgressLine progress = new ProgressLine(err(), Boolean.getBoolean("caravan.terminal"));
        boolean finished;
        try {
            finished = replay.run(pace, by, interruption::mayContinue, progress::at);
        } catch (SQLException e) {
            report("Failed after " + Formatted.counted(replay.messages(), "message")
                    + ". To see the last message, run: caravan audit list");
            throw e;
        } finally {
            progress.end();
        }
        output.print(
                () -> (finished ? "Replaying " : "Interrupted: replaying ")
                        + Formatted.counted(replay.messages(), "message") + " to " + name
                        + (finished ? ". A relay delivers them now." : ". The others are not replayed."),
                () -> fields(count, replay));
        return finished ? 0 : Interruption.EXIT;
    }

    private Map<String, Object> fields(long matched, Replay replay) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", name);
        fields.put("matched", matched);
        fields.put("replayed", replay.messages());
        fields.put("forgotten", replay.forgotten());
        fields.put("dryRun", bulk.dryRun());
        return fields;
    }

    private void report(String text) {
        err().println(text);
        err().flush();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    private ParameterException usageError(String text) {
        return new ParameterException(spec.commandLine(), text);
    }
}
