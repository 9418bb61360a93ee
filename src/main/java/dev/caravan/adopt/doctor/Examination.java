package dev.caravan.adopt.doctor;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.sql.DataSource;

/**
 * Looks for one or a few kinds of findings.
 *
 * @param subject what it examines, for the report
 * @param needs what it requires to run
 * @param suits whether it has a meaning for a table; not asked without one
 */
record Examination(String subject, Needs needs, Predicate<MessageTable> suits, Look look) {
    private static final long MANY_ROWS = 100_000;

    enum Needs {
        /** Only a database. */
        DATABASE,
        /** The catalog entry of a table. */
        TABLE,
        /** The right to read the rows of a table. */
        ROWS,
        /** Also a condition for pending rows, and an order. */
        PENDING
    }

    /** An examination cannot run in this database. */
    static final class NotPossible extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String fix;

        NotPossible(String why, String fix) {
            super(why);
            this.fix = fix;
        }

        String fix() {
            return fix;
        }
    }

    /** The examination itself. */
    @FunctionalInterface
    interface Look {
        void at(Target target, Consumer<Finding> found) throws SQLException;
    }

    /** @param ofCaravan its sessions have the schema of Caravan's tables */
    static List<Examination> all(DataSource ofCaravan) {
        return List.of(
                new Examination(
                        "conditions of Caravan",
                        Needs.TABLE,
                        MessageTable::ofCaravan,
                        new CaravanConditions(ofCaravan)),
                statement("definition of the table", Needs.TABLE, "adopt/table_definition"),
                statement("triggers", Needs.TABLE, "adopt/triggers"),
                // Caravan's own sequence is examined with the other conditions of Caravan.
                statement(
                        "sequence of the ids",
                        Needs.TABLE,
                        table -> table.columns().integerId().isPresent() && !table.ofCaravan(),
                        "adopt/sequence"),
                statement(
                        "highest id and its sequence",
                        Needs.ROWS,
                        table -> table.columns().integerId().isPresent(),
                        "adopt/highest_id"),
                new Examination(
                        "order of the messages",
                        Needs.ROWS,
                        table -> table.columns().order().filter(Column::isTime).isPresent(),
                        (target, found) -> target.findTimeOrder(
                                target.table().columns().order().get(), "order of the table", found)),
                statement("types and defaults of times", Needs.TABLE, "adopt/time_columns"),
                statement(
                        "message ids of the latest messages",
                        Needs.ROWS,
                        table -> table.columns()
                                .messageId()
                                .filter(id -> !id.unique() && !id.primaryKey())
                                .isPresent(),
                        "adopt/duplicates"),
                new Examination(
                        "statements of pollers", Needs.TABLE, table -> !table.ofCaravan(), new PollStatements()),
                statement("indexes", Needs.TABLE, "adopt/indexes"),
                statement(
                        "indexes of the partitions",
                        Needs.TABLE,
                        MessageTable::isPartitioned,
                        "adopt/partitions_without_index"),
                new Examination("plan of a poll", Needs.PENDING, table -> true, new PollPlan()),
                new Examination("oldest pending message", Needs.PENDING, table -> true, Examination::oldestPending),
                statement(
                        "published messages that are kept",
                        Needs.PENDING,
                        table -> table.rows() >= MANY_ROWS
                                && table.columns().createdAt().isPresent(),
                        "adopt/oldest_published"),
                statement("dead rows and updates", Needs.TABLE, "adopt/row_versions"),
                statement("autovacuum", Needs.DATABASE, "adopt/autovacuum"),
                statement("wraparound", Needs.DATABASE, "adopt/frozen"),
                statement("what holds vacuum back", Needs.DATABASE, "adopt/vacuum_holders"),
                statement("sessions that are idle in a transaction", Needs.TABLE, "adopt/idle_in_transaction"),
                statement("WAL of replication slots", Needs.DATABASE, "adopt/slots"),
                statement("settings of the server", Needs.DATABASE, "adopt/settings"));
    }

    private static Examination statement(String subject, Needs needs, String file) {
        return statement(subject, needs, table -> true, file);
    }

    /** @param file a statement that returns findings */
    private static Examination statement(String subject, Needs needs, Predicate<MessageTable> suits, String file) {
        boolean readsRows = needs == Needs.ROWS || needs == Needs.PENDING;
        return new Examination(
                subject,
                needs,
                suits,
                readsRows
                        ? (target, found) -> target.findInRows(file, found)
                        : (target, found) -> target.find(file, found));
    }

    /** The count is a statement of its own: without an index it can be too expensive, and only one of the findings needs it. */
    private static void oldestPending(Target target, Consumer<Finding> found) throws SQLException {
        for (Finding finding : target.rows("adopt/oldest_pending", Map.of(), Finding::read)) {
            found.accept(
                    finding.kind() == FindingKind.NOTHING_PUBLISHED
                            ? finding.withFigure(finding.figure() + ", " + target.pendingCount() + " pending")
                            : finding);
        }
    }

    /** Whether the target has what the examination needs, apart from rights. */
    boolean applies(MessageTable table) {
        return switch (needs) {
            case DATABASE -> true;
            case TABLE, ROWS -> table != null && suits.test(table);
            case PENDING ->
                table != null
                        && table.pending().isPresent()
                        && table.columns().order().isPresent()
                        && suits.test(table);
        };
    }

    boolean readsRows() {
        return needs == Needs.ROWS || needs == Needs.PENDING;
    }
}
