package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.ReplicatedPostgres;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.database.Connections;
import dev.caravan.database.schema.Schema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A replica is promoted while messages wait, are blocked, are dead and are in flight, alone or in a batch. Each test takes about five seconds. */
class FailoverInFlightIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long LEASE_MILLIS = 5_000;
    /** More than Postgres writes ahead of a sequence, so that ids are assigned again. */
    private static final int MANY = 60;

    private static final String WAITS = "waits";
    private static final String DIES = "dies";
    private static final String HANGS = "hangs";
    private static final List<String> KEYS = List.of("a", "b", "c", "d", WAITS, DIES);

    private final TestDestination destination = new TestDestination();
    private final AtomicInteger hanging = new AtomicInteger();
    private final AtomicBoolean fails = new AtomicBoolean(true);
    private final CountDownLatch answer = new CountDownLatch(1);
    private final List<AutoCloseable> open = new ArrayList<>();
    private ReplicatedPostgres servers;

    @BeforeEach
    void start() throws Exception {
        servers = ReplicatedPostgres.start();
        new Schema(servers.primary()).apply();
        destination.before(arrival -> {
            if (arrival.key().equals(WAITS) && fails.get()) {
                throw new IllegalStateException("told to fail");
            }
            if (arrival.key().equals(HANGS)) {
                hanging.incrementAndGet();
                answer.await();
            }
        });
    }

    @AfterEach
    void close() throws Exception {
        answer.countDown();
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
        servers.close();
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"batching=false", "batching=true"})
    void all_that_the_promoted_server_committed_is_delivered_or_dead_though_the_replica_was_behind(String option)
            throws Exception {
        relay(destination, servers.url(), "orders?lanes=2&" + option);
        relay(destination, servers.url(), "orders?lanes=2&" + option);
        insert(servers.primary(), 30);
        sideTables(servers.primary(), 5, 5);
        servers.awaitReplica();
        servers.cutReplica();
        relay(destination, servers.url(), "created-later?" + option);
        fails.set(false);
        insert(servers.primary(), MANY);
        sideTables(servers.primary(), 0, 2 * (5 + MANY / KEYS.size()));
        fails.set(true);
        insert(servers.primary(), 30);
        insert(servers.primary(), HANGS);
        eventually(() -> assertThat(hanging.get()).isGreaterThanOrEqualTo(2));
        List<Long> before = ids(servers.primary());

        servers.promoteReplica();
        insert(servers.replica(), MANY);
        insert(servers.replica(), HANGS);
        assertThat(before.subList(30, before.size())).containsAnyElementsOf(ids(servers.replica()));
        servers.killPrimary();
        eventually(LIMIT, () -> assertThat(hanging.get()).isGreaterThanOrEqualTo(4));
        answer.countDown();
        fails.set(false);

        everythingIsDeliveredOrDead("orders", destination);
        everythingIsDeliveredOrDead("created-later", destination);
    }

    @ParameterizedTest
    @CsvSource("orders?lanes=2, hangs")
    void with_a_synchronous_replica_nothing_is_lost_and_only_what_was_in_flight_is_repeated(String uri, String keys)
            throws Exception {
        List<String> keysInFlight = List.of(keys.split(" "));
        servers.replicateSynchronously();
        relay(destination, servers.url(), uri);
        insert(servers.primary(), 30);
        sideTables(servers.primary(), 5, 5);
        eventually(() -> assertThat(notDelivered(servers.primary())).isZero());
        List<String> inFlight = insertTogether(servers.primary(), keysInFlight);
        eventually(() -> assertThat(hanging.get()).isGreaterThanOrEqualTo(1));
        eventually(() -> assertThat(notDelivered(servers.primary())).isEqualTo(inFlight.size()));
        List<Long> before = ids(servers.primary());

        servers.killPrimary();
        servers.promoteReplica();
        assertThat(ids(servers.replica())).isEqualTo(before);
        insert(servers.replica(), MANY);
        eventually(LIMIT, () -> assertThat(hanging.get()).isGreaterThanOrEqualTo(2));
        answer.countDown();
        fails.set(false);

        everythingIsDeliveredOrDead("orders", destination);
        assertThat(destination.arrivals())
                .filteredOn(arrival -> !inFlight.contains(arrival.messageId()))
                .extracting(TestDestination.Arrival::messageId)
                .doesNotHaveDuplicates();
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource("orders?batching=true, a b hangs c d")
    void with_a_synchronous_replica_only_the_batch_that_was_in_flight_is_repeated(String uri, String keys)
            throws Exception {
        with_a_synchronous_replica_nothing_is_lost_and_only_what_was_in_flight_is_repeated(uri, keys);
    }

    @Tag("long")
    @Test
    void a_relay_leaves_an_old_primary_that_still_runs_when_it_becomes_read_only() throws Exception {
        fails.set(false);
        TestDestination promoted = new TestDestination();
        relay(destination, servers.url(), "orders");
        insert(servers.primary(), 30);
        sideTables(servers.primary(), 0, 5);
        servers.awaitReplica();

        servers.promoteReplica();
        var other = relay(promoted, servers.replicaUrl(), "orders");
        insert(servers.primary(), MANY);
        insert(servers.replica(), MANY);
        eventually(
                LIMIT, () -> assertThat(arrivedOf(servers.replica(), promoted)).isGreaterThan(MANY / 2));
        eventually(LIMIT, () -> assertThat(notDelivered(servers.primary())).isZero()); // by the first relay
        JdbcTemplate old = new JdbcTemplate(servers.primary());
        old.execute("alter system set default_transaction_read_only = on");
        old.execute("select pg_reload_conf()");
        other.close();
        insert(servers.replica(), MANY);

        eventually(LIMIT, () -> assertThat(arrivedOf(servers.replica(), destination))
                .isGreaterThan(MANY / 2));
        everythingIsDeliveredOrDead("orders", destination, promoted);
    }

    private TestRelay relay(TestDestination to, String url, String uri) throws Exception {
        HikariDataSource pool = Connections.of(Settings.load(
                        Path.of("none.properties"),
                        Map.of(
                                "caravan.db.url", url + (url.contains("?") ? "&" : "?") + "connectTimeout=1",
                                "caravan.db.user", "postgres",
                                "caravan.db.password", "")))
                .outboxPool();
        open.add(pool);
        String options = (uri.contains("?") ? "&" : "?") + "backoff=50ms&maxBackoff=100ms&maxAttempts=1000";
        TestRelay relay = TestRelay.start(pool, component -> component.setLeaseDuration(LEASE_MILLIS), routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            var outbox = routes.from("outbox:" + uri + options);
            var messages = uri.contains("batching=true") ? outbox.split(routes.body()) : outbox;
            messages.choice()
                    .when(routes.header(OutboxConstants.AGGREGATE_ID).isEqualTo(DIES))
                    .to("outbox:dead-letter")
                    .otherwise()
                    .process(to);
        });
        open.add(relay);
        return relay;
    }

    private void everythingIsDeliveredOrDead(String subscription, TestDestination... destinations) throws Exception {
        JdbcTemplate server = new JdbcTemplate(servers.replica());
        eventually(LIMIT, () -> {
            Set<String> missing =
                    new HashSet<>(server.queryForList("select message_id::text from outbox", String.class));
            missing.removeAll(server.queryForList(
                    "select message_id::text from outbox_dead_letter where subscription = ?",
                    String.class,
                    subscription));
            arrivals(subscription, destinations).forEach(arrival -> missing.remove(arrival.messageId()));
            assertThat(missing).isEmpty();
            assertThat(notDelivered(servers.replica())).isZero();
        });
        assertThat(server.queryForList("""
                        select distinct message.aggregate_id
                        from outbox_dead_letter dead left join outbox message using (id, message_id)
                        """, String.class)).containsExactly(DIES);
        for (TestDestination each : destinations) {
            keysArrivedInOrder(arrivals(subscription, each));
        }
    }

    private void keysArrivedInOrder(List<TestDestination.Arrival> arrivals) {
        List<String> committed = new JdbcTemplate(servers.replica())
                .queryForList("select message_id::text from outbox order by id", String.class);
        Map<String, List<Integer>> firsts = new HashMap<>();
        Set<String> seen = new HashSet<>();
        for (TestDestination.Arrival arrival : arrivals) {
            int place = committed.indexOf(arrival.messageId());
            if (place >= 0 && seen.add(arrival.messageId())) {
                firsts.computeIfAbsent(arrival.key(), key -> new ArrayList<>()).add(place);
            }
        }
        firsts.forEach((key, places) -> assertThat(places).as(key).isSorted());
    }

    private static List<TestDestination.Arrival> arrivals(String subscription, TestDestination... destinations) {
        return Stream.of(destinations)
                .flatMap(each -> each.arrivals().stream())
                .filter(arrival -> subscription.equals(arrival.headers().get(OutboxConstants.SUBSCRIPTION)))
                .toList();
    }

    private static int arrivedOf(DataSource server, TestDestination destination) {
        Set<String> committed = new HashSet<>(
                new JdbcTemplate(server).queryForList("select message_id::text from outbox", String.class));
        committed.retainAll(destination.arrivals().stream()
                .map(TestDestination.Arrival::messageId)
                .toList());
        return committed.size();
    }

    private static void insert(DataSource server, int count) {
        for (String key : KEYS) {
            insert(server, key, count / KEYS.size());
        }
    }

    private static void insert(DataSource server, String key) {
        insert(server, key, 1);
    }

    private static void insert(DataSource server, String key, int count) {
        new JdbcTemplate(server)
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                                + " select 'order', ?, 'order.created', '{}' from generate_series(1, ?)",
                        key,
                        count);
    }

    /** Inserts a message of each key in one transaction, so that a batch can contain them all; returns their message ids. */
    private static List<String> insertTogether(DataSource server, List<String> keys) {
        return new JdbcTemplate(server)
                .queryForList(
                        "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                                + " select 'order', key, 'order.created', '{}' from unnest(?::text[]) key"
                                + " returning message_id::text",
                        String.class,
                        (Object) keys.toArray(String[]::new));
    }

    /** Waits until these numbers of messages wait in outbox_retry and are dead. */
    private static void sideTables(DataSource server, int waiting, int dead) throws Exception {
        eventually(LIMIT, () -> assertThat(new JdbcTemplate(server).queryForObject("""
                                select (select count(*) from outbox_retry) || ' wait, '
                                       || (select count(*) from outbox_dead_letter) || ' are dead'
                                """, String.class))
                .isEqualTo(waiting + " wait, " + dead + " are dead"));
    }

    /** The number of ids that a subscription has not passed, apart from messages in outbox_retry. */
    private static long notDelivered(DataSource server) {
        return new JdbcTemplate(server).queryForObject("""
                        select max((select max(id) from outbox) - position
                                   + (select coalesce(sum(upper(gap) - lower(gap)), 0)
                                        from unnest(gaps + coalesce(older_gaps, '{}')) gap))
                        from outbox_subscription
                        """, Long.class);
    }

    private static List<Long> ids(DataSource server) {
        return new JdbcTemplate(server).queryForList("select id from outbox order by id", Long.class);
    }
}
