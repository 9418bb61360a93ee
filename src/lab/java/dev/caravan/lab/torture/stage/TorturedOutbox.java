package dev.caravan.lab.torture.stage;

import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import dev.caravan.database.schema.Schema;
import dev.caravan.lab.servers.FailoverPostgres;
import dev.caravan.lab.servers.RelayGrants;
import dev.caravan.lab.torture.receiver.Kind;
import dev.caravan.lab.torture.receiver.WrittenMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A Postgres with an outbox that records every change of a subscription and of the side tables. Relays and the application
 * use ordinary roles with the privileges of docs/configuration.md.
 */
public final class TorturedOutbox implements AutoCloseable {
    /** The prefix of the application names of relays. */
    public static final String RELAYS = "caravan";

    /** The role of the application. */
    public static final String APPLICATION = "application";

    private static final String RELAY = "relay";
    private static final String OWNER = "postgres";

    private static final String ROLES = """
            create role relay login;
            create role application login;
            grant insert on outbox to application;
            """;

    /** A row of full_disk selects what fails. */
    private static final String FULL_DISK = """
            create table full_disk (what text not null);
            create function need_space() returns trigger language plpgsql security definer as $$
            begin
                if exists (select from full_disk where what = tg_argv[0]) then
                    raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
                end if;
                return null;
            end $$;
            create trigger need_space before update on outbox_subscription
                for each statement execute function need_space('progress');
            create trigger need_space before insert or update or delete on outbox_retry
                for each statement execute function need_space('failures');
            create trigger need_space before insert on outbox_dead_letter
                for each statement execute function need_space('failures');
            create constraint trigger need_space_at_commit after update on outbox_subscription
                deferrable initially deferred for each row execute function need_space('commit');
            """;

    private final FailoverPostgres server;

    /** @param data a folder for the data of the servers, which need not exist */
    TorturedOutbox(Path data, FailoverPostgres.Replication replication) throws Exception {
        server = new FailoverPostgres(data, replication);
        new Schema(Database.unpooled(FailoverPostgres.url(server.ports()), OWNER, "")).apply();
        execute(ROLES + RelayGrants.to(RELAY));
        execute(RecordedChanges.TRIGGERS);
        execute(FULL_DISK);
    }

    /** What changed in the progress and in the side tables. */
    public RecordedChanges changes() {
        return new RecordedChanges(this);
    }

    public FailoverPostgres server() {
        return server;
    }

    /** The settings for a relay that connects through ports of this machine, one for each server. */
    Map<String, String> relaySettings(List<Integer> ports) {
        String url = FailoverPostgres.url(ports) + "&connectTimeout=2&socketTimeout=4";
        return Map.of("caravan.db.url", url, "caravan.db.user", RELAY);
    }

    /** @param application the application name, by which faults select connections */
    public Connection connect(String role, String application) throws SQLException {
        return server.connect(role, application);
    }

    /** Connects as the superuser, who has reserved connections. */
    public Connection connect() throws SQLException {
        return connect(OWNER, "torture");
    }

    public void execute(String sql) throws SQLException {
        try (var connection = connect()) {
            Sql.execute(connection, sql);
        }
    }

    <T> List<T> query(String sql, Sql.Row<T> reader) throws SQLException {
        try (var connection = connect()) {
            return Sql.rows(connection, sql, reader);
        }
    }

    private long number(String sql) throws SQLException {
        return query(sql, row -> row.getLong(1)).get(0);
    }

    /** Ends the connections of all applications whose name starts with this text. */
    public void terminate(String applications) throws SQLException {
        execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name like '" + applications
                + "%' and datname = current_database()");
    }

    /** Ends the sessions that show that relays are running. The relays continue. */
    public void endPresence() throws SQLException {
        execute("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'"
                + " and database = (select oid from pg_database where datname = current_database())"
                + " and (classid::bigint << 32) + objid::bigint in (select presence from outbox_subscription)");
    }

    public void pause(String subscription, boolean paused) throws SQLException {
        execute("update outbox_subscription set paused = " + paused + " where name = '" + subscription + "'");
    }

    /** Resumes all subscriptions: a failover may have lost that one was resumed. */
    public void resumeAll() throws SQLException {
        execute("update outbox_subscription set paused = false where paused");
    }

    /** The number of messages and missing ids that are not finished, over all subscriptions, including outbox_retry. */
    public long backlog() throws SQLException {
        return number("""
                select coalesce(sum(greatest((select coalesce(max(id), 0) from outbox) - position, 0)
                           + (select coalesce(sum(upper(gap) - lower(gap)), 0)
                                from unnest(gaps + coalesce(older_gaps, '{}')) gap)), 0)
                       + (select count(*) from outbox_retry)
                from outbox_subscription
                """);
    }

    /** The number of lanes of all subscriptions. */
    int lanes() throws SQLException {
        return (int) number("select count(*) from outbox_subscription");
    }

    public List<WrittenMessage> messages() throws SQLException {
        return query(
                "select id, message_id, aggregate_id, type, (payload->>'sequence')::bigint, payload->>'kind' from outbox order by id",
                row -> new WrittenMessage(
                        row.getLong(1),
                        row.getString(2),
                        row.getString(3),
                        row.getString(4),
                        row.getLong(5),
                        Kind.valueOf(row.getString(6))));
    }

    /** The message ids of the messages that a server has and that were inserted since a time, in milliseconds since 1970. */
    public static Set<String> messageIds(Connection server, long sinceMillis) throws SQLException {
        return new HashSet<>(Sql.rows(
                server,
                "select message_id from outbox where created_at >= to_timestamp(" + sinceMillis + " / 1000.0)",
                row -> row.getString(1)));
    }

    /** The number of ids that were drawn and never committed. */
    public long rolledBack() throws SQLException {
        return number("select last_value - (select count(*) from outbox) from outbox_id_seq");
    }

    /** The lane of each message by id, for a number of lanes. */
    public Map<Long, Integer> laneOf(int lanes) throws SQLException {
        Map<Long, Integer> laneOf = new HashMap<>();
        query(
                "select id, outbox_lane(aggregate_type, aggregate_id, " + lanes + ") from outbox",
                row -> laneOf.put(row.getLong(1), row.getInt(2)));
        return laneOf;
    }

    /** The ids of the dead letters of a subscription that equal the message of the outbox. */
    public List<Long> unchangedDeadLetters(String subscription) throws SQLException {
        return query("""
                select dead.id
                from outbox_dead_letter dead
                join outbox message on message.id = dead.id
                where subscription = '%s'
                  and dead.message_id = message.message_id
                  and (dead.aggregate_type, dead.aggregate_id, dead.type, dead.payload::text)
                      = (message.aggregate_type, message.aggregate_id, message.type, message.payload::text)
                """.formatted(subscription), row -> row.getLong(1));
    }

    /** One line for each dead letter of a subscription: id, attempts, error. */
    public List<String> deadLetters(String subscription) throws SQLException {
        return query(
                "select format('%s %s attempts %s %s', id, payload->>'kind', attempts, left(error_text, 120)) from outbox_dead_letter"
                        + " where subscription = '" + subscription + "' order by id",
                row -> row.getString(1));
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
