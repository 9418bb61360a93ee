package dev.caravan.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.TestPostgres;
import dev.caravan.database.Database;
import dev.caravan.lab.servers.PostgresServer;
import dev.caravan.lab.servers.RelayGrants;
import dev.caravan.progress.IdRanges;
import dev.caravan.schema.Schema;
import dev.caravan.settings.Settings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A database with an empty outbox, for one test, and what an application does with it. */
public final class TestOutbox implements AutoCloseable {
    private static final PostgresServer SERVER = TestPostgres.server();

    /** The row of a subscription. */
    public record Saved(long position, IdRanges gaps, String owner, long epoch, boolean paused) {}

    /** A row of {@code outbox_retry}. */
    public record Waiting(long id, boolean blocked, int attempts) {}

    private final String database;
    private final JdbcTemplate jdbc;
    private final List<AutoCloseable> open = new ArrayList<>();

    private TestOutbox(String database) {
        this.database = database;
        jdbc = new JdbcTemplate(applicationPool());
    }

    public static TestOutbox create() throws SQLException {
        return new TestOutbox(TestPostgres.databaseWithTables());
    }

    /** Ends the sessions of all relays on this database from the side of the server; returns how many. */
    int cutConnectionsOfRelays() throws SQLException {
        try (var connection = unpooled().getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery(
                        "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                                + " where datname = current_database() and application_name = 'caravan' and pid <> pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }

    /** Ends every connection of the relays, which makes their statistics visible. */
    void closePools() {
        open.stream().filter(HikariDataSource.class::isInstance).forEach(pool -> ((HikariDataSource) pool).close());
    }

    /** How many rows of a table were updated, updated in place (HOT), deleted, and are dead. */
    Map<String, Long> statistics(String table) throws SQLException {
        try (var connection = unpooled().getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery("select n_tup_upd, n_tup_hot_upd, n_tup_del, n_dead_tup"
                        + " from pg_stat_user_tables where relname = '" + table + "'")) {
            row.next();
            return Map.of(
                    "updated",
                    row.getLong(1),
                    "hot",
                    row.getLong(2),
                    "deleted",
                    row.getLong(3),
                    "dead",
                    row.getLong(4));
        }
    }

    /** A database without the tables. */
    static TestOutbox withoutTables() throws SQLException {
        return new TestOutbox(SERVER.createDatabase());
    }

    void createTables() throws SQLException {
        new Schema(SERVER.dataSource(database)).apply();
    }

    /** Unlike those of relays, its sessions are never cut. */
    private HikariDataSource applicationPool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(unpooled());
        pool.setMinimumIdle(1);
        open.add(pool);
        return pool;
    }

    /** A pool as a relay has it; closed with this. */
    public HikariDataSource pool() {
        HikariDataSource pool = Database.outboxPool(settings(Map.of()));
        open.add(pool);
        return pool;
    }

    /** The same for a role with no more than what {@code check} asks for; closed by the caller. */
    public HikariDataSource poolOfRoleWithGrants() {
        String role = database + "_relay";
        jdbc.execute("create role " + role + " login password 'relay';" + RelayGrants.to(role));
        return Database.outboxPool(settings(Map.of("caravan.db.user", role, "caravan.db.password", "relay")));
    }

    /** Settings of a relay on this database. */
    Settings settings(Map<String, String> more) {
        var values = new java.util.HashMap<>(Map.of(
                "caravan.db.url", SERVER.url(database),
                "caravan.db.user", SERVER.user(),
                "caravan.db.password", SERVER.password()));
        values.putAll(more);
        return Settings.load(Path.of("none.properties"), values);
    }

    /** Its name. */
    String database() {
        return database;
    }

    public DataSource unpooled() {
        return SERVER.dataSource(database);
    }

    public JdbcTemplate jdbc() {
        return jdbc;
    }

    /** Inserts a message in a transaction of its own; returns its id. */
    public long insert(String key) {
        return insert(key, "order.created", "{}");
    }

    public long insert(String key, String type, String payload) {
        return jdbc.queryForObject(Transaction.INSERT, Long.class, key, type, payload);
    }

    /** Inserts messages 1 to count for each key in turn, all in one transaction. */
    public void insertMany(int count, int keys) {
        jdbc.update(
                "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                        + " select 'order', 'k' || (n % ?), 'order.created', '{}' from generate_series(1, ?) n",
                keys, count);
    }

    /** Opens a transaction of the application. */
    public Transaction begin() throws SQLException {
        Transaction transaction = new Transaction(unpooled().getConnection());
        open.add(transaction);
        return transaction;
    }

    public Saved saved(String subscription) {
        return jdbc
                .query(
                        "select position, (gaps + coalesce(older_gaps, '{}'))::text, owner, epoch, paused"
                                + " from outbox_subscription where name = ?",
                        (row, n) -> new Saved(
                                row.getLong(1),
                                IdRanges.parse(row.getString(2)),
                                row.getString(3),
                                row.getLong(4),
                                row.getBoolean(5)),
                        subscription)
                .stream()
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no subscription " + subscription));
    }

    /** What waits in {@code outbox_retry}, in order of id. */
    public List<Waiting> waiting(String subscription) {
        return jdbc.query(
                "select id, blocked, attempts from outbox_retry where subscription = ? order by id",
                (row, n) -> new Waiting(row.getLong(1), row.getBoolean(2), row.getInt(3)),
                subscription);
    }

    /** The ids in {@code outbox_dead_letter}. */
    public List<Long> dead(String subscription) {
        return jdbc.queryForList(
                "select id from outbox_dead_letter where subscription = ? order by id", Long.class, subscription);
    }

    /** Whether the progress has passed a position and nothing at or below it is open. */
    public boolean passed(String subscription, long position) {
        Saved saved = saved(subscription);
        return saved.position() >= position && saved.gaps().isEmpty();
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    /** An open transaction of the application. */
    public static final class Transaction implements AutoCloseable {
        private static final String INSERT =
                "insert into outbox (aggregate_type, aggregate_id, type, payload) values ('order', ?, ?, ?::json) returning id";

        private final Connection connection;

        Transaction(Connection connection) throws SQLException {
            this.connection = connection;
            connection.setAutoCommit(false);
        }

        Connection connection() {
            return connection;
        }

        public long insert(String key) throws SQLException {
            try (var insert = connection.prepareStatement(INSERT)) {
                insert.setString(1, key);
                insert.setString(2, "order.created");
                insert.setString(3, "{}");
                try (var row = insert.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        }

        public void run(String sql) throws SQLException {
            try (var statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        public long number(String query) throws SQLException {
            try (var statement = connection.createStatement();
                    var row = statement.executeQuery(query)) {
                row.next();
                return row.getLong(1);
            }
        }

        public void commit() throws SQLException {
            connection.commit();
        }

        public void rollback() throws SQLException {
            connection.rollback();
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
