package dev.caravan.routes.check;

import dev.caravan.base.text.Sentence;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.LineNumberAware;
import org.apache.camel.NoTypeConversionAvailableException;
import org.apache.camel.component.sql.DefaultSqlPrepareStatementStrategy;
import org.apache.camel.component.sql.SqlEndpoint;
import org.apache.camel.component.sql.SqlHelper;
import org.apache.camel.component.sql.SqlPrepareStatementStrategy;
import org.apache.camel.support.DefaultExchange;

/**
 * Lets the database of the outbox parse the statements that routes send to it, and execute none. Finds missing tables and columns, and wrong
 * syntax; otherwise each message would fail.
 */
final class CheckedStatements {
    /** What to do, by SQLSTATE. Other errors can depend on the types of the parameters, which are unknown without a message. */
    private static final Map<String, String> REFUSALS = Map.of(
            "42P01", "Create the table, or correct the statement",
            "3F000", "Create the schema, or correct the statement",
            "42703", "Create the column, or correct the statement",
            "42601", "Correct the statement");

    private static final String LIST = ":?in:"; // the number of its parameters depends on the message

    private record Sent(String place, String route, String sql) {}

    private final CamelContext context;
    private final List<Sent> statements = new ArrayList<>();

    CheckedStatements(CamelContext context) {
        this.context = context;
    }

    /** Adds a statement, unless it is for another database. */
    void add(RouteReport report, LineNumberAware step, SqlEndpoint endpoint) {
        Object ofOutbox = context.getRegistry().lookupByName("dataSource");
        if (endpoint.getDataSource() == null || endpoint.getDataSource() == ofOutbox) {
            sql(endpoint)
                    .map(sql -> new Sent(
                            report.place(step).toString(), report.route().getRouteId(), sql))
                    .ifPresent(statements::add);
        }
    }

    /** The statements that the database refuses. */
    List<CheckResult> findings(DataSource database) throws SQLException {
        List<CheckResult> findings = new ArrayList<>();
        if (statements.isEmpty()) {
            return findings;
        }
        try (Connection connection = database.getConnection()) {
            for (Sent sent : statements) {
                refusal(connection, sent.sql)
                        .map(text -> CheckResult.problem("database", sent.place, "route " + sent.route + ": " + text))
                        .ifPresent(findings::add);
            }
        }
        return findings;
    }

    private static Optional<String> refusal(Connection connection, String sql) {
        try (var statement = connection.prepareStatement(sql)) {
            statement.getParameterMetaData(); // the database parses the statement now
            return Optional.empty();
        } catch (SQLException e) {
            return Optional.ofNullable(REFUSALS.get(String.valueOf(e.getSQLState())))
                    .map(advice -> "the database refuses the statement: "
                            + Sentence.of(e.getMessage().lines().findFirst().orElse("")) + " " + advice);
        }
    }

    /** The statement as it is sent; empty if it depends on the message. */
    private Optional<String> sql(SqlEndpoint endpoint) {
        try {
            String placeholder = endpoint.isUsePlaceholder() ? endpoint.getPlaceholder() : null;
            String query = SqlHelper.resolveQuery(context, endpoint.getQuery(), placeholder);
            return query.contains(LIST)
                    ? Optional.empty()
                    : Optional.of(strategy(endpoint)
                            .prepareQuery(query, endpoint.isAllowNamedParameters(), new DefaultExchange(context)));
        } catch (IOException | SQLException | NoTypeConversionAvailableException e) {
            return Optional.empty(); // reported when the route starts
        }
    }

    /** The strategy of the endpoint, or the one that the endpoint creates when it starts. */
    private static SqlPrepareStatementStrategy strategy(SqlEndpoint endpoint) {
        return endpoint.getPrepareStatementStrategy() == null
                ? new DefaultSqlPrepareStatementStrategy(endpoint.getSeparator())
                : endpoint.getPrepareStatementStrategy();
    }
}
