package dev.caravan.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.audit.Actor;
import dev.caravan.clock.Clock;
import dev.caravan.store.LaneId;
import dev.caravan.store.Start;
import dev.caravan.store.SubscriptionStore;
import dev.caravan.subscription.LaneChange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several relays in this process share the lanes of a subscription and deliver to one place. */
class SharedLanesIT {
    private static final int KEYS = 40;
    private static final String FOUR_LANES = "orders?lanes=4&concurrency=3";

    private final TestDestination destination = new TestDestination();
    private final List<TestRelay> relays = new ArrayList<>();
    private TestOutbox outbox;

    @BeforeEach
    void create() throws Exception {
        outbox = TestOutbox.create();
    }

    @AfterEach
    void close() throws Exception {
        for (TestRelay relay : relays) {
            relay.close();
        }
        outbox.close();
    }

    @Test
    void one_relay_works_all_lanes_and_each_delivers_its_own_keys() throws Exception {
        start("a", FOUR_LANES);
        outbox.insertMany(2_000, KEYS);

        passed(2_000);

        arrivedOnceAndInOrder(2_000);
        assertThat(shares()).isEqualTo(Map.of("a", 4L));
        assertThat(number("select count(distinct outbox_lane(aggregate_type, aggregate_id, 4)) from outbox"))
                .isEqualTo(4);
    }

    @Test
    void relays_take_a_fair_share_when_one_joins_or_leaves_under_load_and_nothing_is_repeated() throws Exception {
        try (Application application = new Application()) {
            start("a", FOUR_LANES);
            eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 4L)));
            start("b", FOUR_LANES);
            eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 2L, "b", 2L)));
            start("c", FOUR_LANES);
            eventually(() -> assertThat(shares().values()).containsExactlyInAnyOrder(2L, 1L, 1L));
            List<String> owners = owners();
            start("d", FOUR_LANES);
            start("e", FOUR_LANES);
            eventually(() -> assertThat(shares().values()).containsExactlyInAnyOrder(1L, 1L, 1L, 1L));
            stop(0);
            stop(0);
            eventually(() -> assertThat(shares().values()).containsExactlyInAnyOrder(2L, 1L, 1L));
            stop(0);
            eventually(() -> assertThat(shares()).isEqualTo(Map.of("d", 2L, "e", 2L)));
            assertThat(owners).hasSize(4);
            application.stop();
        }

        passedAll();
        arrivedOnceAndInOrder(number("select count(*) from outbox"));
    }

    @Test
    void shares_that_are_fair_stay_as_they_are() throws Exception {
        start("a", FOUR_LANES);
        start("b", FOUR_LANES);
        start("c", FOUR_LANES);
        awaitRenewals(3); // all relays look several times between two
        eventually(() -> assertThat(shares().values()).containsExactlyInAnyOrder(2L, 1L, 1L));
        String epochs = epochs();

        awaitRenewals(3);

        assertThat(epochs()).isEqualTo(epochs);
    }

    private void awaitRenewals(int times) throws Exception {
        for (int time = 0; time < times; time++) {
            String until = text("select min(until)::text from outbox_relay");
            eventually(() -> assertThat(text("select min(until)::text from outbox_relay"))
                    .isNotEqualTo(until));
        }
    }

    @Test
    void a_lane_is_handed_over_only_when_nothing_of_it_is_on_its_way() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        destination.before(arrival -> answer.await());
        start("a", "orders?lanes=2&concurrency=3");
        outbox.insertMany(40, 10);
        eventually(() -> assertThat(
                        number("select count(*) from outbox_subscription where position = 40 and not isempty(gaps)"))
                .isEqualTo(2));

        start("b", "orders?lanes=2&concurrency=3");
        awaitRenewals(2);
        assertThat(shares()).isEqualTo(Map.of("a", 2L));
        answer.countDown();

        eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 1L, "b", 1L)));
        passed(40);
        arrivedOnceAndInOrder(40);
    }

    @Test
    void a_relay_that_vanishes_is_replaced_when_its_leases_end() throws Exception {
        HeldDataSource way = new HeldDataSource(outbox.pool());
        relays.add(TestRelay.start(way, FOUR_LANES, destination, component -> {
            component.setRelay("a");
            component.setLeaseDuration(3_000);
        }));
        eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 4L)));
        start("b", FOUR_LANES);
        eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 2L, "b", 2L)));

        way.goes();

        eventually(() -> assertThat(shares()).isEqualTo(Map.of("b", 4L)));
        way.comesBack();
        eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 2L, "b", 2L)));
    }

    @Test
    void pause_and_resume_are_about_all_lanes() throws Exception {
        start("a", FOUR_LANES);
        eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 4L)));

        new Person(outbox).pause("orders");

        eventually(() -> assertThat(shares()).isEmpty());
        outbox.insertMany(100, KEYS);
        new Person(outbox).resume("orders");
        passed(100);
        arrivedOnceAndInOrder(100);
    }

    @Test
    void messages_that_fail_block_their_key_and_follow_in_their_lane() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        destination.failIf(arrival -> broken.get() && arrival.key().equals("k1"));
        start("a", FOUR_LANES + "&backoff=50&maxBackoff=50&maxAttempts=1000");
        outbox.insertMany(200, 20);
        eventually(() -> assertThat(outbox.waiting("orders")).hasSize(10));
        assertThat(number("select count(*) from outbox_retry where lane = outbox_lane('order', 'k1', 4)"))
                .isEqualTo(10);

        broken.set(false);

        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        passed(200);
        arrivedOnceAndInOrder(200);
    }

    @Test
    void what_is_replayed_goes_through_the_lanes_of_its_keys() throws Exception {
        start("a", FOUR_LANES);
        outbox.insertMany(400, KEYS);
        passed(400);

        assertThat(new Person(outbox).replayFrom("orders", 301)).isEqualTo(100);

        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        eventually(() -> assertThat(destination.ids()).hasSize(500));
        assertThat(destination.ids().subList(400, 500)).containsAll(ids(301, 400));
    }

    @Test
    void a_route_with_another_number_of_lanes_is_not_worked_until_it_fits() throws Exception {
        start("a", FOUR_LANES);
        eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 4L)));
        stop(0);
        HeldDataSource ofOne = new HeldDataSource(outbox.pool());
        HeldDataSource ofTwo = new HeldDataSource(outbox.pool());
        TestRelay one = start("b", "orders", ofOne);
        TestRelay two = start("c", "orders?lanes=2", ofTwo);
        outbox.insertMany(10, 5);

        assertThat(one.context().getStatus().isStarted()).isTrue();
        for (HeldDataSource way : List.of(ofOne, ofTwo)) {
            int given = way.given();
            eventually(() -> assertThat(way.given()).isGreaterThan(given + 1)); // it has asked again
        }
        assertThat(shares()).isEmpty();
        assertThat(destination.ids()).isEmpty();

        changeLanes(2);

        eventually(() -> assertThat(shares()).isEqualTo(Map.of("c", 2L)));
        passed(10);
        assertThat(two.context().getStatus().isStarted()).isTrue();
        arrivedOnceAndInOrder(10);
    }

    @Test
    void two_new_relays_that_differ_make_the_lanes_of_one_of_them() throws Exception {
        for (int round = 0; round < 10; round++) {
            String name = "new" + round;
            var stores = List.of(store(name, 1), store(name, 3));
            var threads = Executors.newFixedThreadPool(2);
            try {
                threads.invokeAll(stores.stream()
                        .map(store -> Executors.callable(() -> store.rows().create(Start.parse("latest"))))
                        .toList());
            } finally {
                threads.shutdown();
            }

            assertThat(text(
                            "select (count(*) = max(lanes) and count(distinct lanes) = 1 and max(lane) = max(lanes) - 1)::text"
                                    + " from outbox_subscription where name = '" + name + "'"))
                    .isEqualTo("true");
        }
    }

    private SubscriptionStore store(String name, int lanes) {
        return new SubscriptionStore(
                outbox.jdbc(),
                new LaneId(name, 0, lanes),
                "relay",
                java.time.Duration.ofMinutes(1),
                false,
                Clock.SYSTEM);
    }

    @Test
    void the_number_of_lanes_is_changed_up_and_down_under_load_without_loss_repeats_or_disorder() throws Exception {
        try (Application application = new Application()) {
            // One relay of each kind: those whose number does not fit wait.
            start("one-a", "orders?concurrency=3");
            start("four-a", FOUR_LANES);
            start("four-b", FOUR_LANES);
            start("six-a", "orders?lanes=6&pipelined=true");
            start("six-b", "orders?lanes=6&pipelined=true");
            for (int lanes : new int[] {4, 6, 1, 6, 4, 1}) {
                changeLanes(lanes);
                eventually(Duration.ofSeconds(60), () -> {
                    assertThat(number("select count(*) from outbox_subscription where owner is not null"))
                            .isEqualTo(lanes);
                    assertThat(shares().size()).isEqualTo(lanes == 1 ? 1 : 2);
                });
                application.awaitMore(300);
                eventually(() -> assertThat(number("select min(position) from outbox_subscription"))
                        .isGreaterThan(destination.ids().size() / 2));
            }
            application.stop();
        }

        passedAll();
        arrivedOnceAndInOrder(number("select count(*) from outbox"));
        assertThat(number("select sum(delivered) from outbox_subscription"))
                .as("what all lanes have delivered, whatever their number was")
                .isEqualTo(number("select count(*) from outbox"));
    }

    @Test
    void what_waits_or_is_dead_moves_to_the_new_lane_of_its_key() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        destination.failIf(arrival -> broken.get() && arrival.key().endsWith("1"));
        TestRelay one = start("a", "orders?maxAttempts=1000");
        outbox.insertMany(400, 40);
        eventually(() -> assertThat(outbox.waiting("orders")).hasSize(40));
        new Person(outbox).giveUpAll();
        eventually(() -> assertThat(outbox.dead("orders")).hasSizeGreaterThanOrEqualTo(4));

        changeLanes(4);

        for (String table : List.of("outbox_retry", "outbox_dead_letter")) {
            assertThat(number("select count(*) from " + table
                            + " where lane <> outbox_lane(aggregate_type, aggregate_id, 4)"))
                    .isZero();
            assertThat(number("select count(distinct lane) from " + table)).isGreaterThan(1);
        }
        assertThat(one.context().getStatus().isStarted()).isTrue();
        broken.set(false);
        start("b", FOUR_LANES + "&backoff=10&maxBackoff=10");
        new Person(outbox).retryAll();
        new Person(outbox).retryAllWaiting();
        eventually(() -> {
            new Person(outbox).retryAllWaiting();
            assertThat(outbox.waiting("orders")).isEmpty();
        });
        eventually(() -> assertThat(destination.ids()).hasSize(400));
    }

    @Test
    void a_change_of_lanes_is_given_up_by_itself_when_the_command_is_gone() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        destination.before(arrival -> answer.await());
        start("a", "orders");
        outbox.insert("k1");
        eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(1));
        assertThat(change(4).advance().done()).isFalse();
        eventually(() -> assertThat(
                        number("select count(*) from outbox_subscription where barrier_until > clock_timestamp()"))
                .isEqualTo(1));

        outbox.jdbc().execute("update outbox_subscription set barrier_until = clock_timestamp()"); // ten seconds later
        answer.countDown();
        outbox.insertMany(20, 5);

        passed(21);
        arrivedOnceAndInOrder(21);
    }

    @Test
    void a_change_that_waits_for_a_delivery_can_be_taken_back() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        destination.before(arrival -> answer.await());
        start("a", "orders");
        outbox.insert("k1");
        eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(1));
        LaneChange change = change(4);

        assertThat(change.advance().waitsFor()).contains("its relays to finish the messages in flight (a)");
        change.cancel();
        answer.countDown();

        outbox.insertMany(20, 5);
        passed(21);
        assertThat(change.lanes()).isEqualTo(1);
        arrivedOnceAndInOrder(21);
    }

    private TestRelay start(String name, String uri) throws Exception {
        return start(name, uri, outbox.pool());
    }

    private TestRelay start(String name, String uri, DataSource dataSource) throws Exception {
        TestRelay relay = TestRelay.start(dataSource, uri, destination, component -> {
            component.setRelay(name);
            component.setLeaseDuration(3_000);
            component.setFirstWait(Duration.ofMillis(100));
        });
        relays.add(relay);
        return relay;
    }

    private void stop(int index) throws Exception {
        relays.remove(index).close();
    }

    private LaneChange change(int lanes) {
        return new LaneChange(outbox.unpooled(), "orders", lanes, new Actor("anna", Optional.empty()));
    }

    private void changeLanes(int lanes) throws Exception {
        LaneChange change = change(lanes);
        eventually(() -> {
            var step = change.advance();
            assertThat(step.done()).as(step.waitsFor()).isTrue();
        });
    }

    /** How many lanes each relay holds. */
    private Map<String, Long> shares() {
        Map<String, Long> shares = new TreeMap<>();
        outbox.jdbc()
                .query(
                        "select owner, count(*) from outbox_subscription where lease_until > clock_timestamp() group by owner",
                        row -> {
                            shares.put(row.getString(1), row.getLong(2));
                        });
        return shares;
    }

    private List<String> owners() {
        return outbox.jdbc().queryForList("select owner from outbox_subscription order by lane", String.class);
    }

    private String epochs() {
        return text("select string_agg(owner || ' ' || epoch, ', ' order by lane) from outbox_subscription");
    }

    private void passedAll() throws Exception {
        passed(number("select max(id) from outbox"));
    }

    private void passed(long position) throws Exception {
        eventually(() -> assertThat(text("select bool_and(position >= " + position
                        + " and isempty(gaps) and older_gaps is null)::text" + " from outbox_subscription"))
                .isEqualTo("true"));
    }

    private void arrivedOnceAndInOrder(long messages) {
        assertThat(destination.ids()).doesNotHaveDuplicates().hasSize((int) messages);
        for (int key = 0; key <= KEYS; key++) {
            assertThat(destination.idsOf("k" + key)).as("key %d", key).isSorted();
        }
    }

    private static List<Long> ids(long first, long last) {
        return java.util.stream.LongStream.rangeClosed(first, last).boxed().toList();
    }

    private long number(String sql) {
        return outbox.jdbc().queryForObject(sql, Long.class);
    }

    private String text(String sql) {
        return outbox.jdbc().queryForObject(sql, String.class);
    }

    /** Writes all the time: three transactions side by side that lock their key, one in ten rolled back. */
    private final class Application implements AutoCloseable {
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final List<Thread> threads = new ArrayList<>();

        Application() {
            for (int thread = 0; thread < 3; thread++) {
                int first = thread;
                threads.add(new Thread(() -> write(first)));
            }
            threads.forEach(Thread::start);
        }

        private void write(int thread) {
            for (int n = 0; !stopped.get(); n++) {
                int key = thread + 3 * (n % (KEYS / 3)); // a key belongs to one thread
                try (var connection = outbox.unpooled().getConnection()) {
                    var transaction = new ApplicationTransaction(connection);
                    for (int message = 0; message < 5; message++) {
                        transaction.insert("k" + key);
                    }
                    if (n % 10 == 0) {
                        transaction.rollback();
                    } else {
                        transaction.commit();
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        void awaitMore(int messages) throws Exception {
            int now = destination.ids().size();
            eventually(() -> assertThat(destination.ids()).hasSizeGreaterThan(now + messages));
        }

        void stop() throws InterruptedException {
            stopped.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }

        @Override
        public void close() throws InterruptedException {
            stop();
        }
    }
}
