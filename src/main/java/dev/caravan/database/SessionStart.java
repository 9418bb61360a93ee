package dev.caravan.database;

import java.time.Duration;

/** The statements that a session begins with. Every session of Caravan's own statements begins with {@link #own}. */
final class SessionStart {
    /** Makes Postgres refuse a statement if a policy hides rows: a hidden message would look like a rolled-back one, and be lost. */
    static final String ALL_ROWS = "set row_security = off";

    /**
     * What the statements mean and in which form the server answers. A role or database can have other settings, which are for the statements
     * of users.
     */
    private static final String MEANING = "set standard_conforming_strings = on; set quote_all_identifiers = off;"
            + " set transform_null_equals = off; set array_nulls = on; set bytea_output = hex; set intervalstyle = postgres;"
            + " set session characteristics as transaction isolation level read committed";

    /** Caravan keeps idle sessions on purpose. The second setting exists since Postgres 17; a server that is too old has none. */
    private static final String KEPT = offIfKnown("idle_session_timeout") + "; " + offIfKnown("transaction_timeout");

    /** The driver would collect notices and warnings of a statement, and a trigger can raise one for each row. Nobody reads them. */
    private static final String NO_NOTICES = "set client_min_messages = error";

    private SessionStart() {}

    private static String offIfKnown(String setting) {
        return "select pg_catalog.set_config('" + setting + "', '0', false) where pg_catalog.current_setting('"
                + setting + "', true) is not null";
    }

    /**
     * For Caravan's own statements. The schema of the tables comes after pg_catalog, and no other is searched: in another one, any role could
     * create an operator or a function that runs with the rights of the session.
     *
     * @param statements the time after which the server ends a statement; zero for no limit
     */
    static String own(OutboxSchema schema, Duration statements) {
        return schema.use() + "; " + MEANING + "; " + KEPT + "; " + NO_NOTICES + "; set statement_timeout = "
                + statements.toMillis();
    }

    /** For statements of users, with the settings of the role. A shorter limit of the role stays. */
    static String ofRoutes(OutboxSchema schema, Duration statements) {
        return schema.useFirst() + "; " + KEPT + "; " + NO_NOTICES
                + "; select pg_catalog.set_config('statement_timeout',"
                + " least(nullif(setting::bigint, 0::bigint), " + statements.toMillis() + "::bigint)::text, false)"
                + " from pg_catalog.pg_settings where name operator(pg_catalog.=) 'statement_timeout'::text";
    }

    /** For statements on tables of any schema. */
    static String any(OutboxSchema schema, Duration statements) {
        return schema.useFirst() + "; " + MEANING + "; " + KEPT + "; set statement_timeout = " + statements.toMillis();
    }
}
