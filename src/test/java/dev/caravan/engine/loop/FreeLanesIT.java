package dev.caravan.engine.loop;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.ProxiedConnections;
import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.store.HaltedException;
import dev.caravan.engine.store.Histories;
import dev.caravan.engine.store.LaneConnections;
import dev.caravan.engine.store.LaneCountMismatch;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.SubscriptionStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What relays find out about the lanes of their subscriptions, and how many statements that takes. Their clock is set. */
class FreeLanesIT {
    private static final Duration LEASE = Duration.ofHours(1);
    private static final String[] ALL = {"%"};
    private static final long KEY = 77;

    private volatile long now = 1;
    private final Clock clock = () -> now;
    private final TestOutbox outbox = TestOutbox.create();
    private final Presence presence =
            new Presence(outbox.unpooled(), new Histories(), clock); // observes; has no session
    private final CountedLookups lookups = new CountedLookups(outbox.dataSource());
    private final FreeLanes freeLanes = freeLanes("relay");
    private final AtomicInteger woken = new AtomicInteger();
    private final LaneChoice orders = new LaneChoice("orders", 1, freeLanes, clock);

    /** Counts the statements, and can hold them. */
    private static final class CountedLookups extends ProxiedConnections {
        private final AtomicInteger counted = new AtomicInteger();
        private volatile CountDownLatch held = new CountDownLatch(0);

        CountedLookups(DataSource source) {
            super(source);
        }

        @Override
        protected Object on(Call call) throws Exception {
            if (call.isExecution() && !Sql.file("engine/history").text().equals(call.text())) {
                counted.incrementAndGet();
                held.await();
            }
            return call.proceed();
        }

        int count() {
            return counted.getAndSet(0);
        }
    }

    @AfterEach
    void close() throws Exception {
        lookups.held.countDown();
        outbox.close();
    }

    private FreeLanes freeLanes(String relay) {
        return new FreeLanes(new LaneConnections(lookups, new Histories()), presence, relay, LEASE, clock);
    }

    @Test
    void the_first_claim_needs_no_statement_and_each_further_one_an_answer_that_the_lane_is_free() {
        SubscriptionStore owner = owned("orders", ProvenSession.NONE);
        assertThat(mayClaim(orders)).isTrue();
        assertThat(lookups.count()).isZero();
        orders.notClaimed(0);

        assertThat(mayClaim(orders)).isFalse();
        passMillis(200);
        assertThat(mayClaim(orders)).isFalse();
        owner.release(1);
        assertThat(mayClaim(orders)).as("the last answer").isFalse();
        passMillis(200);

        assertThat(mayClaim(orders)).isTrue();
        orders.notClaimed(0);
        assertThat(mayClaim(orders)).as("one claim for each answer").isFalse();
        passMillis(200);
        assertThat(mayClaim(orders)).isTrue();
    }

    @Test
    void fifty_subscriptions_cost_five_statements_a_second_and_none_while_they_are_owned() {
        List<LaneChoice> all = IntStream.range(0, 50)
                .mapToObj(n -> new LaneChoice("s" + n, 1, freeLanes, clock))
                .toList();
        all.forEach(each -> owned(each.name(), ProvenSession.NONE));
        all.forEach(each -> {
            assertThat(mayClaim(each)).isTrue();
            each.notClaimed(0);
        });

        for (int turn = 0; turn < 100; turn++, passMillis(10)) {
            all.forEach(each -> assertThat(mayClaim(each)).isFalse());
        }
        assertThat(lookups.count()).isEqualTo(5);

        outbox.execute("update outbox_subscription set owner = null, lease_until = null");
        passMillis(200);
        all.forEach(each -> assertThat(mayClaim(each)).isTrue());
        assertThat(lookups.count()).isEqualTo(1);
        passMillis(200);
        all.forEach(each -> assertThat(each.shouldHandOver(0)).isFalse());
        assertThat(lookups.count()).isZero();
    }

    @Test
    void a_lane_that_waits_is_woken_when_another_one_finds_it_free() {
        SubscriptionStore owner = owned("orders", ProvenSession.NONE);
        owned("other", ProvenSession.NONE);
        LaneChoice other = new LaneChoice("other", 1, freeLanes, clock);
        for (LaneChoice each : List.of(orders, other)) {
            mayClaim(each);
            each.notClaimed(0);
            assertThat(mayClaim(each)).isFalse();
        }
        owner.release(1);
        passMillis(200);

        assertThat(other.mayClaim(0, () -> {})).isFalse();

        assertThat(woken).hasValue(1);
        assertThat(mayClaim(orders)).isTrue();
        assertThat(freeLanes.untilNext()).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void the_lane_of_an_ended_session_is_free_when_no_proof_of_it_can_be_valid() throws Exception {
        try (Connection session = lock()) {
            owned("orders", new ProvenSession(KEY, server(), 0));
            mayClaim(orders);
            orders.notClaimed(0);
            assertThat(mayClaim(orders)).isFalse();
            passMillis(10_000);
            assertThat(mayClaim(orders)).as("its owner is running").isFalse();
        }
        eventually(
                () -> { // the server ends a session after its client has closed it
                    passMillis(200);
                    mayClaim(orders);
                    assertThat(freeLanes.untilNext()).isEqualTo(Duration.ofMillis(200));
                    assertThat(presence.untilNextEnded(LEASE)).isNotEqualTo(LEASE);
                });
        passMillis(599);
        assertThat(mayClaim(orders)).isFalse();
        assertThat(freeLanes.untilNext()).isLessThanOrEqualTo(Duration.ofMillis(2));

        passMillis(2);

        assertThat(mayClaim(orders)).isTrue();
    }

    @Test
    void a_lock_that_is_free_on_another_server_than_that_of_the_session_proves_nothing() throws Exception {
        owned("orders", new ProvenSession(KEY, server() + 1, 0));
        for (int turn = 0; turn < 10; turn++, passMillis(200)) {
            if (mayClaim(orders)) {
                orders.notClaimed(0);
                assertThat(turn).as("only the claim after the start").isZero();
            }
        }
        assertThat(presence.endedSessions()).isEmpty();
    }

    @Test
    void two_relays_that_try_a_lock_at_once_do_not_take_each_other_for_its_owner() throws Exception {
        owned("orders", new ProvenSession(KEY, server(), 0));
        try (Connection other = outbox.unpooled().getConnection()) {
            other.setAutoCommit(false);
            execute(
                    other,
                    "select pg_try_advisory_xact_lock_shared(" + KEY + ")"); // as within the statement of another relay

            mayClaim(orders);
            orders.notClaimed(0);
            mayClaim(orders);

            passMillis(600);
            assertThat(presence.endedSessions()).containsExactly(KEY);
        }
    }

    @Test
    void a_subscription_that_is_paused_halted_changed_deleted_or_whose_lease_ends_too_late() {
        owned("orders", ProvenSession.NONE).release(1);
        mayClaim(orders);
        orders.notClaimed(0);

        set("paused = true");
        assertThat(mayClaim(orders)).isFalse();
        set("paused = false, halted_at = now(), halted_reason = 'the sequence was set back'");
        assertThatThrownBy(() -> mayClaim(orders))
                .isInstanceOf(HaltedException.class)
                .hasMessageContaining("set back");
        set("halted_at = null, halted_reason = null, lanes = 3");
        assertThatThrownBy(() -> mayClaim(orders))
                .isInstanceOf(LaneCountMismatch.class)
                .hasMessageContaining("3 lanes");
        set("lanes = 1");
        claimable();
        set("owner = 'dead', lease_until = now() + interval '1 hour', lease_millis = 7200000");
        assertThat(mayClaim(orders)).isFalse();
        set("lease_millis = 1000"); // granted before the clock was set back: the claim shortens it
        claimable();
        set("lease_until = now() - interval '1 ms'");
        claimable();
        set("barrier = 0, barrier_until = now() + interval '5 seconds'");
        assertThat(mayClaim(orders)).isFalse();
        outbox.execute("delete from outbox_subscription");
        passMillis(200);
        claimable();
    }

    private void claimable() {
        assertThat(mayClaim(orders)).isTrue();
        orders.notClaimed(0);
        passMillis(200);
    }

    @Test
    void no_lane_waits_for_a_statement_of_another_one_and_after_ten_seconds_each_claims_by_itself() throws Exception {
        owned("orders", ProvenSession.NONE);
        mayClaim(orders);
        orders.notClaimed(0);
        lookups.held = new CountDownLatch(1);
        Thread hanging = new Thread(() -> mayClaim(orders));
        hanging.start();
        eventually(() -> assertThat(lookups.counted).hasValue(1));
        LaneChoice other = new LaneChoice("other", 1, freeLanes, clock);
        mayClaim(other);
        other.notClaimed(0);

        passMillis(9_999);
        assertThat(mayClaim(other)).isFalse();
        passMillis(1);

        assertThat(mayClaim(other)).isTrue();
        lookups.held.countDown();
        hanging.join();
        other.notClaimed(0);
        assertThat(mayClaim(other)).as("answered again").isFalse();
    }

    @Test
    void a_statement_that_fails_is_the_failure_of_one_turn_and_the_next_one_follows_later() throws Exception {
        owned("orders", ProvenSession.NONE);
        mayClaim(orders);
        orders.notClaimed(0);
        outbox.execute("alter table outbox_subscription rename to missing");

        assertThatThrownBy(() -> mayClaim(orders)).hasStackTraceContaining("outbox_subscription");
        assertThat(mayClaim(orders)).isFalse();

        outbox.execute("alter table missing rename to outbox_subscription");
        set("lease_until = now() - interval '1 ms'");
        assertThat(mayClaim(orders)).isTrue();
    }

    @Test
    void a_subscription_that_stops_is_not_asked_for_and_one_that_starts_again_claims_at_once() {
        owned("orders", ProvenSession.NONE);
        mayClaim(orders);
        orders.notClaimed(0);
        assertThat(mayClaim(orders)).isFalse();
        lookups.count();

        orders.stop(0);
        passMillis(200);
        freeLanes.findIfDue();
        assertThat(lookups.count()).isZero();

        assertThat(mayClaim(orders)).isTrue();
    }

    @Test
    void eight_relays_share_24_lanes_with_one_statement_of_each_every_200_ms() {
        List<SharingRelay> relays = IntStream.range(0, 8)
                .mapToObj(n -> new SharingRelay("relay-" + n, 24))
                .toList();
        turns(relays, 4_000);
        assertThat(owned()).hasSize(8).allSatisfy((relay, lanes) -> assertThat(lanes)
                .isEqualTo(3));
        lookups.count();

        turns(relays, 1_000);

        assertThat(lookups.count()).isEqualTo(8 * 5);
        relays.get(0).choice.leave();
        relays.get(0).releaseAll();
        turns(relays.subList(1, 8), 4_000);
        assertThat(owned()).hasSize(7).doesNotContainKey("relay-0").allSatisfy((relay, lanes) -> assertThat(lanes)
                .isBetween(3, 4));
    }

    @Test
    void the_subscriptions_of_a_relay_are_registered_by_one_statement_which_waits_for_no_other_relay()
            throws Exception {
        List<LaneChoice> shared = Stream.of("a", "b", "c")
                .map(name -> new LaneChoice(name, 2, freeLanes, clock))
                .toList();
        outbox.execute(
                "insert into outbox_relay (subscription, relay, lanes, until, lease_millis) select name, relay, 2,"
                        + " now() + days * interval '1 day', 1000 from unnest(array['a', 'b', 'c']) name,"
                        + " (values ('gone', -1), ('ahead', 1)) other (relay, days)");
        shared.forEach(each -> each.shouldHandOver(0));
        lookups.count();
        passMillis(200);
        try (Connection other = outbox.unpooled().getConnection()) {
            other.setAutoCommit(false);
            execute(other, "select from outbox_relay where subscription = 'b' for update");

            freeLanes.findIfDue();

            assertThat(lookups.count()).as("a registration and a lookup").isEqualTo(2);
        }
        assertThat(outbox.text("select string_agg(subscription || ' ' || relay, ', ' order by subscription, relay)"
                        + " from outbox_relay where until < now() + interval '1 minute' or relay = 'relay'"))
                .isEqualTo("a ahead, a relay, b gone, b relay, c ahead, c relay");
    }

    /** A relay that owns the lanes that it may claim, on real rows. */
    private final class SharingRelay {
        private final LaneChoice choice;
        private final List<SubscriptionStore> stores = new ArrayList<>();
        private final Map<Integer, Long> epochs = new HashMap<>();

        SharingRelay(String name, int lanes) {
            choice = new LaneChoice("shared", lanes, freeLanes(name), clock);
            for (int lane = 0; lane < lanes; lane++) {
                stores.add(store(new LaneId("shared", lane, lanes), name));
            }
            stores.get(0).rows().create(Start.parse("earliest"));
        }

        void turn(int lane) {
            if (epochs.containsKey(lane)) {
                if (choice.shouldHandOver(lane)) {
                    stores.get(lane).release(epochs.remove(lane));
                }
            } else if (choice.mayClaim(lane, () -> {})) {
                stores.get(lane)
                        .claim(ALL)
                        .ifPresentOrElse(claim -> epochs.put(lane, claim.epoch()), () -> choice.notClaimed(lane));
            }
        }

        void releaseAll() {
            epochs.forEach((lane, epoch) -> stores.get(lane).release(epoch));
        }
    }

    private void turns(List<SharingRelay> relays, int millis) {
        for (int passed = 0; passed < millis; passed += 20, passMillis(20)) {
            for (int lane = 0; lane < 24; lane++) {
                for (SharingRelay relay : relays) {
                    relay.turn(lane);
                }
            }
        }
    }

    private Map<String, Integer> owned() {
        Map<String, Integer> owned = new HashMap<>();
        outbox.jdbc()
                .query("select owner, count(*) from outbox_subscription where owner is not null group by 1", row -> {
                    owned.put(row.getString(1), row.getInt(2));
                });
        return owned;
    }

    private boolean mayClaim(LaneChoice choice) {
        return choice.mayClaim(0, woken::incrementAndGet);
    }

    private SubscriptionStore owned(String subscription, ProvenSession session) {
        SubscriptionStore owner = store(LaneId.only(subscription), "owner");
        owner.rows().create(Start.parse("earliest"));
        owner.claim(ALL, session, new Long[0]).orElseThrow();
        return owner;
    }

    private SubscriptionStore store(LaneId lane, String relay) {
        return new SubscriptionStore(outbox.jdbc(), lane, relay, LEASE, false, clock);
    }

    /** Changes the row, and makes the next statement due. */
    private void set(String values) {
        outbox.execute("update outbox_subscription set " + values);
        passMillis(200);
    }

    private void passMillis(long millis) {
        now += Duration.ofMillis(millis).toNanos();
    }

    private long server() throws SQLException {
        try (Connection connection = outbox.unpooled().getConnection()) {
            return new Histories().of(connection).number();
        }
    }

    private Connection lock() throws SQLException {
        Connection connection = outbox.unpooled().getConnection();
        execute(connection, "select pg_advisory_lock(" + KEY + ")");
        return connection;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
