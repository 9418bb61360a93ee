package dev.caravan.adopt.capture;

import dev.caravan.base.text.SqlText;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The SQL that hands the rows of a table over: which are pending, what marks them, and what makes them pending again. */
final class TakeOverSql {
    /** The maximum number of rows on which the mark is tried, without changing them. */
    private static final int TRIED = 1_000;

    private final Capture capture;
    private final TakeOver section;
    private final CapturedTable table;

    TakeOverSql(Capture capture, CapturedTable table) {
        this.capture = capture;
        this.section = capture.takeOver().orElseThrow();
        this.table = table;
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
        String row = key().stream()
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
                + key().stream().map(column -> MessageSql.column("new", column)).collect(Collectors.joining(", "))
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
                ? key()
                : section.order().stream().map(Located::text).toList();
    }

    /** The columns that identify a row. */
    List<String> key() {
        return section.key().isEmpty()
                ? table.columns().values().stream()
                        .filter(column -> column.key() > 0)
                        .sorted(Comparator.comparingInt(CapturedTable.Column::key))
                        .map(CapturedTable.Column::name)
                        .toList()
                : section.key().stream().map(Located::text).toList();
    }
}
