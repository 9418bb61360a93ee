package dev.caravan.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.camel.outbox.Person;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.engine.schedule.Order;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class RetryStoreIT {
    private static final Key KEY = new Key("order", "a");
    private static final List<Key> KEYS = List.of(KEY, new Key("order", "b"));
    private static final int LOOK_UPS = 300;

    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void dead_letters_block_their_keys_only_if_the_route_says_so() throws Exception {
        dead();
        var blocking = store(outbox.jdbc(), true);
        var others = store(outbox.jdbc(), false);

        assertThat(blocking.waiting(KEYS)).containsExactly(KEY);
        assertThat(others.waiting(KEYS)).isEmpty();
        assertThat(blocking.survey(Order.key).waits()).isTrue();
        assertThat(others.survey(Order.key).waits()).isFalse();
    }

    /** Otherwise later messages of the key could overtake it. */
    @Test
    void a_message_that_people_move_between_the_tables_is_found_by_every_lookup() throws Exception {
        dead();
        Person person = new Person(outbox);
        AtomicBoolean enough = new AtomicBoolean();
        var people = Executors.newSingleThreadExecutor();
        try {
            var moved = people.submit(() -> {
                int moves = 0;
                while (!enough.get()) {
                    moves += person.retryAll() + person.giveUpAll();
                }
                return moves;
            });
            var store = store(new JdbcTemplate(outbox.dataSource()), true);
            for (int i = 0; i < LOOK_UPS; i++) {
                assertThat(store.waiting(KEYS)).containsExactly(KEY);
            }
            enough.set(true);
            assertThat(moved.get(30, TimeUnit.SECONDS)).isGreaterThan(10);
        } finally {
            enough.set(true);
            people.shutdown();
        }
    }

    @Test
    void bytes_count_for_the_bounds_of_due_messages_and_followers() throws Exception {
        byte[] noise = new byte[100_000];
        new Random(1).nextBytes(noise);
        for (int i = 1; i <= 6; i++) {
            outbox.jdbc()
                    .update(
                            "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, payload_bytes,"
                                    + " created_at, blocked, next_attempt_at) values ('orders', ?, gen_random_uuid(), 'order', 'a', 't', ?, now(),"
                                    + " false, now() - interval '1 hour')",
                            i,
                            noise);
        }
        var store = store(outbox.jdbc(), true);

        assertThat(store.due(new long[0], 100, 350_000, 1 << 24))
                .hasSize(3)
                .allSatisfy(due -> assertThat(due.message().body()).isEqualTo(noise));
        assertThat(store.followers(List.of(KEY), 100, 350_000, 1 << 24))
                .hasSize(3)
                .allSatisfy(follower -> assertThat(follower.message().body()).isEqualTo(noise));
        assertThat(store.due(new long[0], 100, 350_000, 99_999))
                .extracting(due -> due.message().leftOut())
                .containsOnly(100_000L);
        assertThat(store.followers(List.of(KEY), 100, 350_000, 99_999))
                .extracting(follower -> follower.message().body())
                .containsOnlyNulls();
    }

    @Test
    void a_message_waits_for_its_time_and_what_is_behind_it_too() throws Exception {
        outbox.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, blocked,"
                        + " next_attempt_at) values"
                        + " ('orders', 1, gen_random_uuid(), 'order', 'a', 't', now(), false, now() + interval '1 hour'),"
                        + " ('orders', 2, gen_random_uuid(), 'order', 'a', 't', now(), true, null),"
                        + " ('orders', 3, gen_random_uuid(), 'order', 'b', 't', now(), false, now() - interval '1 second')");
        var store = store(outbox.jdbc(), true);

        assertThat(due(store)).containsExactly(3L);
        assertThat(followers(store)).isEmpty();

        outbox.execute("update outbox_retry set next_attempt_at = now() - interval '1 minute' where id = 1");
        assertThat(due(store)).containsExactly(1L, 3L);
        assertThat(followers(store)).containsExactly(1L, 2L);
    }

    /** The first message became visible after the second one was dead. */
    @Test
    void what_a_dead_letter_blocks_does_not_follow_an_earlier_message_of_its_key() throws Exception {
        outbox.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, blocked,"
                        + " next_attempt_at) values"
                        + " ('orders', 1, gen_random_uuid(), 'order', 'a', 't', now(), false, now() - interval '1 second'),"
                        + " ('orders', 2, gen_random_uuid(), 'order', 'a', 't', now(), true, null),"
                        + " ('orders', 4, gen_random_uuid(), 'order', 'a', 't', now(), true, null);"
                        + " insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at,"
                        + " attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " values ('orders', 3, gen_random_uuid(), 'order', 'a', 't', now(), 1, now(), now(), 'c', 't', 's')");

        assertThat(followers(store(outbox.jdbc(), true))).containsExactly(1L, 2L);
        assertThat(followers(store(outbox.jdbc(), false))).containsExactly(1L, 2L, 4L);
    }

    private static List<Long> due(RetryStore store) {
        return store.due(new long[0], 100, 1_000_000, 1_000_000).stream()
                .map(due -> due.message().id())
                .toList();
    }

    private static List<Long> followers(RetryStore store) {
        return store.followers(List.of(KEY), 100, 1_000_000, 1_000_000).stream()
                .map(follower -> follower.message().id())
                .toList();
    }

    /** Otherwise its locks would stay until the connection times out, and the next relay would wait for them. */
    @Test
    void a_relay_that_disappears_during_a_walk_keeps_no_locks() throws Exception {
        outbox.execute(
                "create table seen (timeout text); create function note() returns trigger language plpgsql as $$ begin"
                        + " insert into seen values (current_setting('idle_in_transaction_session_timeout')); return new; end $$;"
                        + " create trigger note before update on outbox_retry for each row execute function note();"
                        + " insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, blocked)"
                        + " values ('orders', 1, gen_random_uuid(), 'order', 'a', 't', now(), true)");

        store(outbox.jdbc(), true).walk(Long.MIN_VALUE, 10);

        assertThat(outbox.text("select timeout from seen")).isEqualTo("5s");
    }

    private static RetryStore store(JdbcTemplate jdbc, boolean deadLettersBlock) {
        return new RetryStore(jdbc, LaneId.only("orders"), deadLettersBlock);
    }

    private void dead() {
        outbox.jdbc()
                .update("insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id,"
                        + " type, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,"
                        + " error_stack) values ('orders', 1, gen_random_uuid(), 'order', 'a', 't', now(), 1, now(),"
                        + " now(), 'c', 't', 's')");
    }
}
