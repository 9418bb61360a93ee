package dev.caravan.console.api;

import dev.caravan.database.Sql;
import dev.caravan.base.text.Causes;
import dev.caravan.console.http.HttpFailures;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.console.http.Operation;
import dev.caravan.database.DatabaseFailure;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Reports the missing grants of the role of this relay when the database has refused an operation. */
final class MissingGrants {

    private final DataSource database;

    MissingGrants(DataSource database) {
        this.database = database;
    }

    Operation.Handler reportedBy(Operation.Handler operation) {
        return call -> {
            try {
                return operation.handle(call);
            } catch (SQLException e) {
                throw Causes.of(e).anyMatch(MissingGrants::isNoPrivilege) ? problem(e) : e;
            }
        };
    }

    private static boolean isNoPrivilege(Throwable thrown) {
        return thrown instanceof SQLException sql && DatabaseFailure.NO_PRIVILEGE.equals(sql.getSQLState());
    }

    private Exception problem(SQLException refusal) {
        try (var connection = database.getConnection()) {
            List<String> missing =
                    Sql.file("operate/missing_grants").query(connection, row -> row.getString("statement"));
            String failure = HttpFailures.problem(refusal, "").getMessage();
            return missing.isEmpty()
                    ? refusal
                    : new HttpProblem(
                            503,
                            failure + " For all operations, run as the owner of the tables: "
                                    + String.join("; ", missing));
        } catch (SQLException | HttpProblem e) {
            return refusal;
        }
    }
}
