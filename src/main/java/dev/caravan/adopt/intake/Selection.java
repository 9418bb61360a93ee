package dev.caravan.adopt.intake;

import dev.caravan.adopt.intake.Intake.MessageFields;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What the statement that reads rows returns: the columns of the key, the parts of the message, the headers, and those of the payload. */
record Selection(
        Intake intake,
        SourceTable table,
        List<Column> columns,
        int keys,
        Optional<Integer> id,
        int aggregateType,
        int firstHeader,
        int firstPayload) {
    /**
     * A value with more bytes than this, and than twice the largest payload, is not read: drivers would hold it in memory. It would be rejected
     * anyway. Twice, because some encodings need more bytes than UTF-8.
     */
    private static final long LEAST_UNREAD = 4 << 20;

    /**
     * A column of the statement.
     *
     * @param field the field of the file that names it
     * @param label its name in headers and in objects
     * @param size the expression of its number of bytes, if a value may be too large to be read
     */
    record Column(String field, String sql, String label, Optional<String> size) {
        Column(String field, String sql, String label) {
            this(field, sql, label, Optional.empty());
        }
    }

    static Selection of(Intake intake, SourceTable table, Connection connection) throws SQLException {
        List<Column> keys = table.key(intake, connection);
        MessageFields message = intake.message();
        List<Column> columns = new ArrayList<>(keys);
        Optional<Integer> id = message.id().map(sql -> {
            columns.add(new Column("message.id", sql, "id"));
            return columns.size() - 1;
        });
        int aggregateType = columns.size();
        columns.add(new Column("message.aggregateType", message.aggregateType(), "aggregateType"));
        columns.add(new Column("message.aggregateId", message.aggregateId(), "aggregateId"));
        columns.add(new Column("message.type", message.type(), "type"));
        int firstHeader = columns.size();
        message.headers().forEach((name, sql) -> columns.add(new Column("message.headers." + name, sql, name)));
        int firstPayload = columns.size();
        columns.addAll(table.payload(message.payload()));
        return new Selection(intake, table, columns, keys.size(), id, aggregateType, firstHeader, firstPayload);
    }

    /** The same selection, which returns null for a value that is far too large, and that there is one in a column at the end. */
    Selection limited(List<ColumnType> types) {
        List<Column> limited = new ArrayList<>(key());
        for (int i = keys; i < columns.size(); i++) {
            Column column = columns.get(i);
            limited.add(new Column(
                    column.field, column.sql, column.label, types.get(i).size(column.sql)));
        }
        return new Selection(intake, table, limited, keys, id, aggregateType, firstHeader, firstPayload);
    }

    List<Column> key() {
        return columns.subList(0, keys);
    }

    List<String> keySql() {
        return key().stream().map(Column::sql).toList();
    }

    /** In which the rows are read; empty if the key is unknown. */
    List<String> order() {
        return intake.order().isEmpty() ? keySql() : intake.order();
    }

    /** The statement that reads the first rows that meet a condition. */
    String statement(String condition, int rows) {
        String order = order().isEmpty() ? "" : " order by " + String.join(", ", order());
        return table.dialect().limited(sql(), " from " + intake.table() + " where " + condition + order, rows);
    }

    /** All columns as a statement has them, with names that the table does not have: {@code order by} would mean them instead of the columns. */
    String sql() {
        long most = Math.max(2 * intake.maxPayload(), LEAST_UNREAD);
        List<String> sql = new ArrayList<>();
        columns.forEach(column -> sql.add(column.size()
                .map(size -> "case when " + size + " <= " + most + " then " + column.sql() + " end")
                .orElse(column.sql())));
        columns.forEach(
                column -> column.size().ifPresent(size -> sql.add("case when " + size + " > " + most + " then 1 end")));
        return IntStream.range(0, sql.size())
                .mapToObj(i -> sql.get(i) + " as " + table.alias() + (i + 1))
                .collect(Collectors.joining(", "));
    }

    String label(int column) {
        return columns.get(column).label();
    }

    /** The field and the expression of a column, for errors. */
    String shown(int column) {
        Column shown = columns.get(column);
        String field = shown.field().substring(shown.field().indexOf('.') + 1);
        return field + " (" + shown.sql() + ")";
    }
}
