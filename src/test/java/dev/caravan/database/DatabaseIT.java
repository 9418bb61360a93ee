package dev.caravan.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.caravan.TestPostgres;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.step.FieldCopy;
import dev.caravan.database.schema.SchemaCheck;
import dev.caravan.lab.servers.TcpProxy;
import dev.caravan.operate.partition.PartitionReader;
import dev.caravan.operate.partition.Retention;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.core.PGStream;
import org.postgresql.core.QueryExecutorBase;
import org.postgresql.jdbc.PgConnection;
import org.springframework.jdbc.core.JdbcTemplate;

class DatabaseIT {
    /** Exceptions are logged, by the connection pool even before any code can catch them. */
    @Test
    void the_error_of_a_batch_does_not_contain_its_values() throws Exception {
        try (var pool = Connections.of(settings("postgres")).outboxPool()) {
            List<Object[]> rows = List.of(new Object[] {"confidential"}, new Object[] {"confidential"});

            assertThatThrownBy(() -> new JdbcTemplate(pool).batchUpdate("insert into nothing values (?)", rows))
                    .satisfies(error -> assertThat(error)
                            .hasStackTraceContaining("\"nothing\" does not exist")
                            .matches(e -> !stackTrace(e).contains("confidential"), "tells no value"));
        }
    }

    /** The driver takes them for the name of the database, which the server quotes. */
    @Test
    void an_error_of_a_login_has_no_secret_of_the_url() {
        Settings settings = settings("joe:confidential@app;x=1?password=confidential");

        assertThatThrownBy(() -> Database.forCommand(settings).getConnection()).satisfies(error -> assertThat(error)
                .hasMessageContaining("database \"•••:•••@app;x=1\" does not exist")
                .matches(e -> !stackTrace(e).contains("confidential"), "tells no secret"));
    }

    /** In another level, a partition could be dropped, or moved, by what a snapshot from before the wait for its lock shows. */
    @Test
    void statements_see_what_was_committed_before_them_whatever_the_default_of_the_database() throws Exception {
        String name = TestPostgres.server().createDatabase();
        Settings settings = settings(name);
        alter(name, "default_transaction_isolation = 'repeatable read'");

        try (var pool = Connections.of(settings).outboxPool()) {
            for (DataSource database :
                    List.of(pool, Database.forCommand(settings), Database.forLongCommand(settings))) {
                assertThat(show(database, "transaction_isolation")).isEqualTo("read committed");
            }
        }
    }

    @Test
    void the_tables_are_as_expected_whatever_the_notation_of_the_database() throws Exception {
        String name = TestPostgres.databaseWithTables();
        Settings settings = settings(name);
        List<Object> partitions = partitions(Database.forCommand(settings));
        alter(name, "quote_all_identifiers = on", "standard_conforming_strings = off");

        try (var pool = Connections.of(settings).outboxPool();
                var housekeeping = Connections.of(settings).housekeepingPool();
                var monitoring = Connections.of(settings).monitoringPool();
                var api = Database.apiPool(settings)) {
            for (DataSource database : List.of(
                    pool,
                    housekeeping,
                    monitoring,
                    api,
                    Database.forCommand(settings),
                    Database.forAnyTable(settings))) {
                assertThat(new SchemaCheck(database).problems()).isEmpty();
                assertThat(partitions(database)).isEqualTo(partitions);
            }
        }
    }

    private static List<Object> partitions(DataSource database) throws SQLException {
        return new PartitionReader()
                .states(database, Retention.UNLIMITED).stream()
                        .map(each -> (Object) List.of(each.name(), each.ids()))
                        .toList();
    }

    @Test
    @Tag("long")
    void a_statement_of_a_command_is_given_up_after_its_time_with_an_error_that_says_what_to_do() {
        assertThatThrownBy(() -> sleep(Database.forCommand(settings("postgres"), Duration.ofSeconds(1))))
                .satisfies(error -> assertThat(DatabaseFailure.in(error).orElseThrow())
                        .extracting(DatabaseFailure::text, DatabaseFailure::waitingHelps)
                        .satisfies(parts -> assertThat(parts.get(0).toString())
                                .contains("statement timeout", "Select fewer messages"))
                        .contains(false));
    }

    @Test
    void a_command_whose_server_falls_silent_at_the_commit_ends_and_says_that_a_change_may_have_been_made()
            throws Exception {
        String url = TestPostgres.server().url("postgres");
        int port = URI.create(url.substring("jdbc:".length())).getPort();
        try (TcpProxy proxy = TcpProxy.to(port)) {
            String throughProxy = url.replace(":" + port + "/", ":" + proxy.port() + "/");
            DataSource database = Database.forCommand(settingsOf(throughProxy), Duration.ofSeconds(1));

            SQLException failure = assertTimeoutPreemptively(
                    Duration.ofSeconds(30),
                    () -> catchThrowableOfType(
                            SQLException.class,
                            () -> Transaction.run(database, connection -> {
                                // the proxy would pass on that the server ends the session
                                Sql.execute(connection, "set local idle_in_transaction_session_timeout = 0");
                                silence(proxy);
                                return null;
                            })));

            assertThat(DatabaseFailure.in(failure).orElseThrow().text()).contains("A change may have been made");
        }
    }

    private static void silence(TcpProxy proxy) {
        try {
            proxy.dropData();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Tag("long")
    void a_command_that_moves_many_rows_has_as_much_time_as_it_needs() throws Exception {
        sleep(Database.forLongCommand(settings("postgres", "?socketTimeout=1")));
    }

    private static void sleep(DataSource database) throws SQLException {
        try (var connection = database.getConnection()) {
            Sql.execute(connection, "select pg_sleep(1.2)");
        }
    }

    @Test
    void the_timeouts_of_the_url_apply_to_a_relay() {
        assertThat(Connections.of(settings("postgres")).longestWait()).isEqualTo(Duration.ofSeconds(35));
        assertThat(Connections.of(settings("postgres", "?socketTimeout=4&connectTimeout=2"))
                        .longestWait())
                .isEqualTo(Duration.ofSeconds(6));
        try (var pool = Connections.of(settings("postgres", "?socketTimeout=1&connectTimeout=2"))
                .outboxPool()) {
            assertThat(pool.getConnectionTimeout()).isEqualTo(2_000);
            assertThatThrownBy(() -> sleep(pool)).hasStackTraceContaining("statement timeout");
        }
        assertThatThrownBy(() -> Connections.of(settings("postgres", "?socketTimeout=30s"))
                        .longestWait())
                .hasMessageContaining("socketTimeout in caravan.db.url");
    }

    /** Otherwise the server would run a statement on after the relay has given it up, and the snapshot of it would stop vacuum. */
    @Test
    void the_server_ends_each_statement_before_the_relay_closes_the_connection() throws Exception {
        for (String options : List.of("", "?socketTimeout=3")) {
            Settings settings = settings("postgres", options);
            onEach(settings, database -> {
                try (var connection = database.getConnection()) {
                    assertThat(milliseconds(connection, "statement_timeout"))
                            .as(database.toString())
                            .isPositive()
                            .isLessThan(connection.getNetworkTimeout());
                }
            });
        }
    }

    private static int milliseconds(Connection connection, String setting) throws SQLException {
        return (int) Sql.number(connection, "select setting from pg_settings where name = '" + setting + "'");
    }

    @Test
    void statements_of_routes_keep_the_settings_of_their_role_and_its_shorter_timeout() throws Exception {
        String name = TestPostgres.databaseWithTables();
        Settings settings = settings(name);
        alter(name, "statement_timeout = '2s'", "standard_conforming_strings = off", "search_path = app, public");

        try (var routes = Database.routesPool(settings);
                var housekeeping = Connections.of(settings).housekeepingPool()) {
            assertThat(show(routes, "statement_timeout")).isEqualTo("2s");
            assertThat(show(routes, "standard_conforming_strings")).isEqualTo("off");
            assertThat(show(routes, "search_path")).isEqualTo("public, app, public");
            assertThat(show(housekeeping, "statement_timeout")).isEqualTo("27s");
            assertThat(show(housekeeping, "standard_conforming_strings")).isEqualTo("on");
            assertThat(show(housekeeping, "search_path")).isEqualTo("public");
        }
    }

    /** A query that finds more than expected fails its message, and does not end the relay. */
    @Test
    void what_a_query_of_a_route_returns_is_limited_to_a_tenth_of_the_heap() throws Exception {
        try (var routes = Database.routesPool(settings(TestPostgres.databaseWithTables()));
                Connection connection = routes.getConnection()) {
            PGStream answers = FieldCopy.value(
                    QueryExecutorBase.class,
                    "pgStream",
                    connection.unwrap(PgConnection.class).getQueryExecutor(),
                    PGStream.class);

            assertThat(answers.getMaxResultBuffer())
                    .isBetween(1L, Runtime.getRuntime().maxMemory() / 9);
        }
    }

    /** The driver would collect those of a trigger that raises one for each row. */
    @Test
    void a_statement_brings_no_notices_and_warnings() throws Exception {
        Settings settings = settings(TestPostgres.databaseWithTables());
        String raising = "do $$ begin raise notice 'one'; raise warning 'two'; end $$";
        try (var routes = Database.routesPool(settings);
                var outbox = Connections.of(settings).outboxPool()) {
            for (DataSource database : List.of(routes, outbox)) {
                try (Connection connection = database.getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.execute(raising);

                    assertThat((Throwable) statement.getWarnings()).isNull();
                }
            }
        }
    }

    /** A statement of a user can begin a transaction, and fail before it ends it. */
    @Test
    void a_failed_transaction_that_a_statement_leaves_open_fails_no_other() throws Exception {
        try (var routes = Database.routesPool(settings(TestPostgres.databaseWithTables()))) {
            routes.setMaximumPoolSize(1);
            JdbcTemplate jdbc = new JdbcTemplate(routes);
            assertThatThrownBy(() -> jdbc.execute("begin; select 1 / 0; commit"))
                    .hasStackTraceContaining("division by zero");

            jdbc.execute("select 1");
        }
    }

    /** A relay has idle sessions on purpose: ended ones would be a warning every few seconds. */
    @Test
    void the_server_ends_no_idle_session_of_caravan() throws Exception {
        String name = TestPostgres.databaseWithTables();
        alter(name, "idle_session_timeout = '3s'");
        ThrowingConsumer<DataSource> keepsIdleSessions = database -> assertThat(show(database, "idle_session_timeout"))
                .as(database.toString())
                .isEqualTo("0");
        onEach(settings(name), keepsIdleSessions);
        keepsIdleSessions.accept(Database.forMigrations(settings(name)));
    }

    /** On all pools and connections but those of long commands. */
    private static void onEach(Settings settings, ThrowingConsumer<DataSource> test) {
        try (var outbox = Connections.of(settings).outboxPool();
                var routes = Database.routesPool(settings);
                var housekeeping = Connections.of(settings).housekeepingPool();
                var monitoring = Connections.of(settings).monitoringPool();
                var api = Database.apiPool(settings)) {
            List.of(
                            outbox,
                            routes,
                            housekeeping,
                            monitoring,
                            api,
                            Database.forCommand(settings),
                            Database.forAnyTable(settings),
                            Database.forSurvey(settings),
                            Connections.of(settings).wakeUp(),
                            Connections.of(settings).presence())
                    .forEach(test);
        }
    }

    @Test
    void a_pooled_session_that_the_server_has_ended_is_not_used_again() throws Exception {
        String name = TestPostgres.databaseWithTables();
        try (var pool = Connections.of(settings(name)).housekeepingPool()) {
            JdbcTemplate jdbc = new JdbcTemplate(pool);
            pool.setMaximumPoolSize(1);
            int before = jdbc.queryForObject("select pg_backend_pid()", Integer.class);

            for (String state : List.of("57P05", "57P04", "25P03", "25P04")) {
                assertThatThrownBy(() -> jdbc.execute(
                                "do $$ begin raise exception 'ended' using errcode = '" + state + "'; end $$"))
                        .hasStackTraceContaining("ended");
                int after = jdbc.queryForObject("select pg_backend_pid()", Integer.class);
                assertThat(after).as(state).isNotEqualTo(before);
                before = after;
            }
        }
    }

    @Test
    void settings_for_some_statements_end_with_them_and_the_settings_of_the_session_stay() throws Exception {
        String name = TestPostgres.databaseWithTables();
        alter(name, "lock_timeout = '1ms'");
        try (var housekeeping = Connections.of(settings(name)).housekeepingPool();
                var connection = housekeeping.getConnection()) {
            try (var limits =
                    new TemporarySettings(connection, Map.of("statement_timeout", "100ms", "lock_timeout", "50ms"))) {
                assertThat(milliseconds(connection, "statement_timeout")).isEqualTo(100);
                assertThat(milliseconds(connection, "lock_timeout")).isEqualTo(50);
            }

            assertThat(milliseconds(connection, "statement_timeout")).isEqualTo(27_000);
            assertThat(milliseconds(connection, "lock_timeout")).isEqualTo(1);
        }
    }

    private static void alter(String database, String... settings) {
        for (String setting : settings) {
            new JdbcTemplate(Database.forLongCommand(settings(database)))
                    .execute("alter database \"" + database + "\" set " + setting);
        }
    }

    private static String show(DataSource database, String setting) {
        return new JdbcTemplate(database).queryForObject("show " + setting, String.class);
    }

    private static Settings settings(String database) {
        return settings(database, "");
    }

    private static Settings settings(String database, String options) {
        return settingsOf(TestPostgres.server().url(database) + options);
    }

    private static Settings settingsOf(String url) {
        var server = TestPostgres.server();
        return Settings.of(Map.of(
                "caravan.db.url", url,
                "caravan.db.user", server.user(),
                "caravan.db.password", server.password()));
    }

    private static String stackTrace(Throwable error) {
        var text = new java.io.StringWriter();
        error.printStackTrace(new java.io.PrintWriter(text));
        return text.toString();
    }
}
