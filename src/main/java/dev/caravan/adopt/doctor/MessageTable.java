package dev.caravan.adopt.doctor;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
        String persistence,
        String partitionKey,
        long[] parts,
        long partitions,
        long rows,
        long bytes,
        boolean readable,
        boolean rowSecurity,
        boolean rowSecurityApplies,
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

    /** The values of the placeholders in the statements of {@code sql/adopt}. */
    Map<String, String> placeholders() {
        Map<String, String> placeholders = new LinkedHashMap<>();
        placeholders.put("table", quoted);
        placeholders.put("latest", "10000");
        columns.order().ifPresent(order -> placeholders.put("order", order.quoted()));
        placeholders.put(
                "latest-first",
                columns.order()
                        .map(order -> "order by " + order.quoted() + " desc")
                        .orElse(""));
        placeholders.put(
                "shown-id",
                columns.id().filter(Column::isShown).map(Column::quoted).orElse("null"));
        placeholders.put("age", columns.createdAt().map(MessageTable::age).orElse("null::bigint"));
        pending.ifPresent(condition -> placeholders.put("pending", condition.sql()));
        return placeholders;
    }

    /** Seconds since a time of the row. A time without zone is compared with the clock of the session's zone. */
    private static String age(Column time) {
        String now = time.type().equals("timestamp with time zone") ? "clock_timestamp()" : "localtimestamp";
        return "extract(epoch from " + now + " - " + time.quoted() + ")::bigint";
    }

    List<String> payloads() {
        return columns.payloads().stream().map(Column::quoted).toList();
    }
}
