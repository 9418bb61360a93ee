package dev.caravan.adopt.capture;

import dev.caravan.adopt.capture.CapturedEvent.Operation;
import dev.caravan.adopt.capture.CapturedEvent.Payload;
import dev.caravan.adopt.file.Located;
import dev.caravan.base.text.SqlText;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The statements of a backfill. The first pass sends the rows that no transaction has written since the boundary. Each later change is
 * captured by the triggers, unless it is one that the file does not capture: the second pass sends rows that such a change has written.
 */
final class BackfillSql {
    /**
     * The progress: a row of outbox_backfill.
     *
     * @param boundary the transactions that had ended when it began, as Postgres writes a snapshot
     * @param lastId the last id in the outbox at the boundary
     * @param pass 1 or 2
     * @param afterKey the key of the last row that the pass has read; empty at its start
     * @param sameTriggers whether no trigger of the capture has been changed since the start
     */
    record State(
            String definition,
            String boundary,
            long lastId,
            int pass,
            List<String> afterKey,
            long messages,
            boolean finished,
            boolean sameTriggers) {
        /** Reads the progress and locks its row for the transaction. */
        static Optional<State> find(Connection connection, String capture) throws SQLException {
            return Sql.file("adopt/backfill_state").with("capture", capture).query(connection, State.class).stream()
                    .findFirst();
        }

        /** The lowest transaction that may not have ended at the boundary. */
        long low() {
            return Long.parseLong(boundary.substring(0, boundary.indexOf(':')));
        }
    }

    /** Values below this one are not ordinary transaction ids: such rows are older than all transactions. */
    private static final int FIRST_TRANSACTION = 3;

    private static final Set<String> WITHOUT_SLASH = Set.of("smallint", "integer", "bigint", "uuid");
    /** More than the number of transactions that can begin while a statement runs. */
    private static final int DURING_A_STATEMENT = 1 << 27;

    private final Capture capture;
    private final CapturedTable table;
    private final List<String> key;
    private final MessageSql messages;

    BackfillSql(Capture capture, CapturedTable table) {
        this.capture = capture;
        this.table = table;
        this.key = table.rowKey();
        this.messages = new MessageSql(capture, table);
    }

    /** Call it before the statements of a chunk, in their transaction. */
    void set(Connection connection) throws SQLException {
        messages.set(connection);
    }

    /** The statement without the limits of a chunk. */
    String definition() {
        return messages.ofRows(capture.snapshot(), rows()) + orderAndLock();
    }

    /** Counts the rows that the first pass has not read, changed ones too. */
    String count(State state) {
        return "select count(*) from " + rows() + where(after(state));
    }

    /** Counts the rows that become messages. */
    String countMessages() {
        return "select count(*) from " + rows()
                + where(capture.snapshot().when().map(Located::text).stream().toList());
    }

    /** Selects the last key of the next chunk, as text; returns no row if fewer rows are left. */
    String end(State state, int size) {
        List<String> conditions = after(state);
        if (state.pass() == 2) {
            conditions.addAll(written(state));
        }
        return "select "
                + key.stream()
                        .map(column -> MessageSql.column("new", column) + "::text")
                        .collect(Collectors.joining(", "))
                + " from " + rows() + where(conditions) + order() + " offset " + (size - 1) + " limit 1";
    }

    /** Locks the rows of a chunk of the second pass: the next statement then sees all messages about them. */
    String lock(State state, List<String> end) {
        return "select count(*) from (select from " + rows() + where(conditions(state, end)) + orderAndLock()
                + ") as locked";
    }

    /**
     * Writes the messages of a chunk. A row that another transaction has just written is locked in its new version, to which the
     * conditions are applied again. The id of the message is drawn after the row is locked: it is higher than those of all earlier
     * changes of the row, and lower than those of all later ones.
     */
    String insert(State state, List<String> end) {
        return messages.ofRows(
                        capture.snapshot(), rows(), conditions(state, end).toArray(String[]::new))
                + orderAndLock();
    }

    private String rows() {
        return table.name() + " as new";
    }

    private List<String> conditions(State state, List<String> end) {
        List<String> conditions = after(state);
        if (!end.isEmpty()) {
            conditions.add(key("<=", end));
        }
        if (state.pass() == 1) {
            conditions.add("not (" + changed(state) + ")");
        } else {
            conditions.addAll(written(state));
        }
        return conditions;
    }

    private List<String> after(State state) {
        List<String> conditions = new ArrayList<>();
        if (!state.afterKey().isEmpty()) {
            conditions.add(key(">", state.afterKey()));
        }
        return conditions;
    }

    /** The conditions for rows changed since the boundary for which the triggers have written no complete message. */
    private List<String> written(State state) {
        List<String> conditions = new ArrayList<>(List.of(changed(state)));
        if (messagesAreComplete()) {
            conditions.add("not exists (select from " + table.schema() + ".outbox as written where written.id > "
                    + state.lastId() + " and written.aggregate_type = " + SqlText.literal(capture.aggregateType())
                    + " and written.aggregate_id = " + messages.aggregateId("new")
                    + " and written.type like any (array[" + types() + "]))");
        }
        return conditions;
    }

    /**
     * Whether any message about a row since the boundary makes its snapshot unnecessary: each has all that the snapshot has, is about
     * this row alone, and a row that was deleted and inserted again has a message of the insertion.
     */
    private boolean messagesAreComplete() {
        boolean whole = capture.events().stream()
                .filter(event -> event.on() == Operation.INSERT || event.on() == Operation.UPDATE)
                .allMatch(this::hasSnapshot);
        boolean deletionIsNotLast = !capture.has(Operation.DELETE)
                || capture.events().stream()
                        .anyMatch(event ->
                                event.on() == Operation.INSERT && event.when().isEmpty());
        return whole && deletionIsNotLast && table.key(capture).containsAll(key) && idsAreUnique();
    }

    /** Whether different keys always have different aggregate ids, unlike ('a/b', 'c') and ('a', 'b/c'). */
    private boolean idsAreUnique() {
        return table.key(capture).stream()
                        .filter(column -> !WITHOUT_SLASH.contains(
                                table.columns().get(column).type()))
                        .count()
                <= 1;
    }

    /** The types of complete messages, as LIKE patterns: other sources may write messages about the same aggregate. */
    private String types() {
        return Stream.concat(
                        Stream.of(capture.snapshot()),
                        capture.events().stream()
                                .filter(event -> event.on() == Operation.INSERT || event.on() == Operation.UPDATE))
                .map(CapturedEvent::typePattern)
                .map(SqlText::literal)
                .collect(Collectors.joining(", "));
    }

    private boolean hasSnapshot(CapturedEvent event) {
        return switch (event.payload()) {
            case ROW, OLD_AND_NEW -> true;
            case COLUMNS, VALUE ->
                capture.snapshot().payload() == event.payload() && names(event).containsAll(names(capture.snapshot()));
            case NONE -> capture.snapshot().payload() == Payload.NONE;
        };
    }

    private static List<String> names(CapturedEvent event) {
        return event.payloadColumns().stream().map(Located::text).toList();
    }

    /**
     * Whether a transaction has written the row since the boundary. A row contains only the lower half of the transaction id: it is
     * compared with the ids from the boundary until now. A row that was written four billion transactions earlier may look changed; then
     * the second pass sends it.
     */
    private static String changed(State state) {
        String xmin = "new.xmin::text::bigint";
        String since = "((" + xmin + " - " + state.low() + ") & 4294967295)";
        return xmin + " >= " + FIRST_TRANSACTION + " and " + since
                + " <= (select pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::bigint - "
                + state.low()
                + " + " + DURING_A_STATEMENT + ") and not pg_catalog.pg_visible_in_snapshot((" + state.low() + " + "
                + since
                + ")::text::xid8, " + SqlText.literal(state.boundary()) + ")";
    }

    private String key(String operator, List<String> values) {
        List<String> typed = new ArrayList<>();
        for (int i = 0; i < key.size(); i++) {
            typed.add(SqlText.literal(values.get(i)) + "::"
                    + table.columns().get(key.get(i)).type());
        }
        return row(key.stream().map(column -> MessageSql.column("new", column)).toList()) + " " + operator + " "
                + row(typed);
    }

    private static String row(List<String> values) {
        return "(" + String.join(", ", values) + ")";
    }

    private static String where(List<String> conditions) {
        return conditions.isEmpty()
                ? ""
                : conditions.stream()
                        .map(condition -> "(" + condition + ")")
                        .collect(Collectors.joining(" and ", " where ", ""));
    }

    /** {@code ./caravan doctor} recognizes these statements by the comment, and does not report them as those of a poller. */
    private String order() {
        return "\n/* caravan backfill */ order by "
                + key.stream().map(column -> MessageSql.column("new", column)).collect(Collectors.joining(", "));
    }

    private String orderAndLock() {
        return order() + "\nfor share of new";
    }
}
