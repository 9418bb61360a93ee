package dev.caravan.adopt.intake;

import dev.caravan.adopt.doctor.Column;
import dev.caravan.adopt.doctor.MessageColumns;
import dev.caravan.adopt.doctor.PendingRows;
import dev.caravan.base.message.Json;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.SqlText;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The first version of an intake's file: guessed from the columns of the table, with comments on what a person must check. */
public final class IntakeDraft {
    private static final Pattern AGGREGATE_TYPE =
            Pattern.compile("(aggregate|entity|object|resource|source)(root)?(type|name|class|kind)|aggregate|entity");
    private static final Pattern AGGREGATE_ID = Pattern.compile(
            "(aggregate|entity|object|resource)(root)?(id|key|uuid)|(message|msg|partition|routing|event|record|kafka)?key");
    private static final Pattern TOPIC = Pattern.compile("\\w*(topic|channel|destination|exchange|routingkey)(name)?");
    private static final Pattern TYPE = Pattern.compile("(event|message|msg)?(type|kind)|(event|message|msg)name");
    private static final Pattern PAYLOAD = Pattern.compile("\\w*(payload|data|body|content|json|event|message|value)");
    private static final Pattern HEADER = Pattern.compile(
            "tenant|tenantid|(correlation|causation|trace|request|conversation)id|traceparent|contenttype|(schema|event|message)?version"
                    + "|locale|language|priority");
    private static final Pattern NUMBER =
            Pattern.compile("(global|event)?(seq|seqno|sequence|sequenceno|sequencenumber|position|ordinal|number)");
    private static final Pattern KEY_OF_KAFKA = Pattern.compile("(message|msg|event)key");
    private static final Pattern ERROR = Pattern.compile("(last)?error(message|text|reason)?|failurereason|reason");
    private static final Pattern ATTEMPTS =
            Pattern.compile("(numberof|num)?(attempts?|retries|tries)(count)?|retrycount|attemptcount");
    private static final Set<String> DONE = Set.of(
            "sent",
            "published",
            "processed",
            "done",
            "delivered",
            "completed",
            "dispatched",
            "success",
            "succeeded",
            "handled",
            "finished");
    private static final Set<String> FAILED = Set.of("failed", "error", "dead", "rejected");
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_.]*");
    /** Words that YAML, or the field, would not read as SQL. */
    private static final Set<String> WORDS =
            Set.of("null", "true", "false", "yes", "no", "on", "off", "y", "n", "row", "none", "delete");

    private static final int SHOWN_VALUES = 10;
    private static final int LONGEST_VALUE = 30;
    private static final int PAYLOADS = 5;
    private static final int WIDTH = 40;

    private final DraftTable table;
    private final String given;
    private final MessageColumns columns;
    private final Map<String, Map<String, Integer>> values = new LinkedHashMap<>();
    private final Set<String> unread = new HashSet<>();
    private final List<String> payloads = new ArrayList<>();
    private final List<Column> used = new ArrayList<>();
    private final StringBuilder yaml = new StringBuilder();

    /**
     * What a person decides.
     *
     * @param name of the intake
     * @param table as a statement of its database has it
     * @param pending the condition of a row that is not copied yet; empty to guess it
     */
    public record Request(String name, String dataSource, String table, Optional<String> pending) {}

    private IntakeDraft(DraftTable table, String given) {
        this.table = table;
        this.given = given;
        boolean isNumbered = table.columns().stream().anyMatch(column -> column.isInteger() && column.sequence() != 0);
        columns = MessageColumns.of(
                table.columns(),
                isNumbered ? Optional.empty() : first(column -> column.isInteger() && matches(NUMBER, column)));
    }

    /**
     * Reads the description of the table, and some of its rows. Changes nothing.
     *
     * @return the text of the file, which {@code intake check} may still find incomplete
     * @throws IntakeRefusal if there is no such table
     */
    public static String of(Request request, Connection connection) throws SQLException {
        DraftTable table = DraftTable.of(connection, request.table());
        IntakeDraft draft = new IntakeDraft(table, request.table());
        draft.look(connection);
        return draft.write(request);
    }

    /** Rows that cannot be read in time leave the draft without what they show. */
    private void look(Connection connection) {
        for (Column column : table.columns()) {
            if (MessageColumns.isStatus(column)) {
                Map<String, Integer> found = Map.of();
                try {
                    found = table.values(connection, given, column);
                } catch (SQLException e) {
                    unread.add(column.name());
                }
                values.put(column.name(), found);
            }
        }
        payload().ifPresent(column -> {
            try {
                payloads.addAll(DraftTable.sample(
                        connection,
                        "select " + column.quoted() + " from " + given + " where " + column.quoted() + " is not null",
                        PAYLOADS));
            } catch (SQLException e) {
                payloads.clear(); // it is guessed from the type then
            }
        });
    }

    private String write(Request request) {
        comment(
                "An intake: relays copy the pending rows of this table into the outbox. Guessed from the columns; lines with CHECK"
                        + " need a person.");
        comment("Prove it with: ./caravan intake check --try-mark");
        line("intake", request.name(), "");
        line("dataSource", request.dataSource(), "");
        line("table", yaml(given), table.database());
        key();
        pendingAndMark(request.pending());
        order();
        message();
        outcome();
        return yaml.toString();
    }

    private void key() {
        if (table.key().isEmpty()) {
            Optional<Column> likely = columns.order()
                    .filter(Column::isInteger)
                    .or(columns::messageId)
                    .or(columns::id);
            line(
                    "key",
                    likely.map(column -> yaml(column.quoted())).orElse("\"\""),
                    "CHECK: the table has neither a primary key nor a unique index. It needs a column that identifies a row, with"
                            + " an index");
        } else if (!table.hasPrimaryKey()) {
            line("key", list(table.key()), "the columns of a unique index; the table has no primary key");
        } else {
            comment("key: " + names(table.key()) + ", the primary key");
        }
    }

    private void pendingAndMark(Optional<String> condition) {
        Optional<Column> status = table.columns().stream()
                .filter(column -> values.containsKey(column.name()))
                .findFirst();
        Optional<Column> time = columns.published().filter(Column::isTime);
        Optional<Column> flag =
                first(column -> column.type().equals("boolean") && MessageColumns.isFlag(column.plainName()));
        Optional<PendingRows> byStatus = status.flatMap(this::byStatus);
        boolean isByStatus = condition
                .map(sql -> status.filter(column -> sql.contains(column.name()) || sql.contains(column.quoted()))
                        .isPresent())
                .orElse(byStatus.isPresent());
        Optional<PendingRows> guessed = condition
                .map(sql -> new PendingRows(sql, "given"))
                .or(() -> byStatus)
                .or(() -> byOther(status));
        if (guessed.isEmpty()) {
            comment("");
            comment("CHECK: no column shows which rows are pending. Write one of these pairs:");
            comment(
                    "- pending: \"sent_at is null\", and mark: \"sent_at = current_timestamp\", with such a column; or");
            comment("- pending: \"1 = 1\", and mark: delete, if nobody else needs the rows after they were copied.");
            return;
        }
        status.ifPresent(column -> comment("values of " + label(column) + ": " + shown(column)));
        PendingRows pending = guessed.get();
        line("pending", yaml(pending.sql()), pending.reason().equals("given") ? "given" : "CHECK: " + pending.reason());
        List<String> marks = new ArrayList<>();
        if (isByStatus) {
            marks.add(status.get().quoted() + " = " + done(status.get(), pending.sql()));
        } else {
            flag.ifPresent(column -> marks.add(column.quoted() + " = " + (table.hasBooleans() ? "true" : "1")));
        }
        time.ifPresent(column -> marks.add(column.quoted() + " = current_timestamp"));
        List.of(status, columns.published(), flag).forEach(this::use);
        if (marks.isEmpty()) {
            comment("CHECK: mark: \"…\", what follows set and ends pending; or delete");
        } else {
            line("mark", yaml(String.join(", ", marks)), "CHECK: what follows set; it must end pending; or: delete");
        }
    }

    private Optional<PendingRows> byStatus(Column status) {
        Set<String> known = values.get(status.name()).keySet();
        return PendingRows.ofStatus(status, List.of(), List.copyOf(known))
                .or(() -> status.isInteger() && known.contains("0")
                        ? Optional.of(new PendingRows(status.quoted() + " = 0", "0 is a usual value of new rows"))
                        : Optional.empty());
    }

    /** By a time or a flag. */
    private Optional<PendingRows> byOther(Optional<Column> status) {
        return columns.published()
                .filter(column -> !column.equals(status.orElse(null)))
                .map(column -> new PendingRows(
                        column.isTime()
                                ? column.quoted() + " is null"
                                : column.quoted() + " = " + (table.hasBooleans() ? "false" : "0"),
                        "by column " + label(column)));
    }

    /** The value of a row that is done: one that the table has, or else a likely one. */
    private String done(Column status, String pending) {
        Set<String> known = values.get(status.name()).keySet();
        if (status.isInteger()) {
            String next = pending.replaceFirst("(?s)^.*=\\s*(-?\\d{1,9}).*$", "$1");
            return next.matches("-?\\d{1,9}") ? Integer.toString(Integer.parseInt(next) + 1) : "1";
        }
        return SqlText.literal(named(known, DONE).orElse(pending.matches("(?s).*'[A-Z][^a-z]*'.*") ? "SENT" : "sent"));
    }

    private static Optional<String> named(Set<String> known, Set<String> words) {
        return known.stream()
                .filter(value -> words.contains(value.toLowerCase(Locale.ROOT)))
                .findFirst();
    }

    private String shown(Column status) {
        if (unread.contains(status.name())) {
            return "unknown, the rows could not be read in time";
        }
        Map<String, Integer> found = values.get(status.name());
        String text = found.keySet().stream()
                .limit(SHOWN_VALUES)
                .map(value -> Formatted.line(value, LONGEST_VALUE))
                .collect(Collectors.joining(", "));
        return found.isEmpty()
                ? "none, the table is empty"
                : text + (found.size() > SHOWN_VALUES ? " and others" : "") + " (of up to 2,000 rows)";
    }

    private void order() {
        Optional<Column> order = use(columns.order());
        if (order.isEmpty()) {
            comment("order: the key. CHECK: no column shows the order in which rows were written");
        } else if (order.get().isInteger()) {
            if (!table.key().equals(List.of(order.get()))) {
                line("order", yaml(order.get().quoted()), "");
            } else {
                comment("order: the key");
            }
        } else {
            List<Column> all = new ArrayList<>(List.of(order.get()));
            all.addAll(table.key());
            line(
                    "order",
                    list(all.stream().distinct().toList()),
                    "CHECK: no column is numbered; rows with the same time may be copied in any order");
        }
    }

    private void message() {
        yaml.append("message:\n");
        Optional<Column> id = use(messageId());
        id.ifPresentOrElse(
                column -> field(
                        "id",
                        yaml(column.quoted()),
                        column.unique() || table.key().equals(List.of(column))
                                ? ""
                                : "CHECK: no unique index shows that it identifies a message"),
                () -> comment("  ", "id: derived from the key"));
        textField("aggregateType", use(first(column -> column.isText() && matches(AGGREGATE_TYPE, column))), subject());
        Optional<Column> aggregateId = use(first(column -> isKeyLike(column) && matches(AGGREGATE_ID, column)));
        Optional<Column> key = table.key().stream().findFirst().or(columns::id);
        field(
                "aggregateId",
                aggregateId.or(() -> key).map(column -> yaml(column.quoted())).orElse("\"\""),
                aggregateId.isPresent()
                        ? "messages of one value are delivered in order"
                        : "CHECK: messages of one value are delivered in order; with the key of the row, no two are");
        Optional<Column> type = use(first(column -> column.isText() && matches(TYPE, column))
                .or(() -> first(column -> column.isText() && matches(TOPIC, column))));
        textField("type", type, subject() + ".created");
        payloadField();
        headers(type);
    }

    /** A column, or else one text for all rows. */
    private void textField(String name, Optional<Column> column, String otherwise) {
        field(
                name,
                yaml(column.map(Column::quoted).orElseGet(() -> SqlText.literal(otherwise))),
                column.isPresent() ? "" : "CHECK: one text for all rows");
    }

    private Optional<Column> use(Optional<Column> column) {
        column.ifPresent(used::add);
        return column;
    }

    private void payloadField() {
        Optional<Column> payload = use(payload());
        if (payload.isEmpty()) {
            field("payload", "row", "the whole row as a JSON object; no column looks like a payload");
            return;
        }
        Column column = payload.get();
        boolean isJson =
                payloads.stream().allMatch(text -> RowReader.invalid(text).isEmpty());
        if (!isJson && column.isText()) {
            field(
                    "payload",
                    "row",
                    "CHECK: the values of " + label(column)
                            + " are not JSON, so the whole row is sent as a JSON object; or: payloadBytes: "
                            + column.quoted());
        } else if (!isJson) {
            field("payloadBytes", yaml(column.quoted()), "its values are not all JSON, so they are sent as bytes");
        } else {
            field(
                    "payload",
                    yaml(column.quoted()),
                    payloads.isEmpty() && !column.type().equals("json")
                            ? "CHECK: its values must be JSON; otherwise write payloadBytes instead of payload"
                            : "JSON, taken as it is");
        }
    }

    private void headers(Optional<Column> type) {
        List<Column> headers = table.columns().stream()
                .filter(column -> !used.contains(column) || column.equals(type.orElse(null)))
                .filter(column -> matches(TOPIC, column) || matches(HEADER, column))
                .filter(column ->
                        column.isText() || column.isInteger() || column.type().equals("uuid"))
                .toList();
        if (!headers.isEmpty()) {
            yaml.append("  headers:\n");
            headers.forEach(column -> {
                text("    " + yaml(label(column)) + ": " + yaml(column.quoted()), "");
                used.add(column);
            });
        }
        String others = table.columns().stream()
                .filter(column -> !used.contains(column) && !table.key().contains(column))
                .map(IntakeDraft::label)
                .collect(Collectors.joining(", "));
        if (!others.isEmpty()) {
            comment("  ", "columns that are not used here: " + others);
        }
    }

    /** A commented section, if the table has columns for what became of a message. */
    private void outcome() {
        Optional<Column> error = first(column -> column.isText() && matches(ERROR, column));
        Optional<Column> attempts = first(column -> column.isInteger() && matches(ATTEMPTS, column));
        if (error.isEmpty() && attempts.isEmpty()) {
            return;
        }
        List<String> dead = new ArrayList<>();
        table.columns().stream()
                .filter(column -> values.containsKey(column.name()) && column.isText())
                .findFirst()
                .ifPresent(column -> dead.add(column.quoted() + " = "
                        + SqlText.literal(named(values.get(column.name()).keySet(), FAILED)
                                .orElse("FAILED"))));
        error.ifPresent(column -> dead.add(column.quoted() + " = :error"));
        attempts.ifPresent(column -> dead.add(column.quoted() + " = :attempts"));
        comment(
                "To write what became of the message back into the row, once a subscription has delivered it or given it up:");
        yaml.append("# outcome:\n#   subscription: orders\n#   delivered: \"…\"  # what follows set\n");
        text("#   dead: " + yaml(String.join(", ", dead)), "");
    }

    private Optional<Column> payload() {
        List<Column> all = table.columns().stream()
                .filter(column -> matches(PAYLOAD, column))
                .filter(column -> column.isText()
                        || column.type().equals("bytea")
                        || column.type().equals("json"))
                .toList();
        return all.stream()
                .filter(column ->
                        column.type().equals("json") || column.plainName().endsWith("payload"))
                .findFirst()
                .or(() -> all.stream().findFirst());
    }

    /** The key, if it is a text or a uuid, is one too: the receivers see the id that the source has. */
    private Optional<Column> messageId() {
        return columns.messageId()
                .filter(column -> !matches(KEY_OF_KAFKA, column))
                .or(() -> table.key().stream()
                        .filter(column ->
                                table.key().size() == 1 && (column.type().equals("uuid") || column.isText()))
                        .findFirst());
    }

    private static boolean isKeyLike(Column column) {
        return column.isText() || column.isInteger() || column.type().equals("uuid");
    }

    private Optional<Column> first(Predicate<Column> condition) {
        return table.columns().stream()
                .filter(column -> !used.contains(column))
                .filter(condition)
                .findFirst();
    }

    private static boolean matches(Pattern pattern, Column column) {
        return pattern.matcher(column.plainName()).matches();
    }

    /** What the table is about: {@code order} for {@code order_outbox}, {@code OrderOutbox} and {@code ORDERS_EVENTS}. */
    private String subject() {
        String plain = table.name()
                .replaceAll("([a-z])([A-Z])", "$1_$2")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]+", "_")
                .replaceFirst("outbox$", "_outbox")
                .replaceAll("(^|_)(outbox|events?|messages?|queue|tbl|table|t)(?=_|$)", "")
                .replaceAll("^_+|_+$", "")
                .replaceFirst("s$", "");
        return plain.isEmpty() ? "message" : plain;
    }

    private String list(List<Column> columns) {
        return columns.size() == 1
                ? yaml(columns.get(0).quoted())
                : columns.stream().map(column -> yaml(column.quoted())).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String names(List<Column> columns) {
        return columns.stream().map(IntakeDraft::label).collect(Collectors.joining(", "));
    }

    /** The name as a person writes it: unquoted names in the case of the database. */
    private static String label(Column column) {
        return PLAIN.matcher(column.quoted()).matches() ? column.quoted() : column.name();
    }

    private void line(String field, String value, String comment) {
        text(field + ": " + value, comment);
    }

    private void field(String field, String value, String comment) {
        text("  " + field + ": " + value, comment);
    }

    private void text(String text, String comment) {
        yaml.append(text);
        if (!comment.isEmpty()) {
            yaml.append(" ".repeat(Math.max(2, WIDTH - text.length())))
                    .append("# ")
                    .append(oneLine(comment));
        }
        yaml.append('\n');
    }

    private void comment(String text) {
        comment("", text);
    }

    private void comment(String indentation, String text) {
        yaml.append(indentation)
                .append(text.isEmpty() ? "#" : "# " + oneLine(text))
                .append('\n');
    }

    /** Names from the catalog and values are part of it: none may end the comment. */
    private static String oneLine(String text) {
        return Formatted.line(text, 1_000);
    }

    /** A text as a value of YAML. */
    private static String yaml(String text) {
        return PLAIN.matcher(text).matches() && !WORDS.contains(text.toLowerCase(Locale.ROOT)) ? text : Json.line(text);
    }
}
