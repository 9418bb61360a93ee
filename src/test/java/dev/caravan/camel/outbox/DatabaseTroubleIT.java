package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.engine.loop.LaneFailures;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DatabaseTroubleIT {
    private final TestDestination destination = new TestDestination();
    private final WrittenLog log = WrittenLog.of(LaneFailures.class);
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void nothing_is_lost_or_repeated_when_the_database_is_unavailable_for_a_time() throws Exception {
        HeldDataSource database = new HeldDataSource(outbox.pool());
        try (var relay =
                TestRelay.start(database, "orders", destination, component -> component.setLeaseDuration(60_000))) {
            outbox.insertMany(500, 10);
            eventually(() -> assertThat(destination.ids()).hasSize(500));

            database.becomeUnavailable();
            eventually(() -> assertThat(database.refused()).isPositive()); // no read is under way any more
            outbox.insertMany(500, 10);
            eventually(() -> assertThat(database.refused()).isGreaterThan(1));
            assertThat(destination.ids()).hasSize(500);
            database.becomeAvailable();

            allDelivered(1_000);
            inOrderOnce(1_000);
        }
        assertThat(log.lines())
                .filteredOn(line -> line.contains("Could not work"))
                .singleElement()
                .asString()
                .startsWith("Could not work the outbox");
        assertThat(log.lines()).contains("The outbox works again");
    }

    @Test
    void nothing_is_lost_or_repeated_when_connections_are_cut_under_load() throws Exception {
        TestRelay.start(outbox, "orders?window=40", destination);
        for (int cut = 0; cut < 4; cut++) {
            outbox.insertMany(250, 10);
            int expected = cut * 250 + 25;
            eventually(() -> assertThat(destination.ids()).hasSizeGreaterThan(expected));
            eventually(() -> assertThat(outbox.cutConnectionsOfRelays()).isPositive());
        }

        allDelivered(1_000);
        inOrderOnce(1_000);
    }

    @Test
    void tables_that_are_created_after_the_start_are_found() throws Exception {
        TestOutbox empty = TestOutbox.withoutTables();
        TestRelay.start(empty, "orders", destination);
        eventually(() -> assertThat(log.lines()).anyMatch(line -> line.contains("outbox_subscription")));

        empty.createTables();
        empty.insert("a");

        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
    }

    @Tag("long")
    @Test
    void a_paused_subscription_stops_and_continues_when_it_is_resumed() throws Exception {
        HeldDataSource database = new HeldDataSource(outbox.pool());
        TestRelay.start(database, "orders", destination, component -> component.setLeaseDuration(3_000));
        long first = outbox.insert("a");
        allDelivered(first);

        outbox.execute("update outbox_subscription set paused = true");
        eventually(() -> assertThat(outbox.saved("orders").owner()).isNull());
        long second = outbox.insert("a");
        int before = database.opened();
        eventually(() -> assertThat(database.opened()).isGreaterThan(before + 1)); // it has requested the lease
        assertThat(destination.ids()).containsExactly(first);

        outbox.execute("update outbox_subscription set paused = false");

        eventually(() -> assertThat(destination.ids()).containsExactly(first, second));
    }

    private void allDelivered(long position) throws Exception {
        eventually(() -> {
            assertThat(outbox.saved("orders").position()).isEqualTo(position);
            assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue();
        });
    }

    private void inOrderOnce(int count) {
        assertThat(destination.ids()).hasSize(count).doesNotHaveDuplicates();
        for (int key = 0; key < 10; key++) {
            assertThat(destination.idsOf("k" + key)).isSorted();
        }
    }
}
