package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.Database;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.Fields;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.partition.PartitionReader;
import dev.caravan.operate.partition.Prune;
import dev.caravan.operate.partition.Pruning;
import dev.caravan.operate.partition.Retention;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code caravan partitions prune}: prunes now, as a relay does regularly. */
@Command(
        name = "prune",
        sortOptions = false,
        description = {
            "Drop the partitions that every subscription has delivered and whose newest message is older than the retention.",
            "Relays prune regularly if their database role has the privilege. Pruned messages cannot be replayed. Inserts wait"
                    + " at most 0.1 s. Nothing is pruned while a long transaction uses the outbox."
        })
final class PartitionsPruneCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private RetentionOption olderThan;

    @Option(names = "--dry-run", description = "Only list the partitions that would be pruned.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Mixin
    private ActorOptions actor;

    @Mixin
    private OutputOption output;

    @Mixin
    private SettingsOptions options;

    @Override
    public Integer call() throws SQLException, InterruptedException {
        Actor by = actor.actor();
        Settings settings = options.settings();
        Retention retention = retention(settings);
        DataSource database = Database.forLongCommand(settings);
        List<Partition> all = new PartitionReader().all(database, retention);
        List<Partition> ready = in(all, Partition.State.PRUNABLE);
        in(all, Partition.State.HELD_BACK)
                .forEach(held -> report(held.name() + " is held back: " + PartitionText.holders(held) + "."));
        if (dryRun) {
            output.print(() -> wouldPrune(ready), () -> fields(ready, List.of(), Optional.empty()));
            return 0;
        }
        try (Interruption interruption = new Interruption()) {
            if (!ready.isEmpty() && !interruption.ask(() -> confirmed(ready))) {
                report("Nothing was changed.");
                return 0;
            }
            return prune(new Prune(database, retention, ready), by, ready, interruption);
        }
    }

    private Retention retention(Settings settings) {
        Retention retention = olderThan.in(settings);
        if (retention.age().isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "caravan.retention is off. Give the minimum age with --older-than.");
        }
        return retention;
    }

    private boolean confirmed(List<Partition> ready) {
        return yes
                || Confirmation.onConsole(spec.commandLine())
                        .confirmed("Drop " + PartitionText.summary(ready) + " with all messages permanently");
    }

    private int prune(Prune prune, Actor by, List<Partition> ready, Interruption interruption)
            throws SQLException, InterruptedException {
        Pruning.Round round;
        try {
            round = prune.run(by, interruption::mayContinue, name -> report("Dropped " + name + "."));
        } catch (SQLException e) {
            report(
                    "Pruning has failed and is incomplete. A partition that is detached but not dropped is dropped by the next"
                            + " prune of a person or a relay. To see the others, run: caravan partitions list");
            throw e;
        }
        round.postponed().ifPresent(reason -> report("Could not prune everything now: " + reason + "."));
        output.print(() -> pruned(round), () -> fields(ready, round.pruned(), round.postponed()));
        if (!interruption.mayContinue()) {
            return Interruption.EXIT;
        }
        return round.postponed().isEmpty() ? 0 : 1;
    }

    private static String wouldPrune(List<Partition> ready) {
        return ready.isEmpty()
                ? "Nothing to prune."
                : "Would prune " + PartitionText.summary(ready) + ". Nothing was changed.";
    }

    private static String pruned(Pruning.Round round) {
        return round.pruned().isEmpty() && round.postponed().isEmpty()
                ? "Nothing to prune."
                : "Pruned " + Formatted.counted(round.pruned().size(), "partition") + ".";
    }

    private Map<String, Object> fields(List<Partition> ready, List<String> pruned, Optional<String> postponed) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("prunable", ready.stream().map(Fields::of).toList());
        fields.put("pruned", pruned);
        fields.put("postponed", postponed.orElse(null));
        fields.put("dryRun", dryRun);
        return fields;
    }

    private static List<Partition> in(List<Partition> all, Partition.State state) {
        return all.stream().filter(partition -> partition.state() == state).toList();
    }

    private void report(String text) {
        spec.commandLine().getErr().println(text);
        spec.commandLine().getErr().flush();
    }
}
