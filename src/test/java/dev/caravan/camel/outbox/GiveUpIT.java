package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.SubscriptionStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** People give up and retry messages that a relay has taken, with the statements of both. */
class GiveUpIT {
    private static final String NAME = "orders";
    private static final Failure FAILURE =
            new Failure("relay.Error", "of the relay", "stack", "http:there", "of the relay");

    /** How an attempt ends. */
    enum Ends {
        RETRY(delivery -> new Change.Retry(delivery, delivery.failedAttempts() + 1, Duration.ZERO, FAILURE)),
        BLOCK(Change.Block::new),
        DEAD(delivery -> new Change.Dead(delivery, delivery.failedAttempts() + 1, FAILURE)),
        REMOVE(Change.Remove::new);

        private final Function<Delivery, Change> change;

        Ends(Function<Delivery, Change> change) {
            this.change = change;
        }
    }

    private final TestOutbox outbox = TestOutbox.create();
    private final Person person = new Person(outbox);
    private SubscriptionStore store;
    private long epoch;

    @BeforeEach
    void start() throws Exception {
        store = new SubscriptionStore(
                new JdbcTemplate(outbox.pool()),
                LaneId.only(NAME),
                "relay-1",
                Duration.ofMinutes(5),
                false,
                Clock.SYSTEM);
        store.rows().create(Start.parse("earliest"));
        epoch = store.claim(new String[] {"%"}).orElseThrow().epoch();
    }

    @ParameterizedTest
    @EnumSource
    void a_message_that_was_given_up_during_an_attempt_stays_a_dead_letter(Ends ends) throws Exception {
        waiting(1);
        Delivery inHand = due().get(0);

        assertThat(person.giveUpAll()).isEqualTo(1);
        save(ends.change.apply(inHand));

        assertThat(ids("outbox_retry")).isEmpty();
        assertThat(ids("outbox_dead_letter")).containsExactly(1L);
        assertThat(outbox.text("select error_text from outbox_dead_letter")).isEqualTo("first");
    }

    @ParameterizedTest
    @EnumSource
    void a_message_that_was_given_up_and_discarded_meanwhile_is_not_restored(Ends ends) throws Exception {
        waiting(1);
        Delivery inHand = due().get(0);

        person.giveUpAll();
        person.discardAll();
        save(ends.change.apply(inHand));

        assertThat(ids("outbox_retry")).isEmpty();
        assertThat(ids("outbox_dead_letter")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void a_message_that_was_given_up_and_edited_during_an_attempt_waits_with_the_edit(Ends ends) throws Exception {
        waiting(1);
        Delivery inHand = due().get(0);

        person.giveUpAll();
        person.editAll("{\"edited\": true}");
        save(ends.change.apply(inHand));

        assertThat(ids("outbox_dead_letter")).isEmpty();
        assertThat(due()).singleElement().satisfies(next -> {
            assertThat(next.message().payload()).isEqualTo("{\"edited\": true}");
            assertThat(next.failedAttempts()).isZero();
        });
        assertThat(outbox.holds("select edited from outbox_retry")).isTrue();
    }

    @Test
    void a_message_that_was_discarded_and_replayed_during_an_attempt_is_delivered_again() throws Exception {
        outbox.insert("a");
        waiting(1);
        Delivery inHand = due().get(0);
        outbox.execute("update outbox_subscription set position = 1");

        person.giveUpAll();
        person.discardAll();
        outbox.execute("delete from outbox_discarded"); // until then a replay leaves it out
        person.replayFrom(NAME, 1);
        save(1, new Change.Remove(inHand));

        assertThat(due()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"RETRY", "BLOCK"})
    void a_repeated_save_does_not_change_a_message_that_was_given_up_in_between(Ends ends) throws Exception {
        outbox.insert("a"); // what is fresh is in the outbox
        waiting(1);
        Delivery fresh = Delivery.fresh(due().get(0).message());
        outbox.execute("delete from outbox_retry");
        Change change = ends.change.apply(fresh);
        save(change);
        assertThat(ids("outbox_retry")).containsExactly(1L);
        outbox.execute("update outbox_retry set blocked = false, next_attempt_at = now()");

        person.giveUpAll();
        save(change);

        assertThat(ids("outbox_retry")).isEmpty();
        assertThat(ids("outbox_dead_letter")).containsExactly(1L);
    }

    @Tag("long")
    @Test
    void concurrent_saves_and_manual_changes_keep_every_message_in_one_table() throws Exception {
        int entered = 400;
        waiting(entered);
        AtomicBoolean enough = new AtomicBoolean();
        Set<Long> delivered = new TreeSet<>();
        CyclicBarrier together = new CyclicBarrier(4);
        var threads = Executors.newFixedThreadPool(4);
        try {
            List<AtomicInteger> changed = List.of(new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
            List<Future<?>> changes = new ArrayList<>();
            changes.add(threads.submit(until(enough, together, changed.get(0), person::giveUpAll)));
            changes.add(threads.submit(until(enough, together, changed.get(1), person::retryAll)));
            changes.add(threads.submit(until(enough, together, changed.get(2), person::retryAllWaiting)));
            together.await(30, TimeUnit.SECONDS);
            Random random = new Random(1);
            for (int round = 0; round < 60 || (someoneChangedNothing(changed) && round < 600); round++) {
                List<Change> outcomes = new ArrayList<>();
                for (Delivery inHand : due()) {
                    outcomes.add(outcome(random).change.apply(inHand));
                }
                save(outcomes.toArray(Change[]::new));
                if (round % 5 == 0) {
                    save(outcomes.toArray(Change[]::new)); // it was not known whether the first one was committed
                }
                assertThat(inBothTables()).isZero();
                outcomes.stream()
                        .filter(Change.Remove.class::isInstance)
                        .forEach(gone -> delivered.add(gone.delivery().message().id()));
            }
            enough.set(true);
            for (Future<?> change : changes) {
                change.get(60, TimeUnit.SECONDS);
            }
            assertThat(changed).allSatisfy(count -> assertThat(count).hasPositiveValue());
        } finally {
            enough.set(true);
            threads.shutdown();
        }

        assertThat(inBothTables()).isZero();
        Set<Long> all = ids("outbox_retry");
        all.addAll(ids("outbox_dead_letter"));
        all.addAll(delivered);
        assertThat(all).hasSize(entered);
        assertThat(delivered).isNotEmpty().hasSizeLessThan(entered);
    }

    private static Ends outcome(Random random) {
        int drawn = random.nextInt(100);
        return drawn < 2 ? Ends.REMOVE : drawn < 50 ? Ends.RETRY : Ends.DEAD;
    }

    private static boolean someoneChangedNothing(List<AtomicInteger> changed) {
        return changed.stream().anyMatch(count -> count.get() == 0);
    }

    private static Callable<Void> until(
            AtomicBoolean enough, CyclicBarrier together, AtomicInteger changed, Callable<Integer> change) {
        return () -> {
            together.await(30, TimeUnit.SECONDS);
            while (!enough.get()) {
                changed.addAndGet(change.call());
            }
            return null;
        };
    }

    private void waiting(int count) {
        outbox.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " created_at, blocked, attempts, next_attempt_at, first_failed_at, last_failed_at,"
                        + " error_class, error_text) select ?, n, gen_random_uuid(), 'order', n::text, 't', now(),"
                        + " false, 1, now(), now(), now(), 'c', 'first' from generate_series(1, ?) n",
                NAME,
                count);
    }

    private long inBothTables() {
        return outbox.number("select count(*) from outbox_retry join outbox_dead_letter using (subscription, id)");
    }

    private List<Delivery> due() {
        return store.retries().due(new long[0], 1_000, 1L << 30, 1 << 24);
    }

    private void save(Change... changes) {
        save(0, changes);
    }

    private void save(long position, Change... changes) {
        var nothingMoved = new ProgressToSave(position, new IdRanges(), null);
        assertThat(store.save(epoch, new Save(nothingMoved, List.of(changes), 0, ProvenSession.NONE)))
                .isPresent();
    }

    private Set<Long> ids(String table) {
        return new TreeSet<>(outbox.jdbc().queryForList("select id from " + table, Long.class));
    }
}
