package dev.caravan.adopt.intake;

import dev.caravan.adopt.intake.Intake.MessageFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The columns of the statement that reads rows: the key, the parts of the message, the headers, and those of the payload. */
record Selection(
        List<Column> columns, int keys, Optional<Integer> id, int aggregateType, int firstHeader, int firstPayload) {
    /**
     * A column of the statement.
     *
     * @param field the field of the file that names it
     * @param label its name in headers and in objects
     */
    record Column(String field, String sql, String label) {}

    /**
     * The selection for an intake.
     *
     * @param keys the columns of the key
     * @param payload the columns of the payload
     */
    static Selection of(Intake intake, List<Column> keys, List<Column> payload) {
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
        columns.addAll(payload);
        return new Selection(columns, keys.size(), id, aggregateType, firstHeader, firstPayload);
    }

    /** The columns of the key. */
    List<String> keySql() {
        return columns.stream().limit(keys).map(Column::sql).toList();
    }

    /**
     * All columns as a statement has them, with names that the table does not have: {@code order by} would mean them instead of the columns.
     *
     * @param alias the begin of these names
     */
    String sql(String alias) {
        List<String> sql = new ArrayList<>();
        for (Column column : columns) {
            sql.add(column.sql() + " as " + alias + (sql.size() + 1));
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
