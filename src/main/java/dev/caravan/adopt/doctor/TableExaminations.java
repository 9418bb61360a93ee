package dev.caravan.adopt.doctor;

import dev.caravan.adopt.doctor.Examination.Needs;
import dev.caravan.database.DatabaseProblem;
import dev.caravan.database.schema.SchemaCheck;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** The definition of the table; for the outbox of Caravan, also the conditions that {@code check} examines. */
final class TableExaminations {
    private TableExaminations() {}

    static List<Examination> all(DataSource dataSource) {
        return List.of(
                new Examination(
                        "conditions of Caravan", Needs.TABLE, (target, found) -> caravan(dataSource, target, found)),
                new Examination("definition of the table", Needs.TABLE, TableExaminations::definition),
                new Examination("primary key", Needs.TABLE, TableExaminations::primaryKey),
                new Examination("triggers", Needs.TABLE, TableExaminations::triggers));
    }

    private static void caravan(DataSource dataSource, Target target, Consumer<Finding> found) throws SQLException {
        if (!target.table().ofCaravan()) {
            return;
        }
        requireSchema(dataSource, target.table().schema());
        SchemaCheck check = new SchemaCheck(dataSource);
        List<DatabaseProblem> problems = check.problems();
        problems.forEach(problem -> found.accept(caravan(FindingKind.CARAVAN_CONDITION, problem)));
        if (problems.isEmpty()) {
            check.positionsAhead()
                    .forEach(problem -> found.accept(caravan(FindingKind.CARAVAN_POSITION_AHEAD, problem)));
        }
    }

    private static void requireSchema(DataSource dataSource, String schema) throws SQLException {
        try (var connection = dataSource.getConnection()) {
            if (!schema.equals(connection.getSchema())) {
                throw new Examination.NotPossible(
                        "the setting caravan.schema names a schema other than " + schema,
                        "set caravan.schema (DB_SCHEMA) to " + schema);
            }
        }
    }

    private static Finding caravan(FindingKind kind, DatabaseProblem problem) {
        return new Finding(kind, kind.severity(), problem.about(), "a condition is not met", problem.text(), "");
    }

    private static void definition(Target target, Consumer<Finding> found) {
        MessageTable table = target.table();
        if (table.persistence().equals("u")) {
            found.accept(new Finding(
                    FindingKind.UNLOGGED_TABLE,
                    Severity.CRITICAL,
                    table.quoted(),
                    "the table is unlogged",
                    "Make it a logged table; this writes the whole table once and blocks writers meanwhile.",
                    "alter table " + table.quoted() + " set logged;"));
        }
        if (table.rowSecurity()) {
            found.accept(new Finding(
                    FindingKind.ROW_LEVEL_SECURITY,
                    Severity.WARNING,
                    table.quoted(),
                    table.rowSecurityApplies()
                            ? "row level security applies to this role"
                            : "row level security is enabled",
                    "Give the role of the publisher the attribute BYPASSRLS, or disable row level security for this table.",
                    "alter table " + table.quoted() + " disable row level security;"));
        }
        table.payloads()
                .forEach(payload -> found.accept(new Finding(
                        FindingKind.JSONB_PAYLOAD,
                        Severity.NOTE,
                        table.quoted() + "." + payload,
                        "type jsonb",
                        "Use json for content that is only forwarded. The change rewrites the table: do it for a new table.",
                        "alter table " + table.quoted() + " alter " + payload + " type json;")));
        partitionKey(table, found);
    }

    private static void partitionKey(MessageTable table, Consumer<Finding> found) {
        boolean movesRows = table.isPartitioned()
                && table.columns()
                        .published()
                        .filter(column -> table.partitionKey().matches(".*\\b\"?" + column.name() + "\"?\\b.*"))
                        .isPresent();
        if (movesRows) {
            found.accept(new Finding(
                    FindingKind.PARTITIONED_BY_PUBLISHED,
                    Severity.WARNING,
                    table.quoted(),
                    "partitioned by " + table.partitionKey(),
                    "Partition by a column that never changes: the id, or the time of creation. The key of a table cannot be changed:"
                            + " create a new table and write new messages to it.",
                    ""));
        }
    }

    private static void primaryKey(Target target, Consumer<Finding> found) throws SQLException {
        MessageTable table = target.table();
        boolean hasKey = target.query("adopt/keys", row -> row.getBoolean("primary_key"), table.oid())
                .get(0);
        if (!hasKey) {
            found.accept(new Finding(
                    FindingKind.NO_PRIMARY_KEY,
                    Severity.WARNING,
                    table.quoted(),
                    "no primary key",
                    "Add one. Build its index first with CREATE UNIQUE INDEX CONCURRENTLY, if the table is large.",
                    table.columns()
                            .id()
                            .map(id -> "alter table " + table.quoted() + " add primary key (" + id.quoted() + ");")
                            .orElse("alter table " + table.quoted()
                                    + " add id bigint generated always as identity primary key;")));
        }
    }

    private static void triggers(Target target, Consumer<Finding> found) throws SQLException {
        MessageTable table = target.table();
        record Trigger(String name, String on, boolean disabled, boolean replicated) {}
        List<Trigger> all = target.query(
                "adopt/triggers",
                row -> new Trigger(
                        row.getString("quoted"),
                        row.getString("table_name"),
                        row.getString("enabled").equals("D"),
                        row.getBoolean("replicated")),
                table.parts(),
                table.parts());
        for (Trigger trigger : all) {
            if (trigger.disabled() && !table.ofCaravan()) {
                found.accept(new Finding(
                        FindingKind.TRIGGER_DISABLED,
                        Severity.NOTE,
                        trigger.name() + " on " + trigger.on(),
                        "disabled",
                        "Enable it, or drop it if it is not needed.",
                        "alter table " + trigger.on() + " enable trigger " + trigger.name() + ";"));
            } else if (trigger.replicated() && !trigger.disabled()) {
                found.accept(new Finding(
                        FindingKind.TRIGGER_NOT_REPLICATED,
                        Severity.WARNING,
                        trigger.name() + " on " + trigger.on(),
                        "a subscription applies changes to the table",
                        "Let the trigger fire for all rows, if it must see replicated ones too.",
                        "alter table " + trigger.on() + " enable always trigger " + trigger.name() + ";"));
            }
        }
    }
}
