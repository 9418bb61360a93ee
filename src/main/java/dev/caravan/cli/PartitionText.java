package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.partition.Holder;
import dev.caravan.operate.partition.Partition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Formats partitions. */
final class PartitionText {
    private PartitionText() {}

    static String table(List<Partition> partitions) {
        Table table = new Table("PARTITION", "FROM>", "TO>", "ROWS>", "SIZE>", "OLDEST", "NEWEST", "STATE");
        for (Partition partition : partitions) {
            table.row(
                    partition.name(),
                    partition.ids().map(ids -> Long.toString(ids.lower())).orElse("-"),
                    partition.ids().map(ids -> Long.toString(ids.upper() - 1)).orElse("-"),
                    partition.rows().isPresent()
                            ? String.format(
                                    Locale.ROOT, "~%,d", partition.rows().getAsLong())
                            : "-",
                    Formatted.bytes(partition.bytes().orElse(0)),
                    time(partition.oldest()),
                    time(partition.newest()),
                    state(partition));
        }
        return table.toString();
    }

    private static String time(Optional<Instant> time) {
        return time.map(at -> at.truncatedTo(ChronoUnit.SECONDS).toString()).orElse("-");
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

    static String holders(Partition partition) {
        return partition.holders().isEmpty()
                ? "no subscription has read it"
                : partition.holders().stream().map(Holder::toString).collect(Collectors.joining(", "));
    }

    /** {@code 2 partitions (outbox_from_0, outbox_from_1000000; 1.2 GB)}. */
    static String summary(List<Partition> partitions) {
        return Formatted.counted(partitions.size(), "partition") + " ("
                + partitions.stream().map(Partition::name).collect(Collectors.joining(", "))
                + "; "
                + Formatted.bytes(partitions.stream()
                        .mapToLong(partition -> partition.bytes().orElse(0))
                        .sum()) + ")";
    }
}
