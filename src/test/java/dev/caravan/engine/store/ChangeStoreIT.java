package dev.caravan.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.camel.outbox.Person;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.DeadLetter;
import dev.caravan.operate.failed.DeadLetterSearch;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.FailedAttempt;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Retries;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

class ChangeStoreIT {
    private static final Key KEY = new Key("order", "a");
    /** Contains characters that must be escaped in an element of an array. */
    private static final String TEXT = "{\"a\", 'b', \\c}, NULL\n•••";

    private static final Failure FAILURE = new Failure("Error", TEXT, "", "", "");

    private final TestOutbox outbox = TestOutbox.create();
    private final JdbcTemplate jdbc = outbox.jdbc();

    @Test
    void failed_messages_are_copied_from_the_outbox_by_one_statement() throws Exception {
        outbox.insertMany(1_000, 500);
        jdbc.execute("update outbox set headers = '{\"a\": \"b\"}' where id = 7");
        countStatements("outbox_retry");

        store(false).write(failed(LongStream.rangeClosed(1, 1_000), 1, Delivery::fresh));

        assertThat(statements()).isEqualTo(2); // an insert that may update fires for both
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

    @Test
    void one_statement_sets_the_next_attempt_of_messages_that_fail_again_unless_a_person_removed_them()
            throws Exception {
        outbox.insertMany(1_000, 500);
        ChangeStore store = store(false);
        store.write(failed(LongStream.rangeClosed(1, 1_000), 1, Delivery::fresh));
        Map<Long, Long> entries = entries();
        dead(); // the first one
        jdbc.execute("delete from outbox_retry where id <= 2; update outbox_retry set first_failed_at = 'epoch'");

        store.write(failed(LongStream.rangeClosed(1, 1_000), 2, message -> stored(message, entries)));
        store.write(failed(LongStream.of(1), 1, Delivery::fresh));

        assertThat(outbox.waiting("orders"))
                .hasSize(998)
                .allMatch(waiting -> waiting.id() > 2 && waiting.attempts() == 2 && !waiting.blocked());
        assertThat(jdbc.queryForObject(
                        "select count(*) from outbox_retry where first_failed_at = 'epoch' and last_failed_at > 'epoch'"
                                + " and next_attempt_at - last_failed_at between '59 s' and '61 s'",
                        Integer.class))
                .isEqualTo(998);
        assertThat(outbox.dead("orders")).containsExactly(1L);
    }

    @Test
    void a_message_stored_first_is_blocked_by_an_earlier_dead_letter_of_its_key() throws Exception {
        twoOfOneKey();
        ChangeStore store = store(true);
        store.write(failed(LongStream.of(2), 1, Delivery::fresh));

        store.write(List.of(new Change.Dead(Delivery.fresh(message(1)), 1, FAILURE)));
        assertThat(outbox.waiting("orders")).singleElement().matches(TestOutbox.Waiting::blocked);

        new Person(outbox).discardAll();
        assertThat(outbox.waiting("orders")).singleElement().matches(waiting -> !waiting.blocked());
    }

    @Test
    void a_message_stored_first_is_blocked_by_an_earlier_one_of_its_key_that_a_person_gives_up() throws Exception {
        twoOfOneKey();
        ChangeStore store = store(true);
        store.write(failed(LongStream.of(2), 1, Delivery::fresh));
        store.write(failed(LongStream.of(1), 1, Delivery::fresh));

        new Person(outbox).giveUpFirst();

        assertThat(outbox.dead("orders")).containsExactly(1L);
        assertThat(outbox.waiting("orders")).singleElement().matches(TestOutbox.Waiting::blocked);
    }

    @Test
    void dead_letters_are_copied_from_the_outbox_by_one_statement() throws Exception {
        outbox.insertMany(1_000, 500);
        jdbc.execute("update outbox set headers = '{\"a\": \"b\"}' where id = 7");
        countStatements("outbox_dead_letter");
        Failure other = new Failure("Other", "other", "stack", "step", "");

        store(false).write(dead(LongStream.rangeClosed(1, 1_000), id -> id % 2 == 0 ? FAILURE : other));

        assertThat(statements()).isEqualTo(1);
        assertThat(jdbc.queryForObject(
                        "select count(*) from outbox_dead_letter dead join outbox using (id, message_id, aggregate_type,"
                                + " aggregate_id, type, created_at) where dead.payload::text = outbox.payload::text"
                                + " and dead.headers is not distinct from outbox.headers and attempts = id and not edited"
                                + " and error_class || '|' || error_text || '|' || error_stack || '|' || step"
                                + " = case when id % 2 = 0 then 'Error|' || ? || '||' else 'Other|other|stack|step' end",
                        Integer.class, TEXT))
                .isEqualTo(1_000);
    }

    @Test
    void a_dead_letter_has_the_content_of_its_entry_and_not_of_the_outbox() throws Exception {
        outbox.insertMany(3, 1);
        ChangeStore store = store(false);
        store.write(failed(LongStream.of(1, 2), 1, Delivery::fresh));
        jdbc.execute("update outbox_retry set payload = '{\"edited\": 1}', edited = true, first_failed_at = 'epoch'");
        Map<Long, Long> entries = entries();

        store.write(List.of(new Change.Dead(stored(message(1), entries), 2, FAILURE)));
        store.write(dead(LongStream.of(2, 3), id -> FAILURE)); // 2 is delivered again: its position was set back

        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(jdbc.queryForList(
                        "select id from outbox_dead_letter where edited and first_failed_at = 'epoch'"
                                + " and payload::text = '{\"edited\": 1}' order by id",
                        Long.class))
                .containsExactly(1L, 2L);
        assertThat(outbox.dead("orders")).containsExactly(1L, 2L, 3L);
    }

    @ParameterizedTest
    @ValueSource(classes = {Change.Retry.class, Change.Block.class, Change.Dead.class})
    void a_message_that_was_deleted_from_the_outbox_is_reported_and_blocks_nothing(Class<?> kind) throws Exception {
        twoOfOneKey();
        ChangeStore store = store(true);
        store.write(List.of(new Change.Block(Delivery.fresh(message(2)))));
        jdbc.update("update outbox_retry set blocked = true, next_attempt_at = null");
        jdbc.update("delete from outbox where id = 1");
        Delivery gone = Delivery.fresh(message(1));
        Change change = kind == Change.Retry.class
                ? new Change.Retry(gone, 1, Duration.ofMinutes(1), FAILURE)
                : kind == Change.Block.class ? new Change.Block(gone) : new Change.Dead(gone, 1, FAILURE);

        ChangeStore.Written written = store.write(List.of(change));

        assertThat(written.vanished()).containsExactly(change);
        assertThat(written.freed()).containsExactly(KEY);
        assertThat(outbox.waiting("orders")).singleElement().matches(waiting -> !waiting.blocked());
    }

    @Test
    void a_message_that_is_a_dead_letter_already_has_not_vanished() throws Exception {
        outbox.insertMany(2, 2);
        ChangeStore store = store(false);
        store.write(dead(LongStream.of(1), id -> FAILURE));

        assertThat(store.write(dead(LongStream.of(1, 2), id -> FAILURE)).vanished())
                .isEmpty();
        assertThat(store.write(failed(LongStream.of(1, 2), 1, Delivery::fresh)).vanished())
                .isEmpty();
    }

    @Test
    void a_late_discard_does_not_change_the_time_of_a_later_message_that_a_person_retried() throws Exception {
        twoOfOneKey();
        ChangeStore store = store(true);
        store.write(dead(LongStream.of(2), id -> FAILURE));
        Person person = new Person(outbox);
        person.retryAll();
        store.write(dead(LongStream.of(1), id -> FAILURE));
        jdbc.update("update outbox_retry set blocked = false, next_attempt_at = now()");
        var chosen = new DeadLetterSearch(outbox.dataSource()).select(MessageFilter.ALL, found -> true);
        jdbc.update("update outbox_dead_letter set last_failed_at = now()"); // it died again meanwhile

        int discarded = new Discards(outbox.dataSource(), Duration.ofDays(7))
                .discard(chosen.chunks(1).get(0), UUID.randomUUID(), new Actor("anna", Optional.of("because")));

        assertThat(discarded).isZero();
        assertThat(outbox.waiting("orders")).singleElement().matches(waiting -> !waiting.blocked());
    }

    private void twoOfOneKey() {
        outbox.insertMany(2, 1);
        jdbc.update("update outbox set aggregate_type = ?, aggregate_id = ?", KEY.type(), KEY.id());
        jdbc.update("insert into outbox_subscription (name, position, dead_letters_block) values ('orders', 2, true)");
    }

    private static List<Change> failed(LongStream ids, int attempts, Function<Message, Delivery> delivery) {
        return ids.mapToObj(ChangeStoreIT::message)
                .map(message -> new Change.Retry(delivery.apply(message), attempts, Duration.ofMinutes(1), FAILURE))
                .collect(Collectors.toList());
    }

    private static Delivery stored(Message message, Map<Long, Long> entries) {
        return Delivery.stored(message, entries.get(message.id()), 1, Duration.ZERO);
    }

    @Test
    void the_first_failed_attempt_and_the_latest_ten_are_kept_through_a_dead_letter_and_its_retry() throws Exception {
        outbox.insertMany(1, 10);
        ChangeStore store = store(false);
        store.write(List.of(retry(Delivery.fresh(message(1)), 1, "answer 1")));
        for (int attempt = 2; attempt <= 13; attempt++) {
            store.write(List.of(retry(stored(1, entries()), attempt, "answer " + attempt)));
        }
        assertThat(new Retries(outbox.pool()).find("orders", 1).orElseThrow().failures())
                .extracting(FailedAttempt::attempt)
                .containsExactly(1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);

        store.write(List.of(new Change.Dead(stored(1, entries()), 14, answered(""))));
        DeadLetter dead = new DeadLetters(outbox.pool()).find("orders", 1).orElseThrow();
        assertThat(dead.failures())
                .extracting(FailedAttempt::attempt)
                .containsExactly(1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
        assertThat(dead.failures().get(10)).satisfies(last -> {
            assertThat(last.at()).isEqualTo(dead.summary().lastFailedAt());
            assertThat(last.relay()).isEqualTo("relay-1");
            assertThat(last.duration()).isEqualTo(Duration.ZERO);
            assertThat(last.answer()).isEmpty();
        });
        assertThat(dead.failures().get(9).answer()).contains("answer 13");
        assertThat(dead.summary().answer()).isEmpty();

        new Person(outbox).retryAll();
        store.write(List.of(retry(stored(1, entries()), 1, "answer after")));
        assertThat(new Retries(outbox.pool()).find("orders", 1).orElseThrow().failures())
                .extracting(FailedAttempt::attempt)
                .containsExactly(1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1);

        new Person(outbox).giveUpFirst();
        assertThat(new DeadLetters(outbox.pool())
                        .find("orders", 1)
                        .orElseThrow()
                        .failures())
                .extracting(FailedAttempt::attempt)
                .containsExactly(1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1);
    }

    @Test
    void dead_letters_that_differ_only_in_the_answer_keep_each_its_own() throws Exception {
        outbox.insertMany(3, 10);

        store(false).write(dead(LongStream.rangeClosed(1, 3), id -> answered(id == 2 ? "" : "answer " + id)));

        assertThat(jdbc.queryForList("select answer from outbox_dead_letter order by id", String.class))
                .containsExactly("answer 1", null, "answer 3");
    }

    private static Change retry(Delivery delivery, int attempts, String answer) {
        return new Change.Retry(delivery, attempts, Duration.ofMinutes(1), answered(answer));
    }

    private static Failure answered(String answer) {
        return new Failure("Error", TEXT, "stack", "step", "", answer, true);
    }

    private static Delivery stored(long id, Map<Long, Long> entries) {
        return Delivery.stored(message(id), entries.get(id), 0, Duration.ZERO);
    }

    /** The number of the entry of each message in {@code outbox_retry}. */
    private Map<Long, Long> entries() {
        Map<Long, Long> entries = new HashMap<>();
        jdbc.query("select id, entry from outbox_retry", row -> {
            entries.put(row.getLong(1), row.getLong(2));
        });
        return entries;
    }

    private static Message message(long id) {
        return new Message(id, new UUID(0, 0), KEY, "t", null, null, Instant.EPOCH);
    }

    private long statements() {
        return jdbc.queryForObject("select last_value from statements", Long.class);
    }

    private static List<Change> dead(LongStream ids, LongFunction<Failure> failure) {
        return ids.mapToObj(id -> (Change) new Change.Dead(Delivery.fresh(message(id)), (int) id, failure.apply(id)))
                .toList();
    }

    /** Counts the statements that change a table. */
    private void countStatements(String table) {
        jdbc.execute("create sequence statements; create function count_statement() returns trigger language plpgsql as"
                + " $$ begin perform nextval('statements'); return null; end $$;"
                + " create trigger count_statement after insert or update on " + table
                + " for each statement execute function count_statement()");
    }

    private ChangeStore store(boolean deadLettersBlock) {
        return new ChangeStore(jdbc, LaneId.only("orders"), "relay-1", deadLettersBlock);
    }

    private void dead() {
        jdbc.update("insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id,"
                + " type, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,"
                + " error_stack) values ('orders', 1, gen_random_uuid(), 'order', 'a', 't', now(), 1, now(),"
                + " now(), 'c', 't', 's')");
    }
}
