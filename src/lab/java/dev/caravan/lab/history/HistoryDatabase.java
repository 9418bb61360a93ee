package dev.caravan.lab.history;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.settings.Settings;
import dev.caravan.database.Connections;
import dev.caravan.database.Sql;
import dev.caravan.database.schema.Schema;
import dev.caravan.engine.store.Histories;
import dev.caravan.lab.servers.PostgresServer;
import dev.caravan.operate.partition.Pruning;
import dev.caravan.operate.partition.Retention;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A database with the tables of the outbox and a clock that is set. It is used for one history after the other. */
final class HistoryDatabase implements AutoCloseable {
    private static final String[] CLOCK = {
        "create sequence history_time",
        "create function clock_timestamp() returns timestamptz language sql volatile as"
                + " $$ select to_timestamp(0) + last_value * interval '1 microsecond' from history_time $$",
        "create function now() returns timestamptz language sql stable as"
                + " $$ select to_timestamp(0) + last_value * interval '1 microsecond' from history_time $$"
    };
    /** Postgres searches its own functions last, so the functions of the clock above replace them. */
    private static final String SEARCH_PATH = "public, pg_catalog";

    private static final String[] REFUSAL = {
        "create sequence history_refused",
        "create function history_refuse() returns trigger language plpgsql as $$ begin"
                + " if new.aggregate_id = 'k0' and (select is_called from history_refused) then"
                + " raise exception 'refused' using errcode = '23514'; end if; return new; end $$",
        "create trigger history_refuse before insert or update on outbox_retry for each row execute function history_refuse()",
        "create trigger history_refuse before insert on outbox_dead_letter for each row execute function history_refuse()"
    };
    /** How long a person waits for a lock that a relay holds. */
    private static final String SHORT_LOCK_TIMEOUT = "set lock_timeout = '20ms'";

    private static final String EMPTY = "delete from outbox; delete from outbox_subscription; delete from outbox_retry;"
            + " delete from outbox_dead_letter; delete from outbox_discarded; delete from outbox_audit; delete from outbox_relay;"
            + " select setval('outbox_id_seq', 1, false), setval('history_refused', 1, false)";
    private static final String NEW_FILES =
            "truncate outbox, outbox_subscription, outbox_retry, outbox_dead_letter, outbox_discarded, outbox_audit,"
                    + " outbox_relay";
    private static final int HISTORIES_PER_FILE = 100;
    /** The first ids of the partitions: the first ones are small, so that a history can prune them. */
    private static final int[] BOUNDS = {0, 5, 10, 20, 1_000_000};

    private final Histories histories = new Histories();
    private final HikariDataSource relays;
    private final DataSource unpooled;
    private final Connection observer;
    private final JdbcTemplate jdbc;
    /** Two for each lane of the relays of a history. */
    private static final int CONNECTIONS = 40;

    private final SingleConnectionDataSource people;
    private final List<Connection> writers = new ArrayList<>();
    private int resets;
    private boolean pruned;

    private HistoryDatabase(PostgresServer server, String name) throws SQLException {
        unpooled = server.dataSource(name);
        relays = withSteppedTime(Settings.load(
                Path.of("none.properties"),
                Map.of(
                        "caravan.db.url", server.url(name),
                        "caravan.db.user", server.user(),
                        "caravan.db.password", server.password())));
        observer = unpooled.getConnection();
        jdbc = new JdbcTemplate(new SingleConnectionDataSource(observer, true));
        people = new SingleConnectionDataSource(unpooled.getConnection(), true);
        new JdbcTemplate(people).execute(SHORT_LOCK_TIMEOUT);
    }

    /** The pool of a relay; its sessions find the functions of the stepped time before those of Postgres. */
    private static HikariDataSource withSteppedTime(Settings settings) {
        HikariConfig config = new HikariConfig();
        try (HikariDataSource pool = Connections.of(settings).outboxPool()) {
            pool.copyStateTo(config);
        }
        config.setMaximumPoolSize(CONNECTIONS);
        config.setConnectionInitSql("set search_path = " + SEARCH_PATH); // after the statements of each session
        return new HikariDataSource(config);
    }

    /** Creates a database on a server that allows prepared transactions. */
    static HistoryDatabase create(PostgresServer server) throws SQLException {
        String name = server.createDatabase();
        try (Connection connection = server.dataSource(name).getConnection()) {
            for (String each : CLOCK) {
                Sql.execute(connection, each);
            }
            Sql.execute(connection, "alter database " + name + " set search_path = " + SEARCH_PATH);
        }
        new Schema(server.dataSource(name)).apply();
        HistoryDatabase database = new HistoryDatabase(server, name);
        List.of(REFUSAL).forEach(database.jdbc::execute);
        database.jdbc.execute("drop table outbox_from_0");
        database.createPartitions();
        Replica.prepare(database.jdbc);
        return database;
    }

    /** Empties all tables. */
    void reset() {
        jdbc.queryForList("select gid from pg_prepared_xacts where database = current_database()", String.class)
                .forEach(gid -> jdbc.execute("rollback prepared '" + gid + "'"));
        if (resets++ % HISTORIES_PER_FILE == 0) {
            jdbc.execute(NEW_FILES);
        }
        jdbc.execute(EMPTY);
        if (pruned) {
            createPartitions();
        }
    }

    void setTime(long micros) {
        jdbc.queryForObject("select setval('history_time', ?)", Long.class, micros);
    }

    /** Prunes all partitions that are not needed, whatever their age, in one attempt. No effect while a transaction locks the outbox. */
    void prune() throws SQLException {
        try {
            new Pruning(unpooled, 1).run(Retention.of(Duration.ZERO), partition -> true, name -> pruned = true);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Violation("interrupted");
        }
    }

    /** Creates the small partitions again that were pruned. */
    private void createPartitions() {
        for (int i = 0; i + 1 < BOUNDS.length; i++) {
            jdbc.execute("create table if not exists outbox_part_" + i + " partition of outbox for values from ("
                    + BOUNDS[i] + ") to (" + BOUNDS[i + 1] + ")");
        }
        pruned = false;
    }

    /** Sets whether the database refuses to store failures of one key. */
    void refuse(boolean refuses) {
        jdbc.queryForObject("select setval('history_refused', 1, ?)", Long.class, refuses);
    }

    boolean waitsForLock(int process) {
        return Boolean.TRUE.equals(jdbc.queryForObject(
                "select coalesce((select wait_event_type = 'Lock' from pg_stat_activity where pid = ?), false)",
                Boolean.class,
                process));
    }

    void endSession(int process) {
        jdbc.queryForList("select pg_terminate_backend(?, 5000)", process);
    }

    /** Ends all sessions of relays; the next ones are new. */
    void endSessionsOfRelays() {
        jdbc.queryForList("select pg_terminate_backend(pid, 5000) from pg_stat_activity"
                + " where datname = current_database() and application_name = 'caravan'");
        relays.getHikariPoolMXBean().softEvictConnections();
    }

    JdbcTemplate jdbc() {
        return jdbc;
    }

    HikariDataSource relays() {
        return relays;
    }

    /** Connections that do not wait long for a lock. */
    DataSource people() {
        return people;
    }

    /** The connection of a session of the application; it stays open for the next history. */
    Connection writer(int number) throws SQLException {
        while (writers.size() <= number) {
            writers.add(unpooled.getConnection());
        }
        return writers.get(number);
    }

    Histories histories() {
        return histories;
    }

    @Override
    public void close() throws SQLException {
        relays.close();
        people.destroy();
        for (Connection writer : writers) {
            writer.close();
        }
        observer.close();
    }
}
