package dev.caravan.database;

import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The schema of Caravan's tables, from the setting {@code caravan.schema}. No statement of Caravan names a schema: on each of its
 * connections, the search_path is only this schema.
 */
public record OutboxSchema(String name) {
    /** The default schema of a database. */
    public static final OutboxSchema PUBLIC = new OutboxSchema("public");

    private static final int LONGEST_NAME_BYTES = 63;
    private static final String UNUSABLE = """
            select case
                       when current_schema() is not null then null
                       when to_regnamespace(current_setting('search_path')) is null
                           then 'schema ' || current_setting('search_path') || ' does not exist'
                       else 'role ' || quote_ident(current_user::text) || ' has no USAGE on schema ' || current_setting('search_path')
                   end
            """;
    private static final String MISSING =
            "select current_schema() is null and to_regnamespace(current_setting('search_path')) is null";
    /** Two relays that start at the same time may both create it: then one finds the entry of the other in the catalog. */
    private static final String CREATE = """
            do $$ begin
                execute pg_catalog.format('create schema if not exists %s', current_setting('search_path'));
            exception when unique_violation then null;
            end $$
            """;

    public OutboxSchema {
        String wrong = problem(name);
        if (!wrong.isEmpty()) {
            throw new SettingsException("caravan.schema (CARAVAN_SCHEMA) " + wrong + ", got " + name
                    + ". Write the name as it is, without quotes; it is case-sensitive.");
        }
    }

    public static OutboxSchema of(Settings settings) {
        return new OutboxSchema(settings.text("caravan.schema", PUBLIC.name()));
    }

    /** Whether the setting accepts this name. A database may have schemas with other names, on which no relay works. */
    public static boolean isName(String name) {
        return problem(name).isEmpty();
    }

    private static String problem(String name) {
        if (name.isEmpty() || name.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME_BYTES) {
            return "must have 1 to " + LONGEST_NAME_BYTES + " bytes";
        }
        if (name.startsWith("pg_") || name.equals("information_schema") || name.equals("$user")) {
            return "must not be a schema of Postgres itself";
        }
        return name.chars().anyMatch(c -> c == '"' || c == '\'' || c == '\\' || Character.isISOControl(c))
                ? "must not have quotes, backslashes or control characters"
                : "";
    }

    /** The statement that makes it the only schema of a session after pg_catalog, which Postgres searches first if a path does not name it. */
    public String use() {
        return "set search_path = '" + name + "'";
    }

    /** The statement that makes it the first schema of a session, before those of the role. */
    String useFirst() {
        return "select pg_catalog.set_config('search_path', pg_catalog.concat_ws(', ', pg_catalog.quote_ident('" + name
                + "'::text), nullif(pg_catalog.current_setting('search_path'), '')), false)";
    }

    /** The name in double quotes, as in a statement. */
    public String quoted() {
        return '"' + name + '"';
    }

    /**
     * @param connection a session with one schema
     * @throws SQLException if the schema does not exist (SQLSTATE 3F000), or the role may not use it (42501)
     */
    public static void require(Connection connection) throws SQLException {
        String problem = Sql.rows(connection, UNUSABLE, row -> row.getString(1)).get(0);
        if (problem != null) {
            throw new SQLException(problem, problem.startsWith("schema") ? "3F000" : DatabaseFailure.NO_PRIVILEGE);
        }
    }

    /** Creates the schema of a session if it does not exist. Several processes may call it at the same time. */
    public static void create(Connection connection) throws SQLException {
        boolean isMissing =
                Sql.rows(connection, MISSING, row -> row.getBoolean(1)).get(0);
        if (isMissing) {
            Sql.execute(connection, CREATE);
        }
    }
}
