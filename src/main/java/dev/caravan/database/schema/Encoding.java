package dev.caravan.database.schema;

import dev.caravan.database.DatabaseProblem;
import dev.caravan.database.Statement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The encoding of the database, which must be able to store and return every message. */
final class Encoding {
    private static final String UTF8 = "UTF8";

    private Encoding() {}

    static Optional<DatabaseProblem> problem(Connection connection) throws SQLException {
        String encoding = Statement.queryText(
                        connection, "select current_setting('server_encoding')", row -> row.getString(1))
                .get(0);
        return encoding.equals(UTF8)
                ? Optional.empty()
                : Optional.of(new DatabaseProblem(
                        "encoding",
                        "The database has the encoding " + encoding
                                + ". Messages and errors have characters of all languages, which it cannot store or does not check:"
                                + " one such row would stop every subscription. Caravan needs a database with the encoding UTF8. An"
                                + " encoding cannot be changed: create a database with: create database NAME encoding 'UTF8' template"
                                + " template0, and copy yours with pg_dump."));
    }
}
