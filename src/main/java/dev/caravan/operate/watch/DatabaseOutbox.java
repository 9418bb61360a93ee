package dev.caravan.operate.watch;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.caravan.database.Sql;
import dev.caravan.database.OutboxSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * An outbox of a database: a schema with Caravan's tables, as a role sees it.
 *
 * @param schema name of the schema
 * @param own whether it is the schema of the session that read it
 * @param remedy what a person has to do so that the role may read it; empty if it may
 */
public record DatabaseOutbox(
        @JsonProperty("outbox") String schema,
        boolean own,
        @JsonIgnore Access access,
        @JsonIgnore String remedy) {
    /** Whether a role reads an outbox. */
    public enum Access {
        READABLE("readable"),
        /** A grant is missing. */
        NO_PERMISSION("no permission"),
        /**
         * A read could run functions of another role with the rights of this role: functions in the schema, which is in the search_path
         * during the read, or functions of its tables.
         */
        NOT_TRUSTED("not trusted");

        private final String text;

        Access(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** All outboxes of the database, at most 200: that of the schema of the sessions first, the others by name. */
    public static List<DatabaseOutbox> all(DataSource sessions) throws SQLException {
        try (Connection connection = sessions.getConnection()) {
            return query(connection, null);
        }
    }

    /** The outbox of a schema; empty if there is none. */
    public static Optional<DatabaseOutbox> find(DataSource sessions, String schema) throws SQLException {
        try (Connection connection = sessions.getConnection()) {
            return query(connection, schema).stream().findFirst();
        }
    }

    private static List<DatabaseOutbox> query(Connection connection, String schema) throws SQLException {
        return Sql.file("operate/outboxes").with("schema", schema).query(connection, DatabaseOutbox::of).stream()
                .filter(outbox -> isName(outbox.schema()))
                .toList();
    }

    /** A relay cannot use a schema with a quote in its name, and a path of the API cannot contain one named . or .. */
    private static boolean isName(String schema) {
        return OutboxSchema.isName(schema) && !schema.equals(".") && !schema.equals("..");
    }

    private static DatabaseOutbox of(ResultSet row) throws SQLException {
        boolean own = row.getBoolean("own");
        String untrusted = row.getString("untrusted");
        Access access = own
                ? Access.READABLE
                : untrusted != null
                        ? Access.NOT_TRUSTED
                        : row.getBoolean("readable") ? Access.READABLE : Access.NO_PERMISSION;
        return new DatabaseOutbox(
                row.getString("name"),
                own,
                access,
                remedy(access, row.getString("quoted_name"), row.getString("quoted_role"), untrusted));
    }

    private static String remedy(Access access, String schema, String role, String untrusted) {
        return switch (access) {
            case READABLE -> "";
            case NO_PERMISSION ->
                "Run as its owner: grant usage on schema " + schema + " to " + role
                        + "; grant select on all tables in schema " + schema + " to " + role
                        + "; grant select on all sequences in schema " + schema + " to " + role;
            case NOT_TRUSTED ->
                untrusted + " could run its own functions with the rights of " + role
                        + ", because it owns or may create" + " objects in schema " + schema
                        + ". docs/configuration.md#other-outboxes describes what to do.";
        };
    }
}
