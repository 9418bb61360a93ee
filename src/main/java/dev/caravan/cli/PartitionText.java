package dev.caravan.cli;

import dev.caravan.schema.Holder;
import dev.caravan.schema.Partition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Partitions as people and programs read them. */
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
                    Humane.bytes(partition.bytes()),
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
            case KEPT -> "kept (retention)";
            case HELD_BACK -> "held back: " + holders(partition);
            case READY -> "ready to prune";
        };
    }

    static String holders(Partition partition) {
        return partition.holders().isEmpty()
                ? "no subscription has read it"
                : partition.holders().stream().map(Holder::toString).collect(Collectors.joining(", "));
    }

    /** {@code 2 partitions (outbox_from_0, outbox_from_1000000; 1.2 GB)}. */
    static String summary(List<Partition> partitions) {
        return Humane.counted(partitions.size(), "partition") + " ("
                + partitions.stream().map(Partition::name).collect(Collectors.joining(", "))
                + "; "
                + Humane.bytes(partitions.stream().mapToLong(Partition::bytes).sum()) + ")";
    }

    static Map<String, Object> fields(Partition partition) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("partition", partition.name());
        fields.put("fromId", partition.ids().map(Partition.Ids::lower).orElse(null));
        fields.put("toId", partition.ids().map(ids -> ids.upper() - 1).orElse(null));
        fields.put(
                "rowsEstimate", partition.rows().isPresent() ? partition.rows().getAsLong() : null);
        fields.put("bytes", partition.bytes());
        fields.put("oldest", partition.oldest().map(Instant::toString).orElse(null));
        fields.put("newest", partition.newest().map(Instant::toString).orElse(null));
        fields.put("state", word(partition.state()));
        fields.put(
                "heldBackBy",
                partition.state() == Partition.State.HELD_BACK
                        ? partition.holders().stream()
                                .map(holder ->
                                        Map.of("subscription", holder.subscription(), "reason", word(holder.reason())))
                                .toList()
                        : List.of());
        return fields;
    }

    /** {@code held-back}. */
    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
