package dev.caravan.adopt.intake;

import dev.caravan.adopt.intake.Intake.MessageFields;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
     * A column of the statement.
     *
     * @param field the field of the file that names it
     * @param label its name in headers and in objects
     */
    record Column(String field, String sql, String label) {}

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
        List<String> sql = new ArrayList<>();
        for (Column column : columns) {
            sql.add(column.sql() + " as " + table.alias() + (sql.size() + 1));
        }
        return String.join(", ", sql);
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
