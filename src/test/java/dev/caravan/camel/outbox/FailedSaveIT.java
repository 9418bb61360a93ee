package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.store.SubscriptionStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.Exchange;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A save fails or takes long: its connection ends before, in or after its transaction, or the table is slow. */
class FailedSaveIT {
    private static final int COUNT = 40;
    private static final int KEYS = 8;
    /** Of a batch. Fails alone at its first attempt. */
    private static final long FAILING = 13;

    private final TestOutbox outbox = TestOutbox.create();
    private final TestDestination destination = new TestDestination();
    private final List<Long> arrived = Collections.synchronizedList(new ArrayList<>());
    private final AtomicBoolean fails = new AtomicBoolean(true);

    /** The relay reads whether it was committed. */
    @Test
    void a_dead_letter_that_a_person_discarded_after_an_unanswered_commit_does_not_come_back() throws Exception {
        Person person = new Person(outbox);
        AtomicInteger discarded = new AtomicInteger();
        destination.failIf(arrival -> !arrival.key().equals("good"));
        var losing = FailingSaves.atFirstCommit(outbox.pool(), connection -> {
            connection.commit();
            discarded.set(person.discardAll());
        });
        TestRelay.start(losing, "orders?maxAttempts=1", destination);
        outbox.insert("a");
        long after = outbox.insert("good");

        eventually(() -> assertThat(discarded.get()).isEqualTo(1));
        eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(after));
        long next = outbox.insert("b");
        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(next));
    }

    @Test
    void what_was_not_committed_is_part_of_the_next_save() throws Exception {
        destination.failIf(arrival -> true);
        var losing = FailingSaves.atFirstCommit(outbox.pool(), Connection::rollback);
        TestRelay.start(losing, "orders?maxAttempts=1", destination);
        outbox.insert("a");

        eventually(() -> assertThat(outbox.dead("orders")).hasSize(1));
        assertThat(losing.reached()).isEqualTo(2);
    }

    @Tag("long")
    @Test
    void a_message_to_retry_is_not_lost_when_the_connection_ends_just_before_it_is_stored() throws Exception {
        destination.failIf(arrival -> arrival.attempt() == 1);
        FailingSaves saves = new FailingSaves(outbox.pool(), FailingSaves.Point.BEGIN);
        saves.fail(2);
        TestRelay.start(saves, "orders?backoff=10ms", destination);
        long id = outbox.insert("a");

        eventually(() -> assertThat(destination.ids()).containsExactly(id));
        assertThat(saves.reached()).isGreaterThan(2);
    }

    /** Its machine or network fails, and its transaction locks its subscription. */
    @Test
    void another_relay_takes_over_from_one_that_vanished_in_the_middle_of_a_save() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        TestDestination working = new TestDestination();
        destination.failIf(arrival -> true);
        HookedStatement vanishing = new HookedStatement(outbox.pool(), "engine/retry_store");
        vanishing.before(connection -> {
            reached.countDown();
            over.await();
        });
        TestRelay.start(vanishing, "orders", destination, component -> component.setLeaseDuration(3_000));
        long id = outbox.insert("a");
        reached.await();

        try {
            TestRelay.start(outbox.pool(), "orders", working, component -> component.setLeaseDuration(3_000));
            eventually(() -> assertThat(working.ids()).containsExactly(id));
        } finally {
            over.countDown();
        }
    }

    @Test
    void a_save_that_takes_longer_than_the_lease_ends_with_a_valid_lease() throws Exception {
        outbox.insert("a");
        outbox.execute("""
                create function be_slow() returns trigger language plpgsql
                as $$ begin perform pg_sleep(1.5); return new; end $$;
                create trigger be_slow before insert on outbox_retry for each row execute function be_slow();
                """);
        SubscriptionStore store = outbox.store("relay", Duration.ofSeconds(1));
        store.rows().create(Start.parse("earliest"));
        long epoch = store.claim(new String[] {"%"}).orElseThrow().epoch();
        Message message =
                new Message(1, new UUID(0, 1), new Key("order", "a"), "order.created", null, "{}", Instant.EPOCH);
        Change retry = new Change.Retry(
                Delivery.fresh(message), 1, Duration.ofHours(1), new Failure("java.io.IOException", "t", "", "", "t"));

        long began = System.nanoTime();
        var saved = store.save(
                epoch, new Save(new ProgressToSave(1, new IdRanges(), null), List.of(retry), 0, ProvenSession.NONE));

        assertThat(outbox.holds("select lease_until > clock_timestamp() from outbox_subscription"))
                .isTrue();
        assertThat(Duration.ofNanos(saved.orElseThrow().renewedAt() - began)).isGreaterThan(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @EnumSource(names = "ANSWER")
    void only_later_messages_of_a_failed_one_are_repeated_when_the_save_of_a_batch_fails(FailingSaves.Point point)
            throws Exception {
        outbox.insertMany(COUNT, KEYS);
        FailingSaves saves = new FailingSaves(outbox.pool(), point);
        saves.fail(1);

        String uri = "orders?batching=true&batchMaxMessages=" + COUNT + "&backoff=1ms&maxBackoff=1ms";
        try (TestRelay relay = TestRelay.start(saves, uri, this::deliver)) {
            outbox.awaitPassed("orders", COUNT);
            eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        }

        assertThat(saves.left()).isZero();
        assertThat(arrived).filteredOn(id -> !isRepeated(id)).doesNotHaveDuplicates();
        assertThat(arrived).filteredOn(FailedSaveIT::isRepeated).hasSize(2 * 3);
        for (int key = 0; key < KEYS; key++) {
            assertThat(lastArrivals(key))
                    .as("key %d", key)
                    .hasSize(COUNT / KEYS)
                    .isSorted();
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = "ANSWER", mode = EnumSource.Mode.EXCLUDE)
    void nor_are_more_repeated_when_the_save_of_a_batch_fails_at_another_point(FailingSaves.Point point)
            throws Exception {
        only_later_messages_of_a_failed_one_are_repeated_when_the_save_of_a_batch_fails(point);
    }

    private void deliver(Exchange exchange) {
        MessageBatch batch = MessageBatch.of(exchange);
        for (org.apache.camel.Message message : batch) {
            long id = message.getHeader(OutboxConstants.POSITION, Long.class);
            if (id == FAILING && fails.getAndSet(false)) {
                batch.failed(message, "version conflict");
            } else {
                arrived.add(id);
            }
        }
    }

    /** The three later messages of its key are in the same batch, and are sent again after it. */
    private static boolean isRepeated(long id) {
        return id > FAILING && id % KEYS == FAILING % KEYS;
    }

    private List<Long> lastArrivals(int key) {
        List<Long> ofKey = arrived.stream().filter(id -> id % KEYS == key).toList();
        return ofKey.stream()
                .distinct()
                .sorted((one, other) -> Integer.compare(ofKey.lastIndexOf(one), ofKey.lastIndexOf(other)))
                .toList();
    }
}
