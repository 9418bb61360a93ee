package dev.caravan.adopt.capture;

import dev.caravan.adopt.capture.CapturedEvent.Operation;
import dev.caravan.base.text.SqlText;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The statements that insert rows of a captured table into the outbox. Triggers and backfills use the same ones. */
final class MessageSql {
    /** Casts by column: in a union, Postgres takes a null without a type as text. */
    private static final Map<String, String> TYPES =
            Map.of("headers", "::jsonb", "payload", "::json", "payload_bytes", "::bytea");

    /** Two sessions with other settings would write different keys for the same row, and its messages would be out of order. */
    private static final List<String> SETTINGS = List.of(
            "DateStyle = 'ISO, MDY'",
            "TimeZone = 'UTC'",
            "IntervalStyle = 'postgres'",
            "bytea_output = 'hex'",
            "extra_float_digits = 1",
            "lc_monetary = 'C'");

    private final Capture capture;
    private final CapturedTable table;

    MessageSql(Capture capture, CapturedTable table) {
        this.capture = capture;
        this.table = table;
    }

    /** The settings with which the statements must run, as {@code name = value}; empty if the text of each key is always the same. */
    List<String> settings() {
        boolean ofSession = table.key(capture).stream()
                .map(table.columns()::get)
                .anyMatch(column -> column != null && column.ofSession());
        return ofSession ? SETTINGS : List.of();
    }

    /** Sets the {@link #settings} for the transaction. */
    void set(Connection connection) throws SQLException {
        for (String setting : settings()) {
            Sql.execute(connection, "set local " + setting);
        }
    }

    /** Inserts the message of the row for which a trigger was called. */
    String ofTrigger(CapturedEvent event) {
        return into() + "values (\n    " + String.join(",\n    ", values(event)) + ")";
    }

    /**
     * Inserts a message for each of some rows.
     *
     * @param event gives type, payload and headers, and its condition {@code when} selects the rows
     * @param rows the item of the FROM clause, with {@code new} as the alias and without a condition: {@code shop.bookings as new}
     * @param conditions further conditions on the rows, with {@code new.} before each column
     */
    String ofRows(CapturedEvent event, String rows, String... conditions) {
        List<String> all = new ArrayList<>(List.of(conditions));
        event.when().ifPresent(when -> all.add(when.text()));
        String where = all.stream().map(condition -> "(" + condition + ")").collect(Collectors.joining("\n  and "));
        return into() + "select\n    " + String.join(",\n    ", values(event)) + "\nfrom " + rows
                + (where.isEmpty() ? "" : "\nwhere " + where);
    }

    /**
     * Inserts the messages of some rows. The ids of the messages of one row follow each other.
     *
     * @param condition on the rows, with {@code new.} before each column
     * @param order the columns to sort the rows by
     */
    String inOrder(String condition, List<String> order) {
        String rows = capture.events().stream()
                .map(event -> "    " + ordered(event, condition, order).replace("\n", "\n    "))
                .collect(Collectors.joining("\n    union all\n"));
        String places = IntStream.range(0, order.size())
                .mapToObj(i -> "order_" + i + ", ")
                .collect(Collectors.joining());
        return into() + "select " + String.join(", ", columns()) + "\nfrom (\n" + rows + "\n) as message\norder by "
                + places + "event";
    }

    private String ordered(CapturedEvent event, String condition, List<String> order) {
        List<String> selected = new ArrayList<>();
        for (int i = 0; i < order.size(); i++) {
            selected.add(column("new", order.get(i)) + " as order_" + i);
        }
        selected.add(event.number() + " as event");
        List<String> values = values(event);
        for (int i = 0; i < values.size(); i++) {
            String name = columns().get(i);
            selected.add(values.get(i) + TYPES.getOrDefault(name, "") + " as " + name);
        }
        return "select " + String.join(",\n       ", selected) + "\nfrom " + table.name() + " as new\nwhere "
                + condition
                + event.when().map(when -> "\n  and (" + when.text() + ")").orElse("");
    }

    /** The aggregate id of a row: the values of the key columns, joined by a slash. */
    String aggregateId(String row) {
        return table.key(capture).stream()
                .map(column -> column(row, column) + "::text")
                .collect(Collectors.joining(" || '/' || "));
    }

    static String column(String row, String name) {
        return row + "." + SqlText.identifier(name);
    }

    private String into() {
        return "insert into " + table.schema() + ".outbox (" + String.join(", ", columns()) + ")\n";
    }

    private List<String> columns() {
        List<String> columns = new ArrayList<>(List.of("aggregate_type", "aggregate_id", "type", "headers", "payload"));
        if (writesBytes()) {
            columns.add("payload_bytes");
        }
        capture.messageId().ifPresent(column -> columns.add(0, "message_id"));
        return columns;
    }

    private List<String> values(CapturedEvent event) {
        boolean truncate = event.on() == Operation.TRUNCATE;
        String row = event.row();
        List<String> values = new ArrayList<>();
        capture.messageId().ifPresent(column -> values.add(column(row, column.text())));
        values.add(SqlText.literal(capture.aggregateType()));
        values.add(truncate ? SqlText.literal(table.name()) : aggregateId(row));
        values.add(type(event));
        values.add(truncate ? "null" : headers(event));
        values.add(truncate || isBytes(event) ? "null" : payload(event));
        if (writesBytes()) {
            values.add(isBytes(event) ? payloadColumn(event) : "null");
        }
        return values;
    }

    private boolean writesBytes() {
        return isBytes(capture.snapshot()) || capture.events().stream().anyMatch(this::isBytes);
    }

    /** Whether the payload is the value of a column of bytes, which is written as it is. */
    private boolean isBytes(CapturedEvent event) {
        CapturedTable.Column column = event.payload() == CapturedEvent.Payload.VALUE
                ? table.columns().get(event.payloadColumns().get(0).text())
                : null;
        return column != null && column.type().equals("bytea");
    }

    private static String payloadColumn(CapturedEvent event) {
        return column(event.row(), event.payloadColumns().get(0).text());
    }

    private static String type(CapturedEvent event) {
        List<String> parts = event.typeParts();
        List<String> joined = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            if (i % 2 == 1) {
                joined.add("coalesce(" + column(event.row(), parts.get(i)) + "::text, 'null')");
            } else if (!parts.get(i).isEmpty()) {
                joined.add(SqlText.literal(parts.get(i)));
            }
        }
        return String.join(" || ", joined);
    }

    private static String headers(CapturedEvent event) {
        return event.headers().isEmpty()
                ? "null"
                : event.headers().entrySet().stream()
                        .map(header -> SqlText.literal(header.getKey()) + ", "
                                + column(event.row(), header.getValue().text()))
                        .collect(Collectors.joining(", ", "jsonb_build_object(", ")"));
    }

    private static String payload(CapturedEvent event) {
        return switch (event.payload()) {
            case ROW -> "row_to_json(" + event.row() + ")";
            case COLUMNS ->
                event.payloadColumns().stream()
                        .map(column -> SqlText.literal(column.text()) + ", " + column(event.row(), column.text()))
                        .collect(Collectors.joining(", ", "json_build_object(", ")"));
            case VALUE -> "to_json(" + payloadColumn(event) + ")";
            case OLD_AND_NEW -> "json_build_object('old', row_to_json(old), 'new', row_to_json(new))";
            case NONE -> "null";
        };
    }
}
