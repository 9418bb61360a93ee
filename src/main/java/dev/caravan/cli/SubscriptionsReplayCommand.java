package dev.caravan.cli;

import dev.caravan.audit.Actor;
import dev.caravan.database.Database;
import dev.caravan.delivery.Key;
import dev.caravan.replay.Replay;
import dev.caravan.replay.ReplayFilter;
import dev.caravan.selection.ChangePace;
import dev.caravan.subscription.Subscriptions;
import dev.caravan.text.Humane;
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

/** {@code caravan subscriptions replay}: deliver again what was delivered. */
@Command(
        name = "replay",
        sortOptions = false,
        description = {
            "Deliver again what a subscription has delivered, in order per key, while new messages go on as usual."
                    + " Only messages at or below its position at the start; what is in flight, waiting for a retry or dead is"
                    + " left out, and so is what was pruned.",
            "A route with an idempotentConsumer, such as the shipped SMS and email routes, remembers what it has delivered and"
                    + " skips it: --forget removes the message ids from outbox_idempotent together with the copy, so that they"
                    + " are really sent again."
        })
final class SubscriptionsReplayCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SUBSCRIPTION", description = "Its name.")
    private String name;

    @Option(names = "--all", description = "All that is still in the outbox (instead of filters).")
    private boolean all;

    @Option(names = "--from-id", paramLabel = "ID", description = "From this id of the outbox.")
    private Long fromId;

    @Option(names = "--to-id", paramLabel = "ID", description = "Up to this id.")
    private Long toId;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = MomentConverter.class,
            description = "Written to the outbox at or after this: " + MomentConverter.FORMS)
    private Instant since;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            converter = MomentConverter.class,
            description = "Written to the outbox before this.")
    private Instant until;

    @Option(
            names = "--type",
            paramLabel = "PATTERN",
            description = "Of these types: * stands for anything, commas separate, for example 'order.*'")
    private String types;

    @Option(
            names = "--key",
            paramLabel = "TYPE/ID",
            converter = KeyConverter.class,
            description = "Of this key, for example order/77")
    private Key key;

    @Option(names = "--forget", description = "Let an idempotentConsumer of the route pass them again.")
    private boolean forget;

    @Mixin
    private CarefulOptions careful;

    @Mixin
    private SignatureOptions signature;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws Exception {
        requireFilterOrAll();
        Actor by = signature.signature();
        ChangePace pace = careful.pace();
        DataSource database = Database.forCommand(options.settings());
        new SubscriptionNames(new Subscriptions(database)).require(name);
        Replay replay = Replay.of(database, name, filter(), forget);
        try (Interruption interruption = new Interruption()) {
            return countAndRun(replay, pace, by, interruption);
        }
    }

    private void requireFilterOrAll() {
        boolean filters = Stream.of(fromId, toId, since, until, types, key).anyMatch(Objects::nonNull);
        if (!filters && !all) {
            throw wrongUse("Say what to replay: --from-id, --since, --type, --key …, or --all.");
        }
        if (filters && all) {
            throw wrongUse("--all means without filters; leave one of them out.");
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
        long count = replay.count(interruption::goOn);
        if (!interruption.goOn()) {
            tell("Interrupted while counting: nothing was changed.");
            return Interruption.EXIT;
        }
        if (count == 0 || careful.dryRun()) {
            output.print(
                    () -> count == 0
                            ? "Nothing to replay: no delivered message of " + name + " matches. Nothing was changed."
                            : "Would replay " + Humane.counted(count, "message") + " to " + name
                                    + ". Nothing was changed.",
                    () -> fields(count, replay));
            return 0;
        }
        if (!interruption.ask(
                () -> careful.agreed("Deliver " + Humane.counted(count, "message") + " to " + name + " again"))) {
            tell("Nothing was changed.");
            return 0;
        }
        return run(replay, count, pace, by, interruption);
    }

    private int run(Replay replay, long count, ChangePace pace, Actor by, Interruption interruption)
            throws SQLException, InterruptedException {
        PublishProgress progress = new PublishProgress(err(), Boolean.getBoolean("caravan.terminal"));
        boolean whole;
        try {
            whole = replay.run(pace, by, interruption::goOn, progress::at);
        } catch (SQLException e) {
            tell("Failed after " + Humane.counted(replay.messages(), "message")
                    + "; the audit says how far it came (caravan audit list).");
            throw e;
        } finally {
            progress.end();
        }
        output.print(
                () -> (whole ? "Replaying " : "Interrupted: replaying ")
                        + Humane.counted(replay.messages(), "message") + " to " + name
                        + (whole ? "; a relay delivers them now." : ", the rest was not touched."),
                () -> fields(count, replay));
        return whole ? 0 : Interruption.EXIT;
    }

    private Map<String, Object> fields(long matched, Replay replay) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("subscription", name);
        fields.put("matched", matched);
        fields.put("replayed", replay.messages());
        fields.put("forgotten", replay.forgotten());
        fields.put("dryRun", careful.dryRun());
        return fields;
    }

    private void tell(String text) {
        err().println(text);
        err().flush();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    private ParameterException wrongUse(String text) {
        return new ParameterException(spec.commandLine(), text);
    }
}
