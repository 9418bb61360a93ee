package dev.caravan.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;

/** Creates connections and pools from the settings {@code caravan.db.*}. */
public final class Database {
    private static final int WAKE_UP_SOCKET_TIMEOUT_SECONDS = 5;
    /** Four times as long as a proof of presence is valid, so that a short pause of the database does not end the session. */
    private static final int PRESENCE_SOCKET_TIMEOUT_SECONDS = 2;

    /** Two for what each of three roles reads, one for changes and two for jobs. */
    private static final int API_CONNECTIONS = 9;

    private static final long API_CONNECT_MILLIS = 2_000;
    private static final int API_STATEMENT_SECONDS = 5;
    private static final int SURVEY_STATEMENT_SECONDS = 2;
    private static final int MONITORING_STATEMENT_SECONDS = 4;

    /** Two for housekeeping, and one for notices. */
    public static final int HOUSEKEEPING_CONNECTIONS = 3;

    /**
     * The driver gives parameters that are texts no type, and the server takes the type of the other side. As {@code varchar} they would match
     * no operator exactly, and an operator that another role has created in the schema would be used.
     */
    private static final String TEXT_OF_ANY_TYPE = "unspecified";

    /** All lanes share a few connections: one whose row somebody has locked must not keep one for long. Shorter than a lease. */
    private static final String LOCK_TIMEOUT = "set lock_timeout = '1s'";

    private static final String DEFAULT_URL = "jdbc:postgresql://localhost:5432/postgres";

    /**
     * The connections of the outbox component, whatever the number of lanes: two for the reader, and two for each turn that may run at the same
     * time, because a turn that reads needs a second one to save. With fewer, turns could wait for each other.
     */
    public static final int CONNECTIONS = 10;

    /** The connections of the routes before any route runs; {@code ConnectionPools} raises it. */
    private static final int FIRST_CONNECTIONS_OF_ROUTES = 10;

    private static final int MAX_CONNECTIONS_OF_ROUTES = 50;

    /** Used if the URL has no {@code connectTimeout}. */
    private static final int CONNECT_SECONDS = 5;

    /** Used if the URL has no {@code socketTimeout}. Longer than any statement of a relay. */
    private static final int SOCKET_SECONDS = 30;

    /** Long enough to search a large outbox; shorter than a person or a job waits. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofMinutes(5);

    private Database() {}

    /**
     * The maximum number of connections that the pool of the routes opens. It is limited, because many deliveries at once must not use
     * all connections of the server.
     *
     * @param concurrency the largest of a route
     */
    public static int connectionsOfRoutes(int concurrency) {
        return Math.min(MAX_CONNECTIONS_OF_ROUTES, Math.max(FIRST_CONNECTIONS_OF_ROUTES, concurrency));
    }

    /** The pool of the outbox component, with the planner settings for reading. All lanes share it. */
    public static HikariDataSource outboxPool(Settings settings) {
        HikariConfig config = ownConfig(settings, "outbox");
        config.setConnectionInitSql(SessionStart.own(OutboxSchema.of(settings), statements(settings)) + "; "
                + SessionStart.ALL_ROWS + "; " + ReadPlans.SETTINGS + "; " + LOCK_TIMEOUT);
        config.setMaximumPoolSize(CONNECTIONS);
        return new HikariDataSource(config);
    }

    /**
     * The pool named {@code dataSource} for routes: idempotent repositories and {@code sql:} endpoints. Tables that are not in Caravan's
     * schema are found on the role's own search_path. Caravan runs none of its own statements there.
     */
    public static HikariDataSource routesPool(Settings settings) {
        HikariConfig config = config(settings, "routes");
        config.setConnectionInitSql(SessionStart.ofRoutes(OutboxSchema.of(settings), statements(settings)));
        config.setMaximumPoolSize(FIRST_CONNECTIONS_OF_ROUTES);
        return new HikariDataSource(config);
    }

    /**
     * The pool of housekeeping and notices. Not the pool of the routes: other roles may create operators and functions in the schemas of its
     * search_path.
     */
    public static HikariDataSource housekeepingPool(Settings settings) {
        HikariConfig config = ownConfig(settings, "housekeeping");
        config.setConnectionInitSql(
                SessionStart.own(OutboxSchema.of(settings), statements(settings)) + "; " + SessionStart.ALL_ROWS);
        config.setMaximumPoolSize(HOUSEKEEPING_CONNECTIONS);
        return new HikariDataSource(config);
    }

    /**
     * The pool of the HTTP API: few connections, none while idle, and short timeouts, so that a request fails fast when the database
     * is unavailable, and delivery is not slowed down.
     */
    public static HikariDataSource apiPool(Settings settings) {
        return new HikariDataSource(apiConfig(settings, OutboxSchema.of(settings)));
    }

    /**
     * The pool of the HTTP API for another schema of the database. Without requests it has neither connections nor threads.
     *
     * @param timer closes idle connections; pools may share it
     */
    public static HikariDataSource apiPool(Settings settings, OutboxSchema schema, ScheduledExecutorService timer) {
        HikariConfig config = apiConfig(settings, schema);
        config.setScheduledExecutor(timer);
        return new HikariDataSource(config);
    }

    private static HikariConfig apiConfig(Settings settings, OutboxSchema schema) {
        HikariConfig config = ownConfig(settings, "api");
        config.setMaximumPoolSize(API_CONNECTIONS);
        config.setIdleTimeout(60_000);
        config.setConnectionTimeout(API_CONNECT_MILLIS);
        config.setValidationTimeout(API_CONNECT_MILLIS / 2);
        config.addDataSourceProperty("connectTimeout", Long.toString(API_CONNECT_MILLIS / 1_000));
        config.addDataSourceProperty("socketTimeout", Long.toString(2 * API_STATEMENT_SECONDS));
        Duration statements = shorter(Duration.ofSeconds(API_STATEMENT_SECONDS), statements(settings));
        config.setConnectionInitSql(SessionStart.own(schema, statements));
        return config;
    }

    /** The connection that examines all outboxes of the database, one after the other. It is not pooled, because it changes its schema. */
    public static DataSource forSurvey(Settings settings) {
        PGSimpleDataSource source =
                own(settings, OutboxSchema.of(settings), Duration.ofSeconds(SURVEY_STATEMENT_SECONDS), false);
        source.setConnectTimeout((int) (API_CONNECT_MILLIS / 1_000));
        source.setSocketTimeout(2 * SURVEY_STATEMENT_SECONDS);
        return source;
    }

    /**
     * Two connections for sampling, one of them for the partitions, separate from the connections for delivery. Statements are cancelled
     * after 4 s.
     */
    public static HikariDataSource monitoringPool(Settings settings) {
        HikariConfig config = ownConfig(settings, "monitoring");
        Duration statements = shorter(Duration.ofSeconds(MONITORING_STATEMENT_SECONDS), statements(settings));
        config.setConnectionInitSql(
                SessionStart.own(OutboxSchema.of(settings), statements) + "; " + SessionStart.ALL_ROWS);
        config.setMaximumPoolSize(2);
        return new HikariDataSource(config);
    }

    /**
     * Unpooled connections for a single command. A statement that takes longer than 5 minutes is cancelled, and fails half a minute later if the
     * server does not answer.
     */
    public static DataSource forCommand(Settings settings) {
        return forCommand(settings, COMMAND_TIMEOUT);
    }

    static DataSource forCommand(Settings settings, Duration timeout) {
        return limited(settings, timeout.toSeconds(), true);
    }

    /** As {@link #forCommand(Settings)}, but without a statement timeout, for long commands. */
    public static DataSource forLongCommand(Settings settings) {
        return limited(settings, 0, true);
    }

    /** As {@link #forLongCommand}, for migrations, which create the schema if it does not exist. */
    public static DataSource forMigrations(Settings settings) {
        return limited(settings, 0, false);
    }

    /**
     * As {@link #forCommand(Settings)}, for statements on tables of any schema, also before Caravan's schema exists: tables that are not in
     * Caravan's schema are found on the role's own search_path, as in the pool of the routes.
     */
    public static DataSource forAnyTable(Settings settings) {
        String start = SessionStart.any(OutboxSchema.of(settings), COMMAND_TIMEOUT);
        return limited(unpooled(settings, new InitializedConnections(start, false)), COMMAND_TIMEOUT);
    }

    private static DataSource limited(Settings settings, long seconds, boolean schemaRequired) {
        Duration statements = Duration.ofSeconds(seconds);
        return limited(own(settings, OutboxSchema.of(settings), statements, schemaRequired), statements);
    }

    /** The server ends a statement that takes too long. The timeout of the socket is for a server that is unreachable. */
    private static DataSource limited(PGSimpleDataSource source, Duration statements) {
        long seconds = statements.toSeconds();
        source.setSocketTimeout((int) (seconds == 0 ? 0 : seconds + Math.max(1, seconds / 10)));
        return source;
    }

    private static PGSimpleDataSource own(
            Settings settings, OutboxSchema schema, Duration statements, boolean schemaRequired) {
        PGSimpleDataSource source =
                unpooled(settings, new InitializedConnections(SessionStart.own(schema, statements), schemaRequired));
        source.setStringType(TEXT_OF_ANY_TYPE);
        return source;
    }

    private static PGSimpleDataSource unpooled(Settings settings, PGSimpleDataSource source) {
        try {
            source.setConnectTimeout(CONNECT_SECONDS);
            source.setUrl(url(settings)); // overrides the timeout
            source.setSocketTimeout(0); // a command may take long
            source.setTcpKeepAlive(true);
            source.setUser(settings.text("caravan.db.user", null));
            source.setPassword(settings.text("caravan.db.password", null));
            source.setApplicationName("caravan");
            return source;
        } catch (IllegalArgumentException e) {
            throw new SettingsException("caravan.db.url must be a JDBC URL such as " + DEFAULT_URL
                    + ", but the given URL is invalid. Correct it and start again.");
        }
    }

    /**
     * The connection for wake-up notifications, outside of the pools. It stays open; a short socket timeout detects a half-open
     * connection.
     */
    public static DataSource forWakeUp(Settings settings) {
        Duration socket = Duration.ofSeconds(WAKE_UP_SOCKET_TIMEOUT_SECONDS);
        PGSimpleDataSource source = own(settings, OutboxSchema.of(settings), within(socket), false);
        source.setSocketTimeout(WAKE_UP_SOCKET_TIMEOUT_SECONDS);
        return source;
    }

    /**
     * The connection that shows that a relay is running, outside of the pools.
     *
     * @return null if {@code caravan.presence} is false
     */
    public static DataSource forPresence(Settings settings) {
        if (!settings.flag("caravan.presence", true)) {
            return null;
        }
        Duration socket = Duration.ofSeconds(PRESENCE_SOCKET_TIMEOUT_SECONDS);
        PGSimpleDataSource source = own(settings, OutboxSchema.of(settings), within(socket), false);
        source.setSocketTimeout(PRESENCE_SOCKET_TIMEOUT_SECONDS);
        return source;
    }

    /** The configuration of a pool for Caravan's own statements. */
    private static HikariConfig ownConfig(Settings settings, String name) {
        HikariConfig config = config(settings, name);
        config.addDataSourceProperty(PGProperty.STRING_TYPE.getName(), TEXT_OF_ANY_TYPE);
        return config;
    }

    /** The time after which the server ends a statement: earlier than the socket is closed, so that no abandoned statement runs on. */
    private static Duration statements(Settings settings) {
        return within(socketTimeout(settings));
    }

    private static Duration within(Duration socket) {
        return socket.minus(socket.dividedBy(10));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static HikariConfig config(Settings settings, String name) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("caravan-" + name);
        config.setJdbcUrl(url(settings));
        config.setUsername(settings.text("caravan.db.user", null));
        config.setPassword(settings.text("caravan.db.password", null));
        config.setConnectionTimeout(connectTimeout(settings).toMillis());
        config.setMinimumIdle(0); // opens connections only when needed
        config.setInitializationFailTimeout(-1); // can be created while the database is unavailable
        // Overrides the default of the role: a statement that waited for a lock must see rows committed meanwhile.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setExceptionOverrideClassName(UselessConnection.class.getName());
        config.addDataSourceProperty("ApplicationName", "caravan");
        config.addDataSourceProperty("tcpKeepAlive", "true");
        // The pool logs errors, and the error of a batch would contain its values, including payloads.
        config.addDataSourceProperty("logServerErrorDetail", "false");
        // Ends a half-open connection.
        config.addDataSourceProperty("socketTimeout", Integer.toString(SOCKET_SECONDS));
        return config;
    }

    /**
     * @throws SettingsException if a user and a password are before the host, as in the URLs of other drivers: the driver would take them for
     *     a part of its name, which errors and logs contain
     */
    private static String url(Settings settings) {
        String url = settings.text("caravan.db.url", DEFAULT_URL);
        if (url.matches("(?i)jdbc:postgresql://[^/?]*@.*")) {
            throw new SettingsException("caravan.db.url must not contain a user and a password before the host."
                    + " Set caravan.db.user and caravan.db.password (CARAVAN_DB_USER, CARAVAN_DB_PASSWORD).");
        }
        return url;
    }

    /** Unpooled connections to any database, for servers started by a test or command. */
    public static DataSource unpooled(String url, String user, String password) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        source.setUser(user);
        source.setPassword(password);
        return source;
    }

    /** One reader for each setting, so that all wrong values can be reported at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(OutboxSchema::of, Database::forCommand, Database::forPresence, Database::longestWait);
    }

    /** The longest wait for a database that does not respond, without timeouts in its URL. */
    public static final Duration LONGEST_WAIT = Duration.ofSeconds(SOCKET_SECONDS + CONNECT_SECONDS);

    /** The longest time that a relay waits for a database that does not respond. */
    public static Duration longestWait(Settings settings) {
        return socketTimeout(settings).plus(connectTimeout(settings));
    }

    private static Duration connectTimeout(Settings settings) {
        return inUrl(settings, PGProperty.CONNECT_TIMEOUT, CONNECT_SECONDS);
    }

    private static Duration socketTimeout(Settings settings) {
        return inUrl(settings, PGProperty.SOCKET_TIMEOUT, SOCKET_SECONDS);
    }

    /** A timeout of the JDBC URL; the default if the URL has none, or 0, which means unlimited there. */
    private static Duration inUrl(Settings settings, PGProperty timeout, int seconds) {
        try {
            Properties url = Driver.parseURL(url(settings), null);
            int given = url == null || !timeout.isPresent(url) ? 0 : timeout.getInt(url);
            return Duration.ofSeconds(given > 0 ? given : seconds);
        } catch (PSQLException e) {
            throw new SettingsException("The number of seconds " + timeout.getName()
                    + " in caravan.db.url is invalid. Correct it and start again.");
        }
    }
}
