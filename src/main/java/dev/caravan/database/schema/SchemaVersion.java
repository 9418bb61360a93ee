package dev.caravan.database.schema;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;

/**
 * The version of the tables in the schema of a session.
 *
 * @param number empty if this role may not read the history of migrations, or there is none
 * @param differences what this version of Caravan needs and the tables lack; empty if it works with them
 */
public record SchemaVersion(OptionalInt number, List<String> differences) {
    /** The schema version of this program: the number of its last migration. */
    static final int OF_THIS_PROGRAM = 1;

    /** Reads the catalog and the history of migrations. */
    public static SchemaVersion of(Connection connection) throws SQLException {
        return new SchemaVersion(number(connection), Lack.texts(connection));
    }

    /**
     * A note for users if a newer version of Caravan has upgraded the tables: during an upgrade, or after a downgrade of the relays. This
     * version works with them, because a migration only adds to the tables. If one did more, {@link SchemaCheck} finds what is missing.
     */
    public static Optional<String> noteOfNewer(DataSource database) throws SQLException {
        try (var connection = database.getConnection()) {
            OptionalInt version = number(connection);
            return version.isEmpty() || version.getAsInt() <= OF_THIS_PROGRAM
                    ? Optional.empty()
                    : Optional.of("the tables have schema version " + version.getAsInt()
                            + ", and this version of Caravan needs " + OF_THIS_PROGRAM
                            + "; it works with them, because a newer version only adds to the tables");
        }
    }

    private static OptionalInt number(Connection connection) throws SQLException {
        return single(connection, "database/may_read_history", Boolean.class)
                ? OptionalInt.of(single(connection, "database/latest_version", Integer.class))
                : OptionalInt.empty();
    }

    private static <T> T single(Connection connection, String file, Class<T> type) throws SQLException {
        return Sql.file(file).query(connection, row -> row.getObject(1, type)).get(0);
    }
}
