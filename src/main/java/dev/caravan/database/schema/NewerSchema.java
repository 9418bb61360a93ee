package dev.caravan.database.schema;

import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;

/**
 * Finds tables that a newer version of Caravan has upgraded: during an upgrade, or after a downgrade of the relays. This version works
 * with them, because a migration only adds to the tables. If one did more, {@link SchemaCheck} finds what is missing.
 */
public final class NewerSchema {
    private NewerSchema() {}

    /** Returns a note for users; empty if the tables are not newer, or this role may not read the history of migrations. */
    public static Optional<String> note(DataSource database) throws SQLException {
        try (var connection = database.getConnection()) {
            OptionalInt version = SchemaVersion.number(connection);
            return version.isEmpty() || version.getAsInt() <= Schema.VERSION
                    ? Optional.empty()
                    : Optional.of("the tables have schema version " + version.getAsInt()
                            + ", and this version of Caravan needs " + Schema.VERSION
                            + "; it works with them, because a newer version only adds to the tables");
        }
    }
}
