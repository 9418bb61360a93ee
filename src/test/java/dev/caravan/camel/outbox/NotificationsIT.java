package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.database.Connections;
import dev.caravan.database.Database;
import dev.caravan.database.ReusedSessions;
import dev.caravan.database.Sql;
import dev.caravan.database.schema.Schema;
import dev.caravan.engine.loop.WakeUp;
import dev.caravan.engine.loop.WakeUpConnection;
import dev.caravan.lab.servers.StoppablePostgres;
import dev.caravan.lab.servers.TcpProxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Relays that sleep when they have nothing to do. Without being woken they would read after a minute, which no test waits for. */
class NotificationsIT {
    private static final String INSERT = "insert into outbox (aggregate_type, aggregate_id, type, payload)"
            + " values ('order', 'a', 'order.created', '{}')";
    private static final Duration LONG = Duration.ofSeconds(45);

    @TempDir
    private static Path folder;

    private static StoppablePostgres postgres;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final TestDestination destination = new TestDestination();
    private JdbcTemplate jdbc;

    @BeforeAll
    static void startServer() throws Exception {
        postgres = new StoppablePostgres(folder.resolve("data"));
        try (Connection connection = postgres.connect("postgres", "test")) {
            Sql.execute(connection, "alter system set max_notify_queue_pages = 64");
        }
        postgres.stop();
        postgres.start();
    }

    @AfterAll
    static void stopServer() throws Exception {
        postgres.close();
    }

    @BeforeEach
    void createTables() throws Exception {
        ReusedSessions sessions = new ReusedSessions(as("postgres"));
        open.push(sessions);
        jdbc = new JdbcTemplate(sessions);
        jdbc.execute("drop schema public cascade; create schema public; grant usage on schema public to public");
        new Schema(sessions).apply();
        jdbc.execute("alter table outbox enable trigger outbox_wake_up");
    }

    @AfterEach
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    @Test
    void an_insert_wakes_a_relay_that_sleeps_and_none_notifies_while_it_is_awake() throws Exception {
        TestRelay relay = start("orders", destination);
        for (long message = 1; message <= 2; message++) {
            asleep(relay);

            jdbc.execute(INSERT);

            long last = message;
            eventually(() -> assertThat(destination.ids()).endsWith(last));
            eventually(() -> assertThat(announced()).isFalse());
        }
    }

    @Test
    void a_relay_does_not_sleep_while_a_transaction_is_open_that_has_not_seen_its_announcement() throws Exception {
        TestRelay relay = start("orders", destination);
        asleep(relay);
        jdbc.execute(INSERT);
        eventually(() -> assertThat(announced()).isFalse());
        try (Connection writer = as("postgres").getConnection()) {
            writer.setAutoCommit(false);
            writer.createStatement().execute(INSERT);
            eventually(() -> assertThat(announced()).isTrue());
            for (int look = 0; look < 3; look++) { // at those who write
                Object before = lastStatementOfConnection();
                eventually(() -> {
                    assertThat(sleepNumber(relay)).isEqualTo(WakeUp.AWAKE);
                    assertThat(lastStatementOfConnection()).isNotEqualTo(before);
                });
            }

            writer.commit();
        }

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L));
        asleep(relay);
    }

    /** Its snapshot is older than the announcement. */
    @Tag("long")
    @Test
    void a_writer_with_an_old_snapshot_sends_a_notification_too() throws Exception {
        TestRelay relay = start("orders", destination);
        try (Connection writer = as("postgres").getConnection()) {
            writer.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            writer.setAutoCommit(false);
            writer.createStatement().execute("select 1 from pg_class");
            asleep(relay);

            writer.createStatement().execute(INSERT);
            writer.commit();
        }

        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
    }

    @Tag("long")
    @Test
    void all_subscriptions_of_all_relays_are_woken() throws Exception {
        TestDestination other = new TestDestination();
        TestRelay first = start("orders", destination);
        TestRelay second = start("invoices", other);
        asleep(first);
        asleep(second);

        jdbc.execute(INSERT);

        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
        eventually(() -> assertThat(other.ids()).containsExactly(1L));
    }

    @Tag("long")
    @Test
    void a_relay_that_stands_by_does_not_announce_that_it_sleeps() throws Exception {
        TestRelay first = start("orders", destination);
        asleep(first);
        TestRelay second = start("orders", destination);
        first.close();
        eventually(() -> assertThat(sleepNumber(second)).isNotEqualTo(WakeUp.AWAKE)); // it has taken over

        TestRelay third = start("orders", destination);
        jdbc.execute(INSERT);

        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
        assertThat(sleepNumber(third)).isEqualTo(WakeUp.AWAKE);
    }

    @Tag("long")
    @Test
    void a_relay_that_sleeps_stops_at_once_and_takes_its_announcement_back() throws Exception {
        TestRelay relay = start("orders", destination);
        asleep(relay);
        long began = System.nanoTime();

        relay.close();

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(40));
        assertThat(announced()).isFalse();
        assertThat(jdbc.queryForObject("select owner is null from outbox_subscription", Boolean.class))
                .isTrue();
    }

    @Tag("long")
    @Test
    void a_message_that_waits_for_its_next_attempt_does_not_wait_for_the_end_of_a_sleep() throws Exception {
        destination.failIf(arrival -> arrival.attempt() < 3);
        TestRelay relay = start("orders?backoff=300ms&maxBackoff=300ms", destination);
        asleep(relay);

        jdbc.execute(INSERT);

        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
        asleep(relay);
    }

    @Test
    void without_the_trigger_a_relay_polls_and_sleeps_when_the_trigger_is_back() throws Exception {
        jdbc.execute("alter table outbox disable trigger outbox_wake_up");
        try (WakeUpConnection connection = new WakeUpConnection(notifications(postgres.port(), "postgres"))) {
            assertThat(connection.announce()).isFalse();
            assertThat(announced()).isFalse();

            jdbc.execute("alter table outbox enable trigger outbox_wake_up");

            assertThat(connection.renew()).isTrue();
        }
    }

    /** A full queue fails each insert that notifies. Postgres lets every role fill it that may connect. */
    @Test
    void no_relay_sleeps_while_the_queue_of_notifications_fills() throws Exception {
        try (Connection listener = as("postgres").getConnection();
                WakeUpConnection relay = new WakeUpConnection(notifications(postgres.port(), "postgres"))) {
            Sql.execute(listener, "listen anything");
            listener.setAutoCommit(false);
            Sql.execute(listener, "select 1");
            assertThat(relay.announce()).isTrue();

            jdbc.execute("select pg_notify('anything', repeat('x', 7000) || n) from generate_series(1, 40) n");

            assertThat(relay.renew()).isFalse();
            assertThat(relay.announce()).isFalse();
            relay.withdraw();
            jdbc.execute(INSERT);
            listener.rollback();
            eventually(() -> assertThat(relay.announce()).isTrue());
            relay.withdraw();
        }
    }

    @Test
    void a_relay_that_withdraws_its_announcement_leaves_the_others_asleep_or_wakes_them() throws Exception {
        try (WakeUpConnection first = new WakeUpConnection(notifications(postgres.port(), "postgres"));
                WakeUpConnection second = new WakeUpConnection(notifications(postgres.port(), "postgres"))) {
            first.announce();
            second.announce();

            first.withdraw();
            assertThat(announced()).isTrue();

            first.announce();
            first.withdraw(); // the announcement of the second was overwritten
            assertThat(announced()).isFalse();
            assertThat(second.awaitNotification(LONG)).isTrue();
        }
    }

    @Test
    void one_statement_notifies_once_and_only_while_an_announcement_holds() throws Exception {
        try (WakeUpConnection connection = new WakeUpConnection(notifications(postgres.port(), "postgres"))) {
            connection.announce();
            jdbc.execute("insert into outbox (aggregate_type, aggregate_id, type)"
                    + " select 'order', n::text, 'order.created' from generate_series(1, 1000) n");
            assertThat(connection.awaitNotification(LONG)).isTrue();
            assertThat(connection.awaitNotification(Duration.ofMillis(200))).isFalse();

            jdbc.execute("select setval('outbox_sleeper', 1)"); // of a relay that was killed long ago
            jdbc.execute(INSERT);
            assertThat(connection.awaitNotification(Duration.ofMillis(200))).isFalse();
            connection.withdraw();
            assertThat(announced()).isFalse();
        }
    }

    @Tag("long")
    @Test
    void an_insert_into_the_outbox_of_another_schema_wakes_nobody() throws Exception {
        Settings elsewhere = Settings.load(
                Path.of("none.properties"),
                Map.of(
                        "caravan.db.url", postgres.url(postgres.port()),
                        "caravan.db.user", "postgres",
                        "caravan.schema", "elsewhere"));
        jdbc.execute("drop schema if exists elsewhere cascade");
        new Schema(Database.forMigrations(elsewhere)).apply();
        jdbc.execute("alter table elsewhere.outbox enable trigger outbox_wake_up");
        try (WakeUpConnection here = new WakeUpConnection(notifications(postgres.port(), "postgres"));
                WakeUpConnection there =
                        new WakeUpConnection(Connections.of(elsewhere).wakeUp())) {
            here.announce();
            there.announce();

            jdbc.execute(INSERT.replace("into outbox", "into elsewhere.outbox"));

            assertThat(there.awaitNotification(LONG)).isTrue();
            assertThat(here.awaitNotification(Duration.ofMillis(200))).isFalse();
            there.withdraw();
            assertThat(announced()).isTrue();
            assertThat(here.awaitNotification(Duration.ofMillis(200))).isFalse();
        }
    }

    @Test
    void roles_with_the_grants_of_the_documentation_send_and_receive_notifications() throws Exception {
        jdbc.execute("drop role if exists relay; drop role if exists application;"
                + " create role relay login; create role application login;"
                + " grant select on outbox to relay; grant select, update on sequence outbox_sleeper to relay;"
                + " grant insert on outbox to application");
        JdbcTemplate application = new JdbcTemplate(as("application"));
        try (WakeUpConnection connection = new WakeUpConnection(notifications(postgres.port(), "relay"))) {
            assertThat(connection.announce()).isTrue();
            application.execute(INSERT);
            assertThat(connection.awaitNotification(LONG)).isTrue();
            connection.withdraw();
            assertThat(announced()).isFalse();
        }
        jdbc.execute("drop owned by relay; drop owned by application; drop role relay; drop role application");
    }

    @Test
    void a_lost_connection_is_replaced_by_polling_until_it_is_back() throws Exception {
        TestRelay relay = start("orders", destination);
        long sleepNumber = asleep(relay);

        assertThat(jdbc.queryForList(
                        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'wake-up'"))
                .hasSize(1);

        eventually(() ->
                assertThat(sleepNumber(relay)).as("awake, or asleep again").isNotEqualTo(sleepNumber));
        jdbc.execute(INSERT);
        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
        assertThat(asleep(relay)).isGreaterThan(sleepNumber);
        jdbc.execute(INSERT);
        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L));
    }

    @Tag("long")
    @Test
    void a_connection_that_is_half_open_is_noticed() throws Exception {
        try (TcpProxy proxy = TcpProxy.to(postgres.port())) {
            DataSource notifications = new DelegatingDataSource(notifications(proxy.port(), "postgres")) {
                @Override
                public Connection getConnection() throws SQLException {
                    Connection connection = super.getConnection();
                    assertThat(connection.getNetworkTimeout()).isBetween(1_000, 10_000);
                    connection.setNetworkTimeout(Runnable::run, 1_000);
                    return connection;
                }
            };
            TestRelay relay = start("orders", destination, notifications);
            asleep(relay);

            proxy.dropData();

            eventually(LONG, () -> assertThat(sleepNumber(relay)).isEqualTo(WakeUp.AWAKE));
            jdbc.execute(INSERT);
            eventually(() -> assertThat(destination.ids()).containsExactly(1L));
            proxy.pass();
            asleep(relay);
        }
    }

    @Tag("long")
    @Test
    void a_relay_sleeps_and_wakes_again_after_a_crash_of_postgres() throws Exception {
        TestRelay relay = start("orders", destination);
        long sleepNumber = asleep(relay);

        postgres.crash();
        postgres.start();

        eventually(LONG, () -> assertThat(sleepNumber(relay))
                .as("awake, or asleep again")
                .isNotEqualTo(sleepNumber));
        jdbc.execute(INSERT);
        eventually(LONG, () -> assertThat(destination.ids()).containsExactly(1L));
        asleep(relay);
        jdbc.execute(INSERT);
        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L));
    }

    private TestRelay start(String uri, TestDestination destination) throws Exception {
        return start(uri, destination, notifications(postgres.port(), "postgres"));
    }

    private TestRelay start(String uri, TestDestination destination, DataSource notifications) throws Exception {
        var pool = Connections.of(settings(postgres.port(), "postgres")).outboxPool();
        open.push(pool);
        TestRelay relay = TestRelay.start(pool, uri, destination, component -> {
            component.setWakeUpConnections(notifications);
            component.setLeaseDuration(600_000);
        });
        open.push(relay);
        return relay;
    }

    /** Waits until a relay and its lanes sleep; returns the number of the sleep. */
    private long asleep(TestRelay relay) throws Exception {
        long[] sleepNumber = new long[1];
        eventually(LONG, () -> {
            sleepNumber[0] = sleepNumber(relay);
            assertThat(sleepNumber[0]).isNotEqualTo(WakeUp.AWAKE);
            assertThat(nothingWasReadForSomeTurns()).isTrue();
            assertThat(sleepNumber(relay)).isEqualTo(sleepNumber[0]);
        });
        return sleepNumber[0];
    }

    /** Relays that poll read at least every 100 ms. */
    private boolean nothingWasReadForSomeTurns() {
        return jdbc.queryForObject(
                "select count(*) = 0 from pg_stat_activity where application_name = 'caravan'"
                        + " and state_change > clock_timestamp() - interval '500 ms'",
                Boolean.class);
    }

    private Object lastStatementOfConnection() {
        return jdbc.queryForObject(
                "select max(query_start) from pg_stat_activity where application_name = 'wake-up'", Object.class);
    }

    private static long sleepNumber(TestRelay relay) {
        return relay.context()
                .getComponent("outbox", OutboxComponent.class)
                .parts()
                .wakeUp()
                .sleepNumber();
    }

    private boolean announced() {
        return jdbc.queryForObject("select is_called from outbox_sleeper", Boolean.class);
    }

    private static DataSource notifications(int port, String role) {
        return new DelegatingDataSource(Connections.of(settings(port, role)).wakeUp()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                Sql.execute(connection, "set application_name = 'wake-up'");
                return connection;
            }
        };
    }

    private static DataSource as(String role) {
        return Database.unpooled(postgres.url(postgres.port()), role, "");
    }

    private static Settings settings(int port, String role) {
        return Settings.load(
                Path.of("none.properties"), Map.of("caravan.db.url", postgres.url(port), "caravan.db.user", role));
    }
}
