package dev.caravan.database.schema;

import dev.caravan.database.DatabaseProblem;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Checks everything in the database that a relay and its guarantees depend on: version, tables, the sequence of the ids, and
 * privileges. Its statements return the problems. Changes nothing.
 */
public final class SchemaCheck {
    private static final String APPLY = "Create or upgrade the tables with: ./caravan schema apply";
    private final DataSource dataSource;

    public SchemaCheck(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** All problems, in the order in which they must be corrected; empty if a relay can start. */
    public List<DatabaseProblem> problems() throws SQLException {
        return problems(true);
    }

    /** The same without the privileges of a relay: for a process that delivers nothing. */
    public List<DatabaseProblem> problemsOfTables() throws SQLException {
        return problems(false);
    }

    private List<DatabaseProblem> problems(boolean privileges) throws SQLException {
        try (var connection = dataSource.getConnection()) {
            connection.setReadOnly(true);
            List<DatabaseProblem> problems = ofServer(connection);
            ExistingTables existing = problems.isEmpty() ? ExistingTables.of(connection) : null;
            if (existing != null && existing.foreign()) {
                problems.add(new DatabaseProblem("outbox", existing.refusal()));
            }
            return problems.isEmpty() ? ofTables(connection, privileges) : problems;
        }
    }

    /** A server that is too old, or a database that cannot store every message. */
    static List<DatabaseProblem> ofServer(Connection connection) throws SQLException {
        return found("database/check_server", connection);
    }

    private static List<DatabaseProblem> ofTables(Connection connection, boolean privileges) throws SQLException {
        List<DatabaseProblem> problems = new ArrayList<>();
        List<Lack> lacks = Lack.all(connection);
        Set<String> incomplete =
                lacks.stream().map(Lack::tableName).collect(Collectors.toCollection(LinkedHashSet::new));
        if (!lacks.isEmpty()) { // one problem, because one command corrects it
            String about = incomplete.size() == 1 ? incomplete.iterator().next() : "tables";
            problems.add(new DatabaseProblem(about, together(lacks) + ". " + APPLY));
        }
        if (!incomplete.contains("outbox")) {
            problems.addAll(found("database/check_outbox", connection));
        }
        if (privileges) {
            problems.addAll(found("database/check_privileges", connection));
        }
        problems.addAll(found("database/check_row_security", connection));
        if (privileges && problems.isEmpty()) { // the role may read all rows
            problems.addAll(found("database/check_failed_ids", connection));
        }
        return problems;
    }

    /** The lacks as one text; tables that are missing are named together. */
    private static String together(List<Lack> lacks) {
        List<Lack> absent = lacks.stream().filter(Lack::absent).toList();
        Stream<String> missing = absent.size() < 2
                ? absent.stream().map(Lack::text)
                : Stream.of("Tables " + absent.stream().map(Lack::tableName).collect(Collectors.joining(", "))
                        + " do not exist in schema " + absent.get(0).schema());
        Stream<String> others = lacks.stream().filter(lack -> !lack.absent()).map(Lack::text);
        return Stream.concat(missing, others).collect(Collectors.joining(". "));
    }

    /** An advice about the owner of the outbox and the role that migrates, one of which is a superuser without need; empty if neither is. */
    public Optional<String> adviceOnOwner() throws SQLException {
        return Sql.file("database/owner").first(dataSource, row -> row.getString("advice"));
    }

    /** The roles that gain the rights of a relay, or stop it, by what they may create, replace, set or write: triggers, foreign keys, functions, tables, rows. */
    public List<DatabaseProblem> triggersOfOthers() throws SQLException {
        try (var connection = dataSource.getConnection()) {
            return found("database/check_triggers", connection);
        }
    }

    /**
     * The positions ahead of the sequence, without subscriptions that are already halted. They do not prevent a start: the relay halts the
     * subscription until a person resumes it. If the relay refused to start instead, the problem could no longer be detected as soon as
     * the sequence passes the position. Call it only when there are no {@link #problems()}.
     */
    public List<DatabaseProblem> positionsAhead() throws SQLException {
        try (var connection = dataSource.getConnection()) {
            return found("database/check_positions", connection);
        }
    }

    /**
     * Messages with ids that the sequence has not assigned. They do not prevent a start, because every role that may insert can choose an id, and
     * because nothing is lost: relays leave them until the sequence has reached them. Call it only when there are no {@link #problems()}.
     */
    public List<DatabaseProblem> messagesAhead() throws SQLException {
        try (var connection = dataSource.getConnection()) {
            return found("database/check_highest_id", connection);
        }
    }

    /** @param file a statement that returns problems */
    private static List<DatabaseProblem> found(String file, Connection connection) throws SQLException {
        return Sql.file(file).query(connection, DatabaseProblem.class);
    }
}
