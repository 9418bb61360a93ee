package dev.caravan.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Failure;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.Order;
import dev.caravan.lane.Change;
import dev.caravan.outbox.Person;
import dev.caravan.outbox.TestOutbox;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class RetryStoreTest {
    private static final Key KEY = new Key("order", "a");
    private static final List<Key> KEYS = List.of(KEY, new Key("order", "b"));
    private static final int LOOK_UPS = 300;
    /** Hard to write as an element of an array. */
    private static final String TEXT = "{\"a\", 'b', \\c}, NULL\n•••";

    private static final Failure FAILURE = new Failure("Error", TEXT, "", "", "");

    @Test
    void dead_letters_hold_back_their_keys_only_if_they_block() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            dead(outbox);
            var blocking = store(outbox.jdbc(), true);
            var others = store(outbox.jdbc(), false);

            assertThat(blocking.waiting(KEYS)).containsExactly(KEY);
            assertThat(others.waiting(KEYS)).isEmpty();
            assertThat(blocking.survey(Order.key).waits()).isTrue();
            assertThat(others.survey(Order.key).waits()).isFalse();
        }
    }

    /** A look-up that missed it would let later messages of the key overtake it. */
    @Test
    void a_message_that_people_move_to_and_fro_is_seen_by_every_look_up() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            dead(outbox);
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
                var store = store(new JdbcTemplate(outbox.unpooled()), true);
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
    }

    @Test
    void messages_that_failed_are_stored_by_one_statement_as_they_stand_in_the_outbox() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.insertMany(1_000, 500);
            JdbcTemplate jdbc = outbox.jdbc();
            jdbc.execute("update outbox set headers = '{\"a\": \"b\"}' where id = 7; create sequence statements;"
                    + " create function count_statement() returns trigger language plpgsql as"
                    + " $$ begin perform nextval('statements'); return null; end $$;"
                    + " create trigger count_statement after insert or update on outbox_retry for each statement"
                    + " execute function count_statement()");

            store(jdbc, false).write(failed(LongStream.rangeClosed(1, 1_000), 1, Delivery::fresh));

            assertThat(statements(jdbc)).isEqualTo(2); // an insert that may update fires for both
            assertThat(jdbc.queryForObject(
                            "select count(*) from outbox_retry join outbox using (id, message_id, aggregate_type,"
                                    + " aggregate_id, type, created_at) where outbox_retry.payload::text = outbox.payload::text"
                                    + " and outbox_retry.headers is not distinct from outbox.headers and not blocked"
                                    + " and attempts = 1 and error_class = 'Error' and error_text = ?"
                                    + " and next_attempt_at - last_failed_at between '59 s' and '61 s'",
                            Integer.class,
                            TEXT))
                    .isEqualTo(1_000);
        }
    }

    @Test
    void messages_that_fail_again_get_another_time_by_one_statement_but_for_those_that_a_person_took_away()
            throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            outbox.insertMany(1_000, 500);
            JdbcTemplate jdbc = outbox.jdbc();
            RetryStore store = store(jdbc, false);
            store.write(failed(LongStream.rangeClosed(1, 1_000), 1, Delivery::fresh));
            Map<Long, Long> entries = entries(jdbc);
            dead(outbox); // the first one
            jdbc.execute("delete from outbox_retry where id <= 2; update outbox_retry set first_failed_at = 'epoch'");

            store.write(failed(LongStream.rangeClosed(1, 1_000), 2, message -> stored(message, entries)));
            store.write(failed(LongStream.of(1), 1, Delivery::fresh));

            assertThat(outbox.waiting("orders"))
                    .hasSize(998)
                    .allMatch(waiting -> waiting.id() > 2 && waiting.attempts() == 2 && !waiting.blocked());
            assertThat(jdbc.queryForObject(
                            "select count(*) from outbox_retry where first_failed_at = 'epoch' and last_failed_at > 'epoch'",
                            Integer.class))
                    .isEqualTo(998);
            assertThat(outbox.dead("orders")).containsExactly(1L);
        }
    }

    @Test
    void a_message_that_came_first_waits_behind_an_earlier_one_of_its_key_that_is_dead() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            twoOfOneKey(outbox);
            RetryStore store = store(outbox.jdbc(), true);
            store.write(failed(LongStream.of(2), 1, Delivery::fresh));

            store.write(List.of(new Change.Dead(Delivery.fresh(message(1)), 1, FAILURE)));
            assertThat(outbox.waiting("orders")).singleElement().matches(TestOutbox.Waiting::blocked);

            new Person(outbox).discardAll();
            assertThat(outbox.waiting("orders")).singleElement().matches(waiting -> !waiting.blocked());
        }
    }

    @Test
    void a_message_that_came_first_waits_behind_an_earlier_one_of_its_key_that_a_person_gives_up() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            twoOfOneKey(outbox);
            RetryStore store = store(outbox.jdbc(), true);
            store.write(failed(LongStream.of(2), 1, Delivery::fresh));
            store.write(failed(LongStream.of(1), 1, Delivery::fresh));

            new Person(outbox).giveUpFirst();

            assertThat(outbox.dead("orders")).containsExactly(1L);
            assertThat(outbox.waiting("orders")).singleElement().matches(TestOutbox.Waiting::blocked);
        }
    }

    private static void twoOfOneKey(TestOutbox outbox) {
        outbox.insertMany(2, 1);
        outbox.jdbc().update("update outbox set aggregate_type = ?, aggregate_id = ?", KEY.type(), KEY.id());
        outbox.jdbc()
                .update(
                        "insert into outbox_subscription (name, position, dead_letters_block) values ('orders', 2, true)");
    }

    private static List<Change> failed(LongStream ids, int attempts, Function<Message, Delivery> delivery) {
        return ids.mapToObj(RetryStoreTest::message)
                .map(message -> new Change.Retry(delivery.apply(message), attempts, Duration.ofMinutes(1), FAILURE))
                .collect(Collectors.toList());
    }

    private static Delivery stored(Message message, Map<Long, Long> entries) {
        return Delivery.stored(message, entries.get(message.id()), 1, Duration.ZERO);
    }

    /** The number of the entry of each message in {@code outbox_retry}. */
    private static Map<Long, Long> entries(JdbcTemplate jdbc) {
        Map<Long, Long> entries = new HashMap<>();
        jdbc.query("select id, entry from outbox_retry", row -> {
            entries.put(row.getLong(1), row.getLong(2));
        });
        return entries;
    }

    private static Message message(long id) {
        return new Message(id, new UUID(0, 0), KEY, "t", null, null, Instant.EPOCH);
    }

    private static long statements(JdbcTemplate jdbc) {
        return jdbc.queryForObject("select last_value from statements", Long.class);
    }

    private static RetryStore store(JdbcTemplate jdbc, boolean deadLettersBlock) {
        return new RetryStore(jdbc, LaneId.only("orders"), deadLettersBlock);
    }

    private static void dead(TestOutbox outbox) {
        outbox.jdbc()
                .update("insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id,"
                        + " type, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,"
                        + " error_stack) values ('orders', 1, gen_random_uuid(), 'order', 'a', 't', now(), 1, now(),"
                        + " now(), 'c', 't', 's')");
    }
}
