package dev.caravan.adopt.doctor;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A table of messages, and the meaning of its columns.
 *
 * @param quoted name with schema, as in a statement
 * @param parts oids of the table and its partitions
 * @param rows estimate of the server
 * @param readable whether the role may read its rows
 * @param columns the meaning of the columns
 * @param pending what is pending; empty when nothing shows it
 */
record MessageTable(
        long oid,
        String quoted,
        String schema,
        String name,
        String partitionKey,
        long[] parts,
        long partitions,
        long rows,
        long bytes,
        boolean readable,
        boolean ofCaravan,
        MessageColumns columns,
        Optional<PendingRows> pending) {

    boolean isPartitioned() {
        return partitionKey != null;
    }

    /** Whether it is large enough for a missing index to matter today. */
    boolean isLarge() {
        return rows >= 10_000;
    }

    /** The values of the parameters and placeholders in the statements of {@code sql/adopt}. */
    Map<String, Object> values() {
        Map<String, Object> values = new HashMap<>();
        values.put("oid", oid);
        values.put("table", quoted);
        values.put("parts", parts);
        values.put("partitioned", isPartitioned());
        values.put("rows", rows);
        values.put("of_caravan", ofCaravan);
        values.put("pending", pending.map(PendingRows::sql).orElse(null));
        values.put("poll_index", pollIndex());
        put(values, "id", columns.id());
        put(values, "order", columns.order());
        put(values, "created", columns.createdAt());
        put(values, "message_id", columns.messageId());
        values.put("id_type", columns.id().map(Column::type).orElse(null));
        values.put("sequence", columns.id().map(Column::sequence).orElse(0L));
        values.put(
                "shown_id",
                columns.id().filter(Column::isShown).map(Column::quoted).orElse(null));
        values.put("published", columns.published().map(Column::name).orElse(null));
        values.put(
                "latest_first",
                columns.order()
                        .map(order -> "order by " + order.quoted() + " desc")
                        .orElse(""));
        values.put("age", columns.createdAt().map(MessageTable::age).orElse("null::bigint"));
        values.put("payloads", texts(columns.payloads().stream().map(Column::quoted)));
        values.put(
                "times_without_zone",
                texts(columns.all().stream()
                        .filter(column -> column.type().equals("timestamp without time zone"))
                        .map(Column::name)));
        values.put(
                "times_without_default",
                texts(columns.createdAt().stream()
                        .filter(created -> created.defaultValue() == null && !created.generated())
                        .map(Column::name)));
        return values;
    }

    private static void put(Map<String, Object> values, String name, Optional<Column> column) {
        values.put(name, column.map(Column::quoted).orElse(null));
        values.put(name + "_name", column.map(Column::name).orElse(null));
    }

    private static String[] texts(Stream<String> all) {
        return all.toArray(String[]::new);
    }

    /** The statement that creates the index of a poll; empty if it is unknown what is pending, or the order. */
    String pollIndex() {
        if (pending.isEmpty() || columns.order().isEmpty()) {
            return "";
        }
        // A partitioned table allows no CONCURRENTLY.
        return "create index " + (isPartitioned() ? "" : "concurrently ") + "on " + quoted + " ("
                + columns.order().get().quoted() + ") where " + pending.get().sql() + ";";
    }

    /** Seconds since a time of the row. A time without zone is compared with the clock of the session's zone. */
    private static String age(Column time) {
        String now = time.type().equals("timestamp with time zone") ? "clock_timestamp()" : "localtimestamp";
        return "extract(epoch from " + now + " - " + time.quoted() + ")::bigint";
    }
}
