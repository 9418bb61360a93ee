package dev.caravan.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.settings.Settings;
import dev.caravan.settings.SettingsException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections to the database of the outbox, from the {@code caravan.db.*} settings. */
public final class Database {
    /**
     * Keeps the plan of the read: an index scan in id order. A generic plan, or one made while the table was empty, sorts
     * and scans instead, which costs ten times the latency.
     */
    private static final String READ_PLANS =
            "set plan_cache_mode = force_custom_plan; set enable_seqscan = off; set enable_bitmapscan = off";

    private static final int WAKE_UP_SOCKET_TIMEOUT_SECONDS = 5;

    /** Two for requests and two for jobs. */
    private static final int API_CONNECTIONS = 4;

    private static final long API_CONNECT_MILLIS = 2_000;
    private static final int API_STATEMENT_SECONDS = 5;

    private static final String DEFAULT_URL = "jdbc:postgresql://localhost:5432/postgres";

    private Database() {}

    /** The pool of the outbox component: sessions keep the plan of the read. Each lane uses up to two connections. */
    public static HikariDataSource outboxPool(Settings settings) {
        HikariConfig config = config(settings, "outbox");
        config.setConnectionInitSql(READ_PLANS);
        config.setMaximumPoolSize((int) outboxConnections(settings));
        return new HikariDataSource(config);
    }

    /** The pool named {@code dataSource} for routes: idempotent repositories and {@code sql:} endpoints. */
    public static HikariDataSource routesPool(Settings settings) {
        HikariConfig config = config(settings, "routes");
        config.setMaximumPoolSize((int) routeConnections(settings));
        return new HikariDataSource(config);
    }

    /**
     * The pool of the HTTP API: few connections, none while nobody asks, and nothing waits long, so that a person hears at once
     * that the database is away and delivery is never slowed.
     */
    public static HikariDataSource apiPool(Settings settings) {
        HikariConfig config = config(settings, "api");
        config.setMaximumPoolSize(API_CONNECTIONS);
        config.setMinimumIdle(0);
        config.setIdleTimeout(60_000);
        config.setConnectionTimeout(API_CONNECT_MILLIS);
        config.setValidationTimeout(API_CONNECT_MILLIS / 2);
        config.addDataSourceProperty("connectTimeout", Long.toString(API_CONNECT_MILLIS / 1_000));
        config.addDataSourceProperty("socketTimeout", Long.toString(2 * API_STATEMENT_SECONDS));
        config.setConnectionInitSql("set statement_timeout = '" + API_STATEMENT_SECONDS + "s'");
        return new HikariDataSource(config);
    }

    /**
     * One connection for what is looked up for metrics, health and the like, so that this neither waits for what delivers nor
     * takes from it. A look that takes longer than a few seconds is given up.
     */
    public static HikariDataSource monitoringPool(Settings settings) {
        HikariConfig config = config(settings, "monitoring");
        config.setConnectionInitSql("set statement_timeout = '4s'");
        config.setMaximumPoolSize(1);
        return new HikariDataSource(config);
    }

    /**
     * Unpooled connections for a single command: a refusal is told at once, and a statement that takes longer than
     * {@code caravan.db.commandTimeout} is given up.
     */
    public static DataSource forCommand(Settings settings) {
        return unpooled(
                settings, new LimitedConnections(commandTimeout(settings).toSeconds()));
    }

    /** The same for a command whose statements may take as long as they need, as a migration or the move of many rows does. */
    public static DataSource forLongCommand(Settings settings) {
        return unpooled(settings, new LimitedConnections(0));
    }

    private static PGSimpleDataSource unpooled(Settings settings, PGSimpleDataSource source) {
        try {
            source.setUrl(settings.text("caravan.db.url", DEFAULT_URL));
            source.setUser(settings.text("caravan.db.user", null));
            source.setPassword(settings.text("caravan.db.password", null));
            source.setApplicationName("caravan");
            source.setConnectTimeout((int) Math.max(1, connectTimeout(settings).toSeconds()));
            return source;
        } catch (IllegalArgumentException e) {
            throw new SettingsException("caravan.db.url must be a JDBC URL such as " + DEFAULT_URL
                    + "; the one given cannot be read. Correct it and start again.");
        }
    }

    /**
     * A connection for the relay to be woken over, outside of the pools: it stays open, and a statement that is not answered
     * within seconds tells that it is half open.
     */
    public static DataSource forWakeUp(Settings settings) {
        PGSimpleDataSource source = unpooled(settings, new PGSimpleDataSource());
        source.setTcpKeepAlive(true);
        source.setSocketTimeout(WAKE_UP_SOCKET_TIMEOUT_SECONDS);
        return source;
    }

    private static HikariConfig config(Settings settings, String name) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("caravan-" + name);
        config.setJdbcUrl(settings.text("caravan.db.url", DEFAULT_URL));
        config.setUsername(settings.text("caravan.db.user", null));
        config.setPassword(settings.text("caravan.db.password", null));
        config.setConnectionTimeout(connectTimeout(settings).toMillis());
        config.setMinimumIdle(1);
        config.setInitializationFailTimeout(-1); // an absent database is waited for, not a reason to fail here
        // A role may have another default, but a statement that waits for a lock has to see what was committed
        // meanwhile.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.addDataSourceProperty("ApplicationName", "caravan");
        config.addDataSourceProperty("tcpKeepAlive", "true");
        // The error of a batch would quote its values, payloads among them, and the pool logs it.
        config.addDataSourceProperty("logServerErrorDetail", "false");
        // A half-open connection must not hang a lane for ever: longer than any statement of a relay.
        config.addDataSourceProperty(
                "socketTimeout", Long.toString(socketTimeout(settings).toSeconds()));
        return config;
    }

    /** The same database without a pool, for servers that one test or command starts. */
    public static DataSource unpooled(String url, String user, String password) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        source.setUser(user);
        source.setPassword(password);
        return source;
    }

    /** Reads every {@code caravan.db.*} setting on its own, so that all wrong values can be told at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(
                Database::outboxConnections,
                Database::routeConnections,
                Database::connectTimeout,
                Database::socketTimeout,
                Database::commandTimeout,
                Database::forCommand);
    }

    /** The most connections of the pool of the outbox component. */
    public static long outboxConnections(Settings settings) {
        return settings.number("caravan.db.outboxConnections", 10, 2, 1000);
    }

    private static long routeConnections(Settings settings) {
        return settings.number("caravan.db.routeConnections", 10, 1, 1000);
    }

    /** How long a relay may wait for a database that does not answer before it notices. */
    public static Duration longestWait(Settings settings) {
        return socketTimeout(settings).plus(connectTimeout(settings));
    }

    private static Duration connectTimeout(Settings settings) {
        return settings.duration("caravan.db.connectTimeout", "5s", "250ms", "10m");
    }

    private static Duration socketTimeout(Settings settings) {
        return settings.duration("caravan.db.socketTimeout", "30s", "1s", "1h");
    }

    private static Duration commandTimeout(Settings settings) {
        return settings.duration("caravan.db.commandTimeout", "60s", "1s", "1d");
    }
}
