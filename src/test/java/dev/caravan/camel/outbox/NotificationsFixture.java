package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.database.Database;
import dev.caravan.database.ReusedSessions;
import dev.caravan.database.schema.Schema;
import dev.caravan.engine.loop.WakeUp;
import dev.caravan.lab.servers.StoppablePostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A Postgres and relays that sleep when they have nothing to do. */
abstract class NotificationsFixture {
    static final String INSERT = "insert into outbox (aggregate_type, aggregate_id, type, payload)"
            + " values ('order', 'a', 'order.created', '{}')";
    static final Duration LONG = Duration.ofSeconds(45);

    @TempDir
    private static Path folder;

    static StoppablePostgres postgres;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    final TestDestination destination = new TestDestination();
    JdbcTemplate jdbc;

    @BeforeAll
    static void startServer() throws Exception {
        postgres = new StoppablePostgres(folder.resolve("data"));
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

    TestRelay start(String uri, TestDestination destination) throws Exception {
        return start(uri, destination, notifications(postgres.port(), "postgres"));
    }

    TestRelay start(String uri, TestDestination destination, DataSource notifications) throws Exception {
        var pool = Database.outboxPool(settings(postgres.port(), "postgres"));
        open.push(pool);
        TestRelay relay = TestRelay.start(pool, uri, destination, component -> {
            component.setWakeUpDataSource(notifications);
            component.setLeaseDuration(600_000);
        });
        open.push(relay);
        return relay;
    }

    /** Waits until a relay and its lanes sleep; returns the number of the sleep. */
    long asleep(TestRelay relay) throws Exception {
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
    boolean nothingWasReadForSomeTurns() {
        return jdbc.queryForObject(
                "select count(*) = 0 from pg_stat_activity where application_name = 'caravan'"
                        + " and state_change > clock_timestamp() - interval '500 ms'",
                Boolean.class);
    }

    Object lastStatementOfConnection() {
        return jdbc.queryForObject(
                "select max(query_start) from pg_stat_activity where application_name = 'wake-up'", Object.class);
    }

    static long sleepNumber(TestRelay relay) {
        return relay.context()
                .getComponent("outbox", OutboxComponent.class)
                .parts()
                .wakeUp()
                .sleepNumber();
    }

    boolean announced() {
        return jdbc.queryForObject("select is_called from outbox_sleeper", Boolean.class);
    }

    static DataSource notifications(int port, String role) {
        var source = (PGSimpleDataSource) Database.forWakeUp(settings(port, role));
        source.setApplicationName("wake-up");
        return source;
    }

    static DataSource as(String role) {
        return Database.unpooled(postgres.url(postgres.port()), role, "");
    }

    static Settings settings(int port, String role) {
        return Settings.load(
                Path.of("none.properties"), Map.of("caravan.db.url", postgres.url(port), "caravan.db.user", role));
    }
}
