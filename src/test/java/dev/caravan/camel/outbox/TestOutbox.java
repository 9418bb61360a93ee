package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.TestPostgres;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.Settings;
import dev.caravan.database.Connections;
import dev.caravan.database.Database;
import dev.caravan.database.schema.Schema;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.SubscriptionStore;
import dev.caravan.lab.servers.RelayGrants;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A database with an empty outbox, for one test, and what an application does with it. It opens connections only when they are requested.
 * A test need not close it: {@link LeftOpenOutboxes} does.
 */
public final class TestOutbox implements AutoCloseable {
    /** The row of a subscription. */
    public record Saved(long position, IdRanges gaps, String owner, long epoch, boolean paused) {}

    /** A row of {@code outbox_retry}. */
    public record Waiting(long id, boolean blocked, int attempts) {}

    public static final String PASSWORD_OF_ROLES = "relay";
    /** What people changed, one row for each message: the audit has one row for each step of a change of many. */
    public static final String AUDITED =
            "(select action, who, reason, message from outbox_audit where message is not null"
                    + " union all select action, who, reason, generate_series(lower(ids), upper(ids) - 1)"
                    + " from outbox_audit cross join unnest(messages) ids) audited";

    private final String database;
    private final HikariDataSource pooled;
    private final JdbcTemplate jdbc;
    private final List<AutoCloseable> open = new ArrayList<>();

    private TestOutbox(String database) {
        this.database = database;
        pooled = applicationPool();
        jdbc = new JdbcTemplate(pooled);
        LeftOpenOutboxes.OPEN.add(this);
    }

    public static TestOutbox create() {
        return on(TestPostgres::databaseWithTables);
    }

    /** A database without the tables. */
    public static TestOutbox withoutTables() {
        return on(TestPostgres.server()::createDatabase);
    }

    private static TestOutbox on(Callable<String> database) {
        try {
            return new TestOutbox(database.call());
        } catch (Exception e) {
            throw new IllegalStateException("Could not create a database", e);
        }
    }

    /** Leaves this open until the JVM ends, for tests of several classes. */
    public TestOutbox sharedByClasses() {
        LeftOpenOutboxes.OPEN.remove(this);
        return this;
    }

    void createTables() throws SQLException {
        new Schema(TestPostgres.server().dataSource(database)).apply();
    }

    /** Unlike those of relays, its sessions are never cut. */
    private HikariDataSource applicationPool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(unpooled());
        pool.setMinimumIdle(0); // each session takes 30 ms of processor time or more
        pool.setInitializationFailTimeout(-1); // otherwise the pool opens one at once, and closes it
        open.add(pool);
        return pool;
    }

    /** A pool as a relay has it; closed with this. */
    public HikariDataSource pool() {
        HikariDataSource pool = Connections.of(settings(Map.of())).outboxPool();
        open.add(pool);
        return pool;
    }

    /** The same for a {@link #roleWithGrants}; closed by the caller. */
    public HikariDataSource poolOfRoleWithGrants() throws SQLException {
        return Connections.of(
                        settings(Map.of("caravan.db.user", roleWithGrants(), "caravan.db.password", PASSWORD_OF_ROLES)))
                .outboxPool();
    }

    /** Creates a role with the grants of a relay and no more; returns its name. Its password is {@link #PASSWORD_OF_ROLES}. */
    public String roleWithGrants() throws SQLException {
        String role = role("relay");
        execute(RelayGrants.to(role));
        return role;
    }

    /** Creates a role without grants; returns its name, which no other database has. */
    public String role(String suffix) throws SQLException {
        String role = database + "_" + suffix;
        execute("create role " + role + " login password '" + PASSWORD_OF_ROLES + "'");
        return role;
    }

    /** The settings that connect a relay to this database. */
    public Map<String, String> connection() {
        return Map.of(
                "caravan.db.url",
                url(),
                "caravan.db.user",
                TestPostgres.server().user(),
                "caravan.db.password",
                TestPostgres.server().password());
    }

    /** Settings of a relay on this database, without a file. */
    public Settings settings(Map<String, String> more) {
        Map<String, String> values = new HashMap<>(connection());
        values.putAll(more);
        return Settings.load(Path.of("none.properties"), values);
    }

    /** Settings of a relay on this database that loads the routes of a folder. */
    public Settings settingsWithRoutes(Path routes, Map<String, String> more) {
        Map<String, String> values = new HashMap<>(more);
        values.put("caravan.routes", routes.toString());
        return settings(values);
    }

    /**
     * Shifts the clock of this database by some hours, in sessions that begin later. In these, Postgres searches its own functions last.
     */
    public void shiftClock(int hours) throws SQLException {
        for (String clock : List.of("clock_timestamp", "now")) {
            execute("create function public." + clock + "() returns timestamptz language sql as $$ select pg_catalog."
                    + clock + "() + interval '" + hours + " hours' $$");
        }
        execute("alter database " + database + " set search_path = public, pg_catalog");
        pooled.getHikariPoolMXBean().softEvictConnections();
    }

    /** The name of the database. */
    public String database() {
        return database;
    }

    public String url() {
        return TestPostgres.server().url(database);
    }

    /** Connections from the pool of the application: a session for each would take more processor time than most statements. */
    public DataSource dataSource() {
        return pooled;
    }

    /** Each connection is a session of its own, for what a session keeps: settings, locks, its end. */
    public DataSource unpooled() {
        return TestPostgres.server().dataSource(database);
    }

    public DataSource unpooledAs(String role, String password) {
        return Database.unpooled(url(), role, password);
    }

    public JdbcTemplate jdbc() {
        return jdbc;
    }

    /** The row of the only lane of the subscription orders, as the relay with this name sees it. */
    public SubscriptionStore store(String relay, Duration lease) {
        return new SubscriptionStore(jdbc, LaneId.only("orders"), relay, lease, false, Clock.SYSTEM);
    }

    /** Executes statements in a pooled session, or with values one statement. */
    public void execute(String sql, Object... values) {
        if (values.length == 0) {
            jdbc.execute(sql);
        } else {
            jdbc.update(sql, values);
        }
    }

    /** The first column of the only row. */
    public long number(String query, Object... values) {
        return Long.parseLong(text(query, values));
    }

    /** Whether the first column of the only row is true. */
    boolean holds(String query, Object... values) {
        return "t".equals(text(query, values));
    }

    /** The first column of the first row; null if there is no row. */
    public String text(String query, Object... values) {
        return jdbc.query(query, rows -> rows.next() ? rows.getString(1) : null, values);
    }

    /** Ends the sessions of all relays on this database from the server; returns their number. */
    public long cutConnectionsOfRelays() throws SQLException {
        return number("select count(pg_terminate_backend(pid)) from pg_stat_activity"
                + " where datname = current_database() and application_name = 'caravan' and pid <> pg_backend_pid()");
    }

    /** Ends the sessions of all relays and lets no new session begin. */
    public void refuseConnections() throws SQLException {
        jdbc.execute("select 1"); // its session stays
        allowConnections(false);
        jdbc.queryForList("select pg_terminate_backend(pid) from pg_stat_activity"
                + " where datname = current_database() and pid <> pg_backend_pid()");
    }

    public void acceptConnections() throws SQLException {
        allowConnections(true);
    }

    private void allowConnections(boolean allowed) throws SQLException {
        try (var other = TestPostgres.server().dataSource("postgres").getConnection();
                var statement = other.createStatement()) {
            statement.execute("alter database " + database + " allow_connections " + allowed);
        }
    }

    /** Ends every connection of the relays, which makes their statistics visible. */
    void closePools() {
        open.stream().filter(HikariDataSource.class::isInstance).forEach(pool -> ((HikariDataSource) pool).close());
    }

    /** Inserts a message in a transaction of its own; returns its id. */
    public long insert(String key) {
        return insert(key, "order.created", "{}");
    }

    public long insert(String key, String type, String payload) {
        return jdbc.queryForObject(ApplicationTransaction.INSERT, Long.class, key, type, payload);
    }

    /** Inserts a message with headers, as JSON, and a payload that is not empty; returns its id. */
    long insertWithHeaders(String headers) {
        return number(
                "insert into outbox (aggregate_type, aggregate_id, type, headers, payload)"
                        + " values ('order', 'a', 'order.created', ?::jsonb, '{\"a\":1}') returning id",
                headers);
    }

    /** Inserts messages, each with a key of its own, in one transaction. */
    public void insert(int messages) throws SQLException {
        execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " select 'order', n::text, 'order.created', '{}' from generate_series(1, " + messages + ") n");
    }

    /** Inserts messages 1 to count for each key in turn, all in one transaction. */
    public void insertMany(int count, int keys) {
        jdbc.update(
                "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                        + " select 'order', 'k' || (n % ?), 'order.created', '{}' from generate_series(1, ?) n",
                keys, count);
    }

    /** Opens a transaction of the application, which runs these statements. */
    public ApplicationTransaction begin(String... statements) throws SQLException {
        ApplicationTransaction transaction =
                new ApplicationTransaction(unpooled().getConnection());
        open.add(transaction);
        for (String each : statements) {
            transaction.run(each);
        }
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

    /** Waits until the progress has passed a position and nothing at or below it is open. */
    public void awaitPassed(String subscription, long position) throws Exception {
        eventually(() -> assertThat(passed(subscription, position))
                .as(() -> saved(subscription).toString())
                .isTrue());
    }

    /** Whether the progress has passed a position and nothing at or below it is open. */
    public boolean passed(String subscription, long position) {
        Saved saved = saved(subscription);
        return saved.position() >= position && saved.gaps().isEmpty();
    }

    @Override
    public void close() throws Exception {
        LeftOpenOutboxes.OPEN.remove(this);
        for (AutoCloseable each : open) {
            each.close();
        }
        TestPostgres.server().dropDatabase(database);
    }
}
