package dev.caravan.adopt.capture;

import dev.caravan.adopt.capture.CapturedEvent.Payload;
import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.file.Located;
import dev.caravan.base.text.SqlText;
import dev.caravan.database.SqlFile;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The SQL that hands the rows of a table over: which are pending, what marks them, and what returns them to the poller. */
final class TakeOverSql {
    /** The maximum number of rows on which the mark is tried, without changing them. */
    private static final int TRIED = 1_000;

    private static final Pattern PARAMETER = Pattern.compile(":[a-z_]+|\\{schema}");

    private final Capture capture;
    private final TakeOver section;
    private final CapturedTable table;
    private final List<String> key;

    TakeOverSql(Capture capture, CapturedTable table) {
        this.capture = capture;
        this.section = capture.takeOver().orElseThrow();
        this.table = table;
        this.key = table.orPrimaryKey(section.key());
    }

    /** The condition of the file, on {@code new} or {@code old}. */
    String pending(String row) {
        return "("
                + SqlTokens.of(section.pending().text())
                        .qualified(row, table.columns().keySet()) + ")";
    }

    /** Whether a row is pending and an event applies to it. The poller continues to send other rows. */
    String applies(String row) {
        boolean always =
                capture.events().stream().anyMatch(event -> event.when().isEmpty());
        return always
                ? pending(row)
                : capture.events().stream()
                        .map(event -> "("
                                + SqlTokens.of(event.when().orElseThrow().text())
                                        .qualified(row, table.columns().keySet())
                                + ")")
                        .collect(Collectors.joining(" or ", pending(row) + " and (", ")"));
    }

    /** Marks the row of a trigger. */
    String markOne() {
        String row = key.stream()
                .map(column -> "marked." + SqlText.identifier(column) + " = new." + SqlText.identifier(column))
                .collect(Collectors.joining(" and "));
        return mark("marked") + "\n        where " + row;
    }

    /** Marks all pending rows. */
    String markAll() {
        return mark("new") + "\nwhere " + applies("new");
    }

    private String mark(String alias) {
        return section.deletes()
                ? "delete from " + table.name() + " as " + alias
                : "update " + table.name() + " as " + alias + " set " + assigned(section.marks());
    }

    private static String assigned(Map<String, String> values) {
        return values.entrySet().stream()
                .map(value -> SqlText.identifier(value.getKey()) + " = " + value.getValue())
                .collect(Collectors.joining(", "));
    }

    /** The number of rows that a relay is to send instead of the poller. */
    String count() {
        return "select count(*) from " + table.name() + " as new where " + applies("new");
    }

    /** The condition alone, to find what is wrong in it. */
    String tryPending() {
        return "select count(*) from (select from " + table.name() + " as new where " + pending("new")
                + " limit 1) row";
    }

    /** Whether there are pending rows with the same key. */
    String tryKey() {
        return "select count(*) from (select from " + table.name() + " as new where " + pending("new") + " group by "
                + key.stream().map(column -> MessageSql.column("new", column)).collect(Collectors.joining(", "))
                + " having count(*) > 1 limit 1) row";
    }

    /** The number of some pending rows that would be pending after the mark. Changes nothing. */
    String tryMark() {
        return "select count(*) from " + tryMarked() + " where " + pending("new");
    }

    /** The number of some pending rows that would not be pending after the mark and what {@code --undo} sets. Changes nothing. */
    String tryUnmark() {
        return "select count(*) from (select " + tried(section.unmarks()) + " from " + tryMarked() + ") as new where "
                + pending("new") + " is not true";
    }

    private String tryMarked() {
        return "(select " + tried(section.marks()) + " from " + table.name() + " as new where " + applies("new")
                + " limit " + TRIED + ") as new";
    }

    /** The columns with their new values, in the types of the columns. */
    private String tried(Map<String, String> values) {
        return table.columns().keySet().stream()
                .map(column -> {
                    String name = SqlText.identifier(column);
                    String value = values.get(column);
                    return value == null
                            ? "new." + name
                            : "case when false then new." + name + " else " + value + " end as " + name;
                })
                .collect(Collectors.joining(", "));
    }

    /** The columns in whose order pending rows are copied. */
    List<String> order() {
        return section.order().isEmpty()
                ? key
                : section.order().stream().map(Located::text).toList();
    }

    /** The columns that identify a row. */
    List<String> key() {
        return key;
    }

    /** Why rows could not be returned to the poller; empty if they can. */
    Optional<FileProblem> problemOfUndo() {
        if (wholeRows()) {
            return Optional.empty();
        }
        if (section.deletes()) {
            return problem(
                    "with mark: delete each event needs payload: row. --undo inserts the rows from their messages");
        }
        if (section.unmark().isEmpty()) {
            return problem(
                    "unmark is missing: the payload is not the whole row, so --undo needs it. Write what makes a row pending"
                            + " again, such as: sent = false, sent_at = null");
        }
        return key.stream()
                .filter(column -> inMessage(column).isEmpty())
                .findFirst()
                .flatMap(column -> problem("--undo could not find the row of a message: column " + column
                        + " must be in the payload or in a header, or be the aggregate id or the message id"));
    }

    private Optional<FileProblem> problem(String text) {
        return Optional.of(capture.problem(section.line(), text));
    }

    private boolean wholeRows() {
        return capture.events().stream().allMatch(event -> event.payload() == Payload.ROW);
    }

    /** The expression for a column of the row in its message, in the type of the column; empty if some message lacks it. */
    private Optional<String> inMessage(String column) {
        String text = null;
        if (capture.events().stream().allMatch(event -> isInPayload(event, column))) {
            text = "message.payload ->> " + SqlText.literal(column);
        } else if (table.key(capture).equals(List.of(column))) {
            text = "message.aggregate_id";
        } else if (capture.messageId().map(Located::text).filter(column::equals).isPresent()) {
            text = "message.message_id";
        } else {
            text = capture.events().get(0).headers().keySet().stream()
                    .filter(header -> capture.events().stream().allMatch(event -> isHeader(event, header, column)))
                    .map(header -> "message.headers ->> " + SqlText.literal(header))
                    .findFirst()
                    .orElse(null);
        }
        return Optional.ofNullable(text)
                .map(found -> "(" + found + ")::" + table.columns().get(column).type());
    }

    private static boolean isInPayload(CapturedEvent event, String column) {
        return event.payload() == Payload.ROW
                || event.payload() == Payload.COLUMNS
                        && event.payloadColumns().stream()
                                .anyMatch(named -> named.text().equals(column));
    }

    private static boolean isHeader(CapturedEvent event, String header, String column) {
        Located named = event.headers().get(header);
        return named != null && named.text().equals(column);
    }

    /** One statement that returns rows to the poller: the numbers of removed messages and of changed rows. */
    String undo() {
        return "with message as (\n    delete from " + table.schema() + ".outbox\n    where id in (\n"
                + undelivered().indent(8)
                + "    )\n    returning id, message_id, aggregate_id, headers, payload\n),\ngiven as (\n    " + given()
                + "\n),\nchanged as (\n    " + (section.deletes() ? insert() : update()) + "\n    returning 1\n)\n"
                + "select (select count(*) from message), (select count(*) from changed)";
    }

    /** The ids of the messages that the subscription has not delivered. */
    String undelivered() {
        String subscription =
                SqlText.literal(capture.takeOver().orElseThrow().subscription().text());
        String types =
                Arrays.stream(types(capture)).map(SqlText::literal).collect(Collectors.joining(", ", "array[", "]"));
        Map<String, String> values = Map.of(
                "{schema}",
                table.schema(),
                ":subscription",
                subscription,
                ":aggregate_type",
                SqlText.literal(capture.aggregateType()),
                ":types",
                types);
        String sql =
                SqlFile.file("adopt/undelivered").replaceAll("(?m)^--.*\n", "").stripTrailing();
        return PARAMETER.matcher(sql).replaceAll(name -> Matcher.quoteReplacement(values.get(name.group())));
    }

    /** For a row that was captured twice, selects its last message. */
    private String given() {
        String columns =
                key.stream().map(column -> "row." + SqlText.identifier(column)).collect(Collectors.joining(", "));
        return "select distinct on (" + columns + ") row.*\n    from message\n    cross join lateral " + row()
                + "\n    order by " + columns + ", message.id desc";
    }

    private String row() {
        return wholeRows()
                ? "json_populate_record(null::" + table.name() + ", message.payload) as row"
                : key.stream()
                        .map(column -> inMessage(column).orElseThrow() + " as " + SqlText.identifier(column))
                        .collect(Collectors.joining(", ", "(select ", ") as row"));
    }

    private String update() {
        String values = section.unmark().map(Located::text).orElseGet(() -> section.marks().keySet().stream()
                .map(SqlText::identifier)
                .map(column -> column + " = given." + column)
                .collect(Collectors.joining(", ")));
        String found = key.stream()
                .map(SqlText::identifier)
                .map(column -> "taken." + column + " = given." + column)
                .collect(Collectors.joining(" and "));
        return "update " + table.name() + " as taken set " + values + "\n    from given\n    where " + found;
    }

    private String insert() {
        String columns = table.columns().values().stream()
                .filter(column -> !column.generated())
                .map(column -> SqlText.identifier(column.name()))
                .collect(Collectors.joining(", "));
        return "insert into " + table.name() + " (" + columns + ") overriding system value\n    select " + columns
                + " from given\n    on conflict do nothing";
    }

    /** The types of its messages as LIKE patterns. */
    static String[] types(Capture capture) {
        return capture.events().stream().map(CapturedEvent::typePattern).toArray(String[]::new);
    }
}
