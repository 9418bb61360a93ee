package dev.caravan.adopt.capture;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.file.Located;
import dev.caravan.base.text.NearestName;
import dev.caravan.database.Sql;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The table of a capture as the catalog describes it.
 *
 * @param name with its schema, as SQL writes it
 * @param usable whether it is a table, and not a view, a foreign table or a temporary table
 * @param children tables that inherit from it, which have triggers of their own; null for none
 * @param outbox whether it is Caravan's outbox or one of its partitions
 * @param mayLock whether the role may read and lock its rows
 * @param filtered whether row-level security hides rows from the role
 * @param rowKey columns of a unique key without nulls, the primary key if there is one; empty for none
 * @param owner the owner of the outbox; the function gets this owner, so that writers need no right on the outbox
 * @param givesToOwner whether the role is another one and may set the owner
 * @param schema the schema of Caravan, as SQL writes it
 * @param trust whether the owner of the function trusts the authors of the types, and of the triggers that it fires
 */
record CapturedTable(
        long oid,
        String name,
        boolean usable,
        boolean partitioned,
        boolean partition,
        String children,
        boolean outbox,
        boolean mayLock,
        boolean filtered,
        List<String> rowKey,
        boolean mayTrigger,
        boolean mayCreate,
        boolean ownerInserts,
        String role,
        String owner,
        boolean givesToOwner,
        String schema,
        Map<String, Column> columns,
        Trust trust) {

    /**
     * @param type as SQL writes it
     * @param generated whether no statement may set it
     * @param virtual whether it is a virtual generated column, whose value no trigger sees
     * @param withoutEquality whether it must be compared as text
     * @param ofSession whether its text depends on settings of the session, such as TimeZone
     * @param key its place in the primary key; 0 if it has none
     */
    record Column(
            String name,
            String type,
            boolean notNull,
            boolean generated,
            boolean virtual,
            boolean withoutEquality,
            boolean ofSession,
            int key) {}

    /**
     * Looks a table up; without a schema it is in {@code public}. Empty if there is none that the role may use.
     *
     * @param mark the privilege with which the function marks rows; null for none
     */
    static Optional<CapturedTable> find(Connection connection, String name, String mark) throws SQLException {
        String qualified = name.contains(".") ? name : "public." + name;
        return Sql.file("adopt/captured_table")
                .with("name", qualified)
                .first(connection, row -> of(connection, row, mark));
    }

    private static CapturedTable of(Connection connection, ResultSet row, String mark) throws SQLException {
        boolean givesToOwner = row.getBoolean("gives_to_owner");
        Array rowKey = row.getArray("row_key");
        return new CapturedTable(
                row.getLong("oid"),
                row.getString("name"),
                row.getBoolean("usable"),
                row.getBoolean("partitioned"),
                row.getBoolean("partition"),
                row.getString("children"),
                row.getBoolean("outbox"),
                row.getBoolean("may_lock"),
                row.getBoolean("filtered"),
                rowKey == null ? List.of() : List.of((String[]) rowKey.getArray()),
                row.getBoolean("may_trigger"),
                row.getBoolean("may_create"),
                row.getBoolean(givesToOwner ? "owner_inserts" : "may_insert"),
                row.getString("role"),
                row.getString("owner"),
                givesToOwner,
                row.getString("schema"),
                columns(connection, row.getLong("oid")),
                Trust.of(connection, row.getLong("oid"), row.getString(givesToOwner ? "owner" : "role"), mark));
    }

    private static Map<String, Column> columns(Connection connection, long oid) throws SQLException {
        return Sql.file("adopt/captured_columns").with("oid", oid).query(connection, Column.class).stream()
                .collect(Collectors.toMap(Column::name, Function.identity()));
    }

    /** The owner of the function of a capture. */
    String functionOwner() {
        return givesToOwner ? owner : role;
    }

    /**
     * Whether the function of a capture runs with the rights of its owner, and a writer needs no right on the outbox. Otherwise the owner of
     * the table could run any statement with these rights: by a cast that the function evaluates, or by a trigger that it fires.
     */
    boolean capturedByOwner() {
        return trust.isComplete();
    }

    /** Columns whose types have operators of their own, which Postgres looks up in the search_path. */
    List<String> ofExtensions() {
        return trust.ofExtensions();
    }

    /** The columns of the aggregate id: those that the file names, or the primary key in order. */
    List<String> key(Capture capture) {
        return orPrimaryKey(capture.key());
    }

    /** The columns that a file names, or without any the primary key in order. */
    List<String> orPrimaryKey(List<Located> named) {
        return named.isEmpty()
                ? columns.values().stream()
                        .filter(column -> column.key() > 0)
                        .sorted(Comparator.comparingInt(Column::key))
                        .map(Column::name)
                        .toList()
                : named.stream().map(Located::text).toList();
    }

    /** The problems of the columns that a file names and that do not exist. */
    List<FileProblem> unknown(Stream<Located> named, Capture capture) {
        return named.filter(column -> !columns.containsKey(column.text()))
                .map(column -> capture.problem(
                        column.line(),
                        "column " + column.text() + " does not exist in " + name
                                + NearestName.suggestion(column.text(), List.copyOf(columns.keySet()), "")))
                .toList();
    }
}
