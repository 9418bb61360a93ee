package dev.caravan.lab.history;

import java.util.List;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A replica of the database, which lags and then replaces it: all sessions of relays end, the tables have the content of the replica,
 * and the timeline of the server changes.
 */
final class Replica {
    private static final List<String> TABLES = List.of(
            "outbox",
            "outbox_subscription",
            "outbox_retry",
            "outbox_dead_letter",
            "outbox_discarded",
            "outbox_audit",
            "outbox_relay");
    private static final String LAST_ID = "select last_value - (not is_called)::int from outbox_id_seq";

    private final HistoryDatabase database;
    private final JdbcTemplate jdbc;
    private final List<ExpectedMessages> messages;
    private boolean exists;
    private long lastId;

    Replica(HistoryDatabase database, List<ExpectedMessages> messages) {
        this.database = database;
        this.messages = messages;
        jdbc = database.jdbc();
    }

    /** Creates the tables and functions that the methods need. */
    static void prepare(JdbcTemplate jdbc) {
        jdbc.execute("create schema replica");
        TABLES.forEach(table ->
                jdbc.execute("create table replica." + table + " as select * from " + table + " with no data"));
        jdbc.execute(
                "create function history_copy(name text, source text, target text) returns void language plpgsql as $$"
                        + " declare columns text := (select string_agg(quote_ident(attname), ', ') from pg_attribute"
                        + " where attrelid = ('public.' || name)::regclass and attnum > 0 and not attisdropped and attgenerated = '');"
                        + " begin execute format('delete from %I.%I', target, name);"
                        + " execute format('insert into %I.%I (%s) overriding system value select %s from %I.%I',"
                        + " target, name, columns, columns, source, name); end $$");
        jdbc.execute("create sequence history_timeline");
        // The first call leaves last_value as it is, and a promotion must change it.
        jdbc.queryForObject("select nextval('history_timeline')", Long.class);
        jdbc.execute("create function pg_walfile_name(pg_lsn) returns text language sql as"
                + " $$ select lpad(to_hex(last_value), 8, '0') || repeat('0', 16) from history_timeline $$");
    }

    /** Copies what is committed now. */
    void replicate() {
        copy("public", "replica");
        lastId = jdbc.queryForObject(LAST_ID, Long.class);
        messages.forEach(ExpectedMessages::replicated);
        exists = true;
    }

    /**
     * Replaces the database. All transactions of writers must have ended. No effect without a replica.
     *
     * @param unused number of ids that the replica does not assign, because sequences are replicated ahead of their use
     * @param lanes the lanes of relays, whose state in memory is that of the former server
     */
    void promote(int unused, Set<Object> lanes) {
        if (!exists) {
            return;
        }
        exists = false;
        database.endSessionsOfRelays();
        jdbc.execute("set session_replication_role = replica"); // no triggers
        copy("replica", "public");
        jdbc.execute("reset session_replication_role");
        long last = lastId + unused;
        jdbc.queryForObject("select setval('outbox_id_seq', ?, ?)", Long.class, Math.max(1, last), last > 0);
        jdbc.queryForObject("select nextval('history_timeline')", Long.class);
        messages.forEach(each -> each.promoted(lanes));
    }

    private void copy(String source, String target) {
        TABLES.forEach(table -> jdbc.queryForList("select history_copy(?, ?, ?)", table, source, target));
    }
}
