package dev.caravan.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.settings.Settings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Creates the connections of commands, of the HTTP API and of routes from the settings {@code caravan.db.*}. Those of lanes are in {@link
 * Connections}.
 */
public final class Database {
    public static final String DEFAULT_URL = Login.DEFAULT_URL;

    /** Two for what each of three roles reads, one for changes and two for jobs. */
    private static final int API_CONNECTIONS = 9;

    private static final long API_CONNECT_MILLIS = 2_000;
    private static final int API_STATEMENT_SECONDS = 5;
    private static final int SURVEY_STATEMENT_SECONDS = 2;

    /** The connections of the routes before any route runs; {@code ConnectionPools} raises it. */
    private static final int FIRST_CONNECTIONS_OF_ROUTES = 10;

    private static final int MAX_CONNECTIONS_OF_ROUTES = 50;

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

    /** Of the heap. A query of a route that finds more rows than expected would otherwise end the relay. */
    private static final String LONGEST_RESULT = "10percent";

    /**
     * The pool named {@code dataSource} for routes: idempotent repositories and {@code sql:} endpoints. Tables that are not in Caravan's
     * schema are found on the role's own search_path. Caravan runs none of its own statements there.
     */
    public static HikariDataSource routesPool(Settings settings) {
        Connections connections = Connections.of(settings);
        HikariConfig config = connections.config(
                "routes",
                connections
                        .pooled(SessionStart.ofRoutes(connections.schema(), connections.statements()))
                        .orElse(PGProperty.MAX_RESULT_BUFFER, LONGEST_RESULT));
        config.setMaximumPoolSize(FIRST_CONNECTIONS_OF_ROUTES);
        return new RoutesPool(config);
    }

    /**
     * The pool of the HTTP API: few connections, none while idle, and short timeouts, so that a request fails fast when the database
     * is unavailable, and delivery is not slowed down.
     */
    public static HikariDataSource apiPool(Settings settings) {
        return new HikariDataSource(apiConfig(Connections.of(settings)));
    }

    /**
     * The pool of the HTTP API for another schema of the database. Without requests it has neither connections nor threads.
     *
     * @param timer closes idle connections; pools may share it
     */
    public static HikariDataSource apiPool(Settings settings, OutboxSchema schema, ScheduledExecutorService timer) {
        HikariConfig config = apiConfig(Connections.of(settings, schema));
        config.setScheduledExecutor(timer);
        return new HikariDataSource(config);
    }

    private static HikariConfig apiConfig(Connections connections) {
        Duration statements = Connections.shorter(Duration.ofSeconds(API_STATEMENT_SECONDS), connections.statements());
        Sessions sessions = Connections.own(connections.pooled(SessionStart.own(connections.schema(), statements)))
                .orElse(PGProperty.CONNECT_TIMEOUT, Long.toString(API_CONNECT_MILLIS / 1_000))
                .orElse(PGProperty.SOCKET_TIMEOUT, Integer.toString(2 * API_STATEMENT_SECONDS));
        HikariConfig config = connections.config("api", sessions);
        config.setMaximumPoolSize(API_CONNECTIONS);
        config.setIdleTimeout(60_000);
        config.setConnectionTimeout(API_CONNECT_MILLIS);
        config.setValidationTimeout(API_CONNECT_MILLIS / 2);
        return config;
    }

    /** The connection that examines all outboxes of the database, one after the other. It is not pooled, because it changes its schema. */
    public static DataSource forSurvey(Settings settings) {
        return Connections.of(settings)
                .unpooled(Duration.ofSeconds(SURVEY_STATEMENT_SECONDS), false)
                .fix(PGProperty.CONNECT_TIMEOUT, Long.toString(API_CONNECT_MILLIS / 1_000))
                .fix(PGProperty.SOCKET_TIMEOUT, Integer.toString(2 * SURVEY_STATEMENT_SECONDS));
    }

    /**
     * Unpooled connections for a single command. A statement that takes longer than 5 minutes is cancelled, and fails half a minute later if the
     * server does not answer.
     */
    public static DataSource forCommand(Settings settings) {
        return forCommand(settings, COMMAND_TIMEOUT);
    }

    static DataSource forCommand(Settings settings, Duration timeout) {
        return limited(Connections.of(settings).unpooled(timeout, true), timeout);
    }

    /** As {@link #forCommand(Settings)}, but without a statement timeout, for long commands. */
    public static DataSource forLongCommand(Settings settings) {
        return Connections.of(settings).unlimited(true);
    }

    /** As {@link #forLongCommand}, for migrations, which create the schema if it does not exist. */
    public static DataSource forMigrations(Settings settings) {
        return Connections.of(settings).toMigrate();
    }

    /**
     * As {@link #forCommand(Settings)}, for statements on tables of any schema, also before Caravan's schema exists: tables that are not in
     * Caravan's schema are found on the role's own search_path, as in the pool of the routes.
     */
    public static DataSource forAnyTable(Settings settings) {
        Connections connections = Connections.of(settings);
        return limited(
                connections.unpooled(SessionStart.any(connections.schema(), COMMAND_TIMEOUT), false), COMMAND_TIMEOUT);
    }

    /** The server ends a statement that takes too long. The timeout of the socket is for a server that is unreachable. */
    private static DataSource limited(Sessions sessions, Duration statements) {
        long seconds = statements.toSeconds();
        return sessions.fix(PGProperty.SOCKET_TIMEOUT, Long.toString(seconds + Math.max(1, seconds / 10)));
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
        return List.of(
                OutboxSchema::of,
                settings -> Connections.of(settings, OutboxSchema.PUBLIC),
                Database::isPresent,
                settings -> Connections.of(settings, OutboxSchema.PUBLIC).longestWait());
    }

    /** Whether a relay shows by a connection that it is running: {@code caravan.presence}. */
    public static boolean isPresent(Settings settings) {
        return settings.flag("caravan.presence", true);
    }
}
