package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.Database;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.partition.Holder;
import dev.caravan.operate.partition.Partition;
import dev.caravan.operate.partition.PartitionReader;
import dev.caravan.operate.partition.Prune;
import dev.caravan.operate.partition.Pruning;
import dev.caravan.operate.partition.Retention;
import java.sql.SQLException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code caravan partitions}: commands on the partitions of the outbox. */
@Command(name = "partitions", description = "List the partitions of the outbox, or prune old ones.")
final class PartitionsCommand extends CommandGroup {
    private static final Table<Partition> TABLE = new Table<Partition>()
            .column("PARTITION", Partition::name)
            .column("FROM>", partition -> partition.ids().map(ids -> ids.lower()))
            .column("TO>", partition -> partition.ids().map(ids -> ids.upper() - 1))
            .column(
                    "ROWS>",
                    partition -> partition.rows().isPresent()
                            ? String.format(
                                    Locale.ROOT, "~%,d", partition.rows().getAsLong())
                            : "-")
            .column("SIZE>", partition -> Formatted.bytes(partition.bytes().orElse(0)))
            .column("OLDEST", partition -> partition.oldest().map(time -> time.truncatedTo(ChronoUnit.SECONDS)))
            .column("NEWEST", partition -> partition.newest().map(time -> time.truncatedTo(ChronoUnit.SECONDS)))
            .column("STATE", PartitionsCommand::state);

    PartitionsCommand() {
        super("list", "prune");
    }

    /** {@code held back: subscription email is paused}. */
    private static String state(Partition partition) {
        return switch (partition.state()) {
            case CURRENT -> "current";
            case AHEAD -> "ahead";
            case EMPTY -> "empty";
            case RETAINED -> "retained";
            case HELD_BACK -> "held back: " + holders(partition);
            case PRUNABLE -> "prunable";
        };
    }

    private static String holders(Partition partition) {
        return partition.holders().isEmpty()
                ? "no subscription has read it"
                : partition.holders().stream().map(Holder::toString).collect(Collectors.joining(", "));
    }

    /** {@code --older-than}: a retention that overrides the setting {@code caravan.retention}. */
    private static final class OlderThan {
        @Option(
                names = "--older-than",
                paramLabel = "AGE",
                converter = AgeConverter.class,
                description = "Minimum age, such as 12h, 7d or 30d. Default: the setting caravan.retention.")
        private Retention age;

        Retention or(Settings settings) {
            return age == null ? Retention.from(settings) : age;
        }
    }

    /** Parses an age. Refuses {@code off}, which has no meaning for the option. */
    private static final class AgeConverter implements ITypeConverter<Retention> {
        @Override
        public Retention convert(String text) {
            try {
                Retention retention = Retention.parse(text);
                if (retention.age().isPresent()) {
                    return retention;
                }
            } catch (IllegalArgumentException e) {
                // reported below
            }
            throw new TypeConversionException("'" + text + "' is not an age such as 12h, 7d or 30d");
        }
    }

    @Command(
            name = "list",
            sortOptions = false,
            description = {
                "List the partitions of the outbox in order of id, with size, age, and whether they can be pruned.",
                "ROWS is an estimate from statistics. outbox_default holds the rows that belong to no other partition."
            })
    void list(@Mixin OlderThan olderThan, @Mixin OutputOption output, @Mixin SettingsOptions options)
            throws SQLException {
        Settings settings = options.settings();
        List<Partition> all = new PartitionReader().all(Database.forCommand(settings), olderThan.or(settings));
        output.print(TABLE.text(all), all);
    }

    /** The JSON of a prune. */
    private record Pruned(List<Partition> prunable, List<String> pruned, Optional<String> postponed, boolean dryRun) {}

    @Command(
            name = "prune",
            sortOptions = false,
            description = {
                "Drop the partitions that every subscription has delivered and whose newest message is older than the retention.",
                "Relays prune regularly if their database role has the privilege. Pruned messages cannot be replayed. Inserts wait"
                        + " at most 0.1 s. Nothing is pruned while a long transaction uses the outbox."
            })
    int prune(
            @Mixin OlderThan olderThan,
            @Option(names = "--dry-run", description = "Only list the partitions that would be pruned.") boolean dryRun,
            @Option(names = "--yes", description = "Do not ask for confirmation.") boolean yes,
            @Mixin ActorOptions actor,
            @Mixin OutputOption output,
            @Mixin SettingsOptions options)
            throws SQLException, InterruptedException {
        Actor by = actor.actor();
        Settings settings = options.settings();
        Retention retention = olderThan.or(settings);
        if (retention.age().isEmpty()) {
            throw options.wrong("caravan.retention is off. Give the minimum age with --older-than.");
        }
        DataSource database = Database.forLongCommand(settings);
        List<Partition> all = new PartitionReader().all(database, retention);
        List<Partition> ready = in(all, Partition.State.PRUNABLE);
        in(all, Partition.State.HELD_BACK)
                .forEach(held -> options.report(held.name() + " is held back: " + holders(held) + "."));
        if (dryRun) {
            output.print(
                    ready.isEmpty() ? "Nothing to prune." : "Would prune " + summary(ready) + ". Nothing was changed.",
                    new Pruned(ready, List.of(), Optional.empty(), true));
            return 0;
        }
        try (Interruption interruption = new Interruption()) {
            String question = "Drop " + summary(ready) + " with all messages permanently";
            if (!ready.isEmpty() && !interruption.ask(() -> options.confirmed(yes, question))) {
                return 0;
            }
            Pruning.Round round = prune(new Prune(database, retention, ready), by, options, interruption);
            round.postponed().ifPresent(reason -> options.report("Could not prune everything now: " + reason + "."));
            output.print(
                    round.pruned().isEmpty() && round.postponed().isEmpty()
                            ? "Nothing to prune."
                            : "Pruned " + Formatted.counted(round.pruned().size(), "partition") + ".",
                    new Pruned(ready, round.pruned(), round.postponed(), false));
            return !interruption.mayContinue()
                    ? Interruption.EXIT
                    : round.postponed().isEmpty() ? 0 : 1;
        }
    }

    private static List<Partition> in(List<Partition> all, Partition.State state) {
        return all.stream().filter(partition -> partition.state() == state).toList();
    }

    /** {@code 2 partitions (outbox_from_0, outbox_from_1000000; 1.2 GB)}. */
    private static String summary(List<Partition> partitions) {
        return Formatted.counted(partitions.size(), "partition") + " ("
                + partitions.stream().map(Partition::name).collect(Collectors.joining(", "))
                + "; "
                + Formatted.bytes(partitions.stream()
                        .mapToLong(partition -> partition.bytes().orElse(0))
                        .sum()) + ")";
    }

    private static Pruning.Round prune(Prune prune, Actor by, SettingsOptions options, Interruption interruption)
            throws SQLException, InterruptedException {
        try {
            return prune.run(by, interruption::mayContinue, name -> options.report("Dropped " + name + "."));
        } catch (SQLException e) {
            options.report(
                    "Pruning has failed and is incomplete. A partition that is detached but not dropped is dropped by the next"
                            + " prune of a person or a relay. To see the others, run: caravan partitions list");
            throw e;
        }
    }
}
