package dev.caravan.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.postgresql.PGProperty;

/**
 * Opens the sessions with which lanes, housekeeping and monitoring work: with the database of the settings of a relay, or with the database of
 * a data source of an application. Such a data source only says where the database is and who logs in, and is asked again for each session,
 * because passwords change. Its own connections have the settings of the application, and are never used here.
 */
public final class Connections {
    /**
     * The connections of the outbox component, whatever the number of lanes: two for the reader, and two for each turn that may run at the same
     * time, because a turn that reads needs a second one to save. With fewer, turns could wait for each other.
     */
    public static final int OF_LANES = 10;

    public static final int OF_HOUSEKEEPING = 2;

    /** For message ids: a delivery uses one for a millisecond. */
    public static final int OF_IDS = 5;

    public static final int OF_MONITORING = 3;

    /** For all intakes: one uses a connection for a statement that copies rows or renews its lease, and never while its source works. */
    public static final int OF_INTAKES = 2;

    private static final int WAKE_UP_SOCKET_TIMEOUT_SECONDS = 5;
    /** Four times as long as a proof of presence is valid, so that a short pause of the database does not end the session. */
    private static final int PRESENCE_SOCKET_TIMEOUT_SECONDS = 2;

    private static final int MONITORING_STATEMENT_SECONDS = 4;

    /**
     * The driver gives parameters that are texts no type, and the server takes the type of the other side. As {@code varchar} they would match
     * no operator exactly, and an operator that another role has created in the schema would be used.
     */
    private static final String TEXT_OF_ANY_TYPE = "unspecified";

    /** All lanes share a few connections: one whose row somebody has locked must not keep one for long. Shorter than a lease. */
    private static final String LOCK_TIMEOUT = "set lock_timeout = '1s'";

    /** Used if the URL has no {@code connectTimeout}. */
    private static final int CONNECT_SECONDS = 5;

    /** Used if the URL has no {@code socketTimeout}. Longer than any statement of a relay. */
    private static final int SOCKET_SECONDS = 30;

    private final Supplier<Login> login;
    private final OutboxSchema schema;

    private Connections(Supplier<Login> login, OutboxSchema schema) {
        this.login = login;
        this.schema = schema;
        login.get(); // fails now, not at the first session
    }

    /**
     * With the database of the settings {@code caravan.db.*}.
     *
     * @throws SettingsException if the URL or the schema is invalid
     */
    public static Connections of(Settings settings) {
        return of(settings, OutboxSchema.of(settings));
    }

    static Connections of(Settings settings, OutboxSchema schema) {
        return new Connections(
                login(
                        "caravan.db.url",
                        settings.text("caravan.db.url", Login.DEFAULT_URL),
                        settings.text("caravan.db.user", null),
                        settings.text("caravan.db.password", null)),
                schema);
    }

    /**
     * With the database of a data source.
     *
     * @throws SettingsException if its URL cannot be read, or is not one of Postgres
     */
    public static Connections of(DataSource application, OutboxSchema schema) {
        return new Connections(() -> DataSourceLogin.of(application), schema);
    }

    /**
     * With the database of a URL of JDBC, or of a folder: {@code embedded:/var/lib/caravan}.
     *
     * @param user null for that of the URL
     * @param password null for that of the URL
     * @throws SettingsException if the URL is not one of Postgres
     */
    public static Connections of(String url, String user, String password, OutboxSchema schema) {
        return new Connections(login("The option url of the component outbox", url, user, password), schema);
    }

    /** A Postgres that a relay runs has a role and a password of its own, and perhaps another port after each start. */
    private static Supplier<Login> login(String origin, String url, String user, String password) {
        Optional<EmbeddedFolder> embedded = EmbeddedFolder.of(origin, url);
        if (embedded.isPresent()) {
            return embedded.get()::login;
        }
        Login login = new Login(origin, url, user, password, Map.of());
        return () -> login;
    }

    /** The pool of the outbox component, with the planner settings for reading. All lanes share it. */
    public HikariDataSource outboxPool() {
        return pool("outbox", OF_LANES, ownStart() + "; " + ReadPlans.SETTINGS + "; " + LOCK_TIMEOUT);
    }

    /** The pool with which the routes of an application store and look up message ids. */
    public HikariDataSource idsPool() {
        return pool("ids", OF_IDS, ownStart());
    }

    /**
     * The pool of housekeeping. Not a pool of routes or of an application: other roles may create operators and functions in the
     * schemas of its search_path.
     */
    public HikariDataSource housekeepingPool() {
        return pool("housekeeping", OF_HOUSEKEEPING, ownStart());
    }

    /** The pool of the intakes, with the planner settings of the tables of failures. */
    public HikariDataSource intakesPool() {
        return pool("intakes", OF_INTAKES, ownStart() + "; " + ReadPlans.OF_FAILURES + "; " + LOCK_TIMEOUT);
    }

    /**
     * Two connections for sampling, one of them for the partitions, and one for notices, separate from the connections for delivery. Statements
     * are cancelled after 4 s.
     */
    public HikariDataSource monitoringPool() {
        Duration statements = shorter(Duration.ofSeconds(MONITORING_STATEMENT_SECONDS), statements());
        return pool("monitoring", OF_MONITORING, SessionStart.own(schema, statements) + "; " + SessionStart.ALL_ROWS);
    }

    /**
     * The connection for wake-up notifications, outside of the pools. It stays open; a short socket timeout detects a half-open
     * connection.
     */
    public DataSource wakeUp() {
        return keptOpen(WAKE_UP_SOCKET_TIMEOUT_SECONDS);
    }

    /** The connection that shows that this process is running, outside of the pools. */
    public DataSource presence() {
        return keptOpen(PRESENCE_SOCKET_TIMEOUT_SECONDS);
    }

    private DataSource keptOpen(int socketSeconds) {
        return unpooled(within(Duration.ofSeconds(socketSeconds)), false)
                .fix(PGProperty.SOCKET_TIMEOUT, Integer.toString(socketSeconds));
    }

    /** Unpooled connections that check the tables. */
    public DataSource toCheck() {
        return unpooled(statements(), true)
                .orElse(PGProperty.SOCKET_TIMEOUT, Integer.toString(SOCKET_SECONDS)); // a start or stop may wait for it
    }

    /** Unpooled connections without a statement timeout that create the tables, and the schema if it does not exist. */
    public DataSource toMigrate() {
        return unlimited(false);
    }

    /** Unpooled connections without a statement timeout. */
    DataSource unlimited(boolean schemaRequired) {
        return unpooled(Duration.ZERO, schemaRequired).fix(PGProperty.SOCKET_TIMEOUT, "0");
    }

    /** The longest time that a relay waits for a database that does not respond. */
    public Duration longestWait() {
        return socketTimeout().plus(connectTimeout());
    }

    /** @param statements the time after which the server ends a statement; zero for no limit */
    Sessions unpooled(Duration statements, boolean schemaRequired) {
        return own(unpooled(SessionStart.own(schema, statements), schemaRequired));
    }

    /** For statements of users, too: texts have the type that the driver gives them. */
    Sessions unpooled(String start, boolean schemaRequired) {
        return new Sessions(login, start, schemaRequired)
                .orElse(PGProperty.CONNECT_TIMEOUT, Integer.toString(CONNECT_SECONDS))
                .fix(PGProperty.TCP_KEEP_ALIVE, "true")
                .fix(PGProperty.APPLICATION_NAME, "caravan");
    }

    /** Sessions of a pool. */
    Sessions pooled(String start) {
        return new Sessions(login, start, false)
                .orElse(PGProperty.APPLICATION_NAME, "caravan")
                .orElse(PGProperty.TCP_KEEP_ALIVE, "true")
                // The pool logs errors, and the error of a batch would contain its values, including payloads.
                .orElse(PGProperty.LOG_SERVER_ERROR_DETAIL, "false")
                // Ends a half-open connection.
                .orElse(PGProperty.SOCKET_TIMEOUT, Integer.toString(SOCKET_SECONDS));
    }

    /** For Caravan's own statements. */
    static Sessions own(Sessions sessions) {
        return sessions.fix(PGProperty.STRING_TYPE, TEXT_OF_ANY_TYPE);
    }

    private HikariDataSource pool(String name, int connections, String start) {
        HikariConfig config = config(name, own(pooled(start)));
        config.setMaximumPoolSize(connections);
        return new HikariDataSource(config);
    }

    HikariConfig config(String name, Sessions sessions) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("caravan-" + name);
        config.setDataSource(sessions);
        config.setConnectionTimeout(connectTimeout().toMillis());
        config.setMinimumIdle(0); // opens connections only when needed
        config.setInitializationFailTimeout(-1); // can be created while the database is unavailable
        // Overrides the default of the role: a statement that waited for a lock must see rows committed meanwhile.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setExceptionOverrideClassName(UselessConnection.class.getName());
        return config;
    }

    private String ownStart() {
        return SessionStart.own(schema, statements()) + "; " + SessionStart.ALL_ROWS;
    }

    OutboxSchema schema() {
        return schema;
    }

    /** The time after which the server ends a statement: earlier than the socket is closed, so that no abandoned statement runs on. */
    Duration statements() {
        return within(socketTimeout());
    }

    static Duration within(Duration socket) {
        return socket.minus(socket.dividedBy(10));
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private Duration connectTimeout() {
        return login.get().timeout(PGProperty.CONNECT_TIMEOUT, CONNECT_SECONDS);
    }

    private Duration socketTimeout() {
        return login.get().timeout(PGProperty.SOCKET_TIMEOUT, SOCKET_SECONDS);
    }
}
