package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.PgBouncer;
import dev.caravan.ProxiedConnections;
import dev.caravan.database.Connections;
import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import dev.caravan.engine.loop.WakeUp;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Relays that share lanes, of which one polls while the others sleep. Without being woken these would read after a minute, which no test waits
 * for, unless their leases are short.
 */
class WatchingRelayIT {
    private static final Duration LONG = Duration.ofSeconds(45);
    private static final Duration LONG_LEASE = Duration.ofMinutes(10);
    private static final Duration SHORT_LEASE = Duration.ofSeconds(10);
    private static final String HELD = "select count(*) from pg_locks where locktype = 'advisory' and granted"
            + " and database = (select oid from pg_database where datname = current_database())";

    private final TestOutbox outbox = TestOutbox.create();
    private final List<Relay> relays = new ArrayList<>();
    private final List<TestDestination> destinations = new ArrayList<>();
    private int inserted;

    /** @param connected whether its connection for notifications can be opened */
    private record Relay(String name, TestRelay running, HeldReads reads, AtomicBoolean connected) {
        boolean sleeps() {
            return running.context()
                            .getComponent("outbox", OutboxComponent.class)
                            .parts()
                            .wakeUp()
                            .sleepNumber()
                    != WakeUp.AWAKE;
        }
    }

    /** Connections whose statements can be held. */
    private static final class HeldReads extends ProxiedConnections {
        private volatile CountDownLatch held = new CountDownLatch(0);

        HeldReads(DataSource source) {
            super(source);
        }

        void hold() {
            held = new CountDownLatch(1);
        }

        void proceed() {
            held.countDown();
        }

        @Override
        protected Object on(Call call) throws Exception {
            if (call.isExecution()) {
                held.await();
            }
            return call.proceed();
        }
    }

    @AfterEach
    void close() throws Exception {
        for (Relay relay : relays) {
            relay.running.close();
        }
        outbox.close();
    }

    @Test
    void one_of_three_relays_polls_and_wakes_the_others_and_another_one_does_when_it_stops() throws Exception {
        start(3, LONG_LEASE);
        for (int round = 0; round < 2; round++) {
            oneWatches();
            deliver();
        }
        Relay watching = oneWatches();

        relays.remove(watching);
        watching.running.close();

        oneWatches();
        deliver();
    }

    @Test
    void a_relay_whose_connection_ends_polls_and_another_one_watches() throws Exception {
        start(3, LONG_LEASE);
        Relay cut = oneWatches();
        cut.connected.set(false);
        outbox.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'watch-"
                + cut.name + "'");

        eventually(LONG, () -> assertThat(oneWatches(awakeOf(2))).isNotSameAs(cut));
        deliver();

        cut.connected.set(true);
        oneWatches();
        deliver();
    }

    /** Also what happens if notifications do not arrive. */
    @Test
    void relays_find_messages_of_which_the_one_that_watches_says_nothing_and_then_poll() throws Exception {
        start(2, SHORT_LEASE);
        Relay cut = oneWatches();
        try (Connection hanging = outbox.unpooled().getConnection()) {
            CompletableFuture<Void> watches = CompletableFuture.runAsync(() -> takeWatch(hanging));
            eventually(() -> assertThat(outbox.number(HELD.replace("and granted", "and not granted")))
                    .isEqualTo(1));
            outbox.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'watch-"
                    + cut.name + "'");
            watches.join();
            eventually(LONG, () -> assertThat(relays).allMatch(Relay::sleeps));

            deliver();

            eventually(LONG, () -> {
                insert(); // until each of them has found one by itself
                assertThat(relays).noneMatch(Relay::sleeps);
            });
        }
        deliver();
    }

    /** Its lock is held by a session that answers. */
    @Test
    void a_relay_whose_reads_hang_does_not_watch() throws Exception {
        start(3, SHORT_LEASE);
        Relay hanging = oneWatches();
        hanging.reads.hold();

        try {
            eventually(LONG, () -> assertThat(oneWatches(awakeOf(2))).isNotSameAs(hanging));
        } finally {
            hanging.reads.proceed();
        }
        deliver();
    }

    private void takeWatch(Connection hanging) {
        try {
            Sql.execute(
                    hanging,
                    "select pg_advisory_lock((classid::bigint << 32) + objid::bigint) from pg_locks"
                            + " where locktype = 'advisory'"
                            + " and database = (select oid from pg_database where datname = current_database())");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void relays_that_read_other_messages_do_not_rely_on_each_other() throws Exception {
        add("all", "orders?lanes=2", LONG_LEASE);
        add("some", "orders?lanes=2&types=order.created,order.changed", LONG_LEASE);

        eventually(LONG, () -> assertThat(outbox.number(HELD)).isEqualTo(2));
        deliver();

        eventually(LONG, () -> assertThat(outbox.number(HELD)).isEqualTo(2));
        assertThat(relays).noneMatch(Relay::sleeps);
    }

    @Test
    void a_relay_that_does_not_share_its_lanes_needs_no_connection_and_watches_when_another_one_joins()
            throws Exception {
        start(1, LONG_LEASE);
        deliver();
        eventually(LONG, () -> assertThat(
                        outbox.number("select count(*) from outbox_subscription where owner = 'relay-0'"))
                .isEqualTo(6));
        assertThat(outbox.number(HELD)).isZero();

        start(1, LONG_LEASE);

        oneWatches();
        deliver();
    }

    @Tag("long")
    @Test
    void behind_a_pooler_that_shares_sessions_all_relays_poll() throws Exception {
        try (PgBouncer pooler = PgBouncer.start("transaction")) {
            for (String name : List.of("a", "b")) {
                add(
                        name,
                        "orders?lanes=6",
                        LONG_LEASE,
                        Database.unpooled(pooler.url(outbox.database()), "postgres", ""));
            }
            for (int round = 0; round < 3; round++) {
                deliver();
                assertThat(outbox.number(HELD)).isZero();
                assertThat(relays).noneMatch(Relay::sleeps);
            }
        }
    }

    private void start(int count, Duration lease) throws Exception {
        for (int i = 0; i < count; i++) {
            add("relay-" + relays.size(), "orders?lanes=6", lease);
        }
    }

    private void add(String name, String uri, Duration lease) throws Exception {
        add(name, uri, lease, Connections.of(outbox.settings(Map.of())).wakeUp());
    }

    private void add(String name, String uri, Duration lease, DataSource notifications) throws Exception {
        AtomicBoolean connected = new AtomicBoolean(true);
        DataSource named = new DelegatingDataSource(notifications) {
            @Override
            public Connection getConnection() throws SQLException {
                if (!connected.get()) {
                    throw new SQLException("told to fail");
                }
                Connection connection = super.getConnection();
                Sql.execute(connection, "set application_name = 'watch-" + name + "'");
                return connection;
            }
        };
        TestDestination destination = new TestDestination();
        HeldReads reads = new HeldReads(outbox.pool());
        TestRelay relay = TestRelay.start(reads, uri, destination, component -> {
            component.setRelay(name);
            component.setLeaseDuration(lease.toMillis());
            component.setWakeUpConnections(named);
        });
        destinations.add(destination);
        relays.add(new Relay(name, relay, reads, connected));
    }

    /** Waits until one relay is awake and the others sleep; returns it. */
    private Relay oneWatches() throws Exception {
        Relay[] watching = new Relay[1];
        eventually(LONG, () -> watching[0] = oneWatches(awakeOf(1)));
        return watching[0];
    }

    /** Of those that are awake, the one whose session holds the lock. */
    private Relay oneWatches(List<Relay> awake) {
        String name =
                outbox.text("select string_agg(application_name, ' ') from pg_locks join pg_stat_activity using (pid)"
                        + " where locktype = 'advisory' and granted and database = (select oid from pg_database where datname ="
                        + " current_database())");
        return awake.stream()
                .filter(relay -> ("watch-" + relay.name).equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the lock has " + name));
    }

    private List<Relay> awakeOf(int count) {
        List<Relay> awake = relays.stream().filter(relay -> !relay.sleeps()).toList();
        assertThat(awake).hasSize(count);
        return awake;
    }

    private void insert() {
        outbox.insertMany(60, 60);
        inserted += 60;
    }

    /** Inserts messages of all lanes, and waits until they have arrived. */
    private void deliver() throws Exception {
        insert();
        eventually(LONG, () -> assertThat(arrived()).hasSize(inserted));
    }

    private Set<Long> arrived() {
        Set<Long> arrived = new HashSet<>();
        destinations.forEach(each -> arrived.addAll(each.ids()));
        return arrived;
    }
}
