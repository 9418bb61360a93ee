package dev.caravan.adopt.doctor;

import dev.caravan.database.DatabaseProblem;
import dev.caravan.database.schema.SchemaCheck;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** For the outbox of Caravan: the conditions that {@code check} examines. */
record CaravanConditions(DataSource dataSource) implements Examination.Look {
    @Override
    public void at(Target target, Consumer<Finding> found) throws SQLException {
        requireSchema(target.table().schema());
        SchemaCheck check = new SchemaCheck(dataSource);
        List<DatabaseProblem> problems = check.problems();
        problems.forEach(problem -> found.accept(finding(FindingKind.CARAVAN_CONDITION, problem)));
        if (problems.isEmpty()) {
            check.messagesAhead().forEach(problem -> found.accept(finding(FindingKind.CARAVAN_CONDITION, problem)));
            check.positionsAhead()
                    .forEach(problem -> found.accept(finding(FindingKind.CARAVAN_POSITION_AHEAD, problem)));
        }
    }

    private void requireSchema(String schema) throws SQLException {
        try (var connection = dataSource.getConnection()) {
            if (!schema.equals(connection.getSchema())) {
                throw new Examination.NotPossible(
                        "the setting caravan.schema names a schema other than " + schema,
                        "set caravan.schema (CARAVAN_SCHEMA) to " + schema);
            }
        }
    }

    private static Finding finding(FindingKind kind, DatabaseProblem problem) {
        return new Finding(kind, Severity.CRITICAL, problem.about(), "a condition is not met", problem.text(), "");
    }
}
