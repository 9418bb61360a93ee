package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several relays share the lanes of a subscription. */
class SharedLanesIT extends SharedLanesFixture {
    @Test
    void one_relay_works_all_lanes_and_each_delivers_its_own_keys() throws Exception {
        start("a", FOUR_LANES);
        outbox.insertMany(2_000, KEYS);

        passed(2_000);

        arrivedOnceAndInOrder(2_000);
        assertThat(shares()).isEqualTo(Map.of("a", 4L));
        assertThat(outbox.number("select count(distinct outbox_lane(aggregate_type, aggregate_id, 4)) from outbox"))
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
        arrivedOnceAndInOrder(outbox.number("select count(*) from outbox"));
    }

    @Tag("long")
    @Test
    void shares_that_are_fair_stay_as_they_are() throws Exception {
        start("a", FOUR_LANES);
        start("b", FOUR_LANES);
        start("c", FOUR_LANES);
        awaitRenewals(3); // all relays check several times between two
        eventually(() -> assertThat(shares().values()).containsExactlyInAnyOrder(2L, 1L, 1L));
        String epochs = epochs();

        awaitRenewals(3);

        assertThat(epochs()).isEqualTo(epochs);
    }

    private void awaitRenewals(int times) throws Exception {
        for (int time = 0; time < times; time++) {
            String until = outbox.text("select min(until)::text from outbox_relay");
            eventually(() -> assertThat(outbox.text("select min(until)::text from outbox_relay"))
                    .isNotEqualTo(until));
        }
    }

    @Test
    void a_lane_is_handed_over_only_when_nothing_of_it_is_in_flight() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        destination.before(arrival -> answer.await());
        start("a", "orders?lanes=2&concurrency=3");
        outbox.insertMany(40, 10);
        eventually(() -> assertThat(outbox.number(
                        "select count(*) from outbox_subscription where position = 40 and not isempty(gaps)"))
                .isEqualTo(2));

        start("b", "orders?lanes=2&concurrency=3");
        awaitRenewals(2);
        assertThat(shares()).isEqualTo(Map.of("a", 2L));
        answer.countDown();

        eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 1L, "b", 1L)));
        passed(40);
        arrivedOnceAndInOrder(40);
    }

    @Tag("long")
    @Test
    void a_relay_that_vanishes_is_replaced_when_its_leases_end() throws Exception {
        HeldDataSource network = new HeldDataSource(outbox.pool());
        relays.add(TestRelay.start(network, FOUR_LANES, destination, component -> {
            component.setRelay("a");
            component.setLeaseDuration(3_000);
        }));
        eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 4L)));
        start("b", FOUR_LANES);
        eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 2L, "b", 2L)));

        network.becomeUnavailable();

        eventually(() -> assertThat(shares()).isEqualTo(Map.of("b", 4L)));
        network.becomeAvailable();
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
        start("a", FOUR_LANES + "&backoff=50ms&maxBackoff=50ms&maxAttempts=1000");
        outbox.insertMany(200, 20);
        eventually(() -> assertThat(outbox.waiting("orders")).hasSize(10));
        assertThat(outbox.number("select count(*) from outbox_retry where lane = outbox_lane('order', 'k1', 4)"))
                .isEqualTo(10);

        broken.set(false);

        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        passed(200);
        arrivedOnceAndInOrder(200);
    }

    @Tag("long")
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

    private List<String> owners() {
        return outbox.jdbc().queryForList("select owner from outbox_subscription order by lane", String.class);
    }

    private String epochs() {
        return outbox.text("select string_agg(owner || ' ' || epoch, ', ' order by lane) from outbox_subscription");
    }
}
