package dev.caravan.operate.failed;

import static dev.caravan.camel.outbox.TestOutbox.AUDITED;
import static dev.caravan.operate.failed.FailureTables.allOf;
import static dev.caravan.operate.failed.FailureTables.anna;
import static dev.caravan.operate.failed.FailureTables.frozen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.message.StoredContent;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeadLettersIT {
    private final FailureTables tables = new FailureTables();
    private final DeadLetters deadLetters = new DeadLetters(tables.dataSource());
    private final Discards discards = new Discards(tables.dataSource(), Duration.ofDays(7));
    private static final UUID DISCARD = UUID.randomUUID();

    @Test
    void a_retried_message_is_due_at_once_with_attempts_counted_from_zero() throws SQLException {
        tables.dead("sms", 7, "payload", "'{ \"a\" : 1.50 }'", "headers", "'{\"x\":\"y\"}'", "edited", "true");

        assertThat(deadLetters.retry(allOf(tables), anna())).isEqualTo(1);

        assertThat(tables.count("outbox_dead_letter")).isZero();
        assertThat(tables.text("select concat_ws(' ', subscription, id, message_id = md5('7')::uuid, aggregate_type,"
                        + " aggregate_id, type, headers, payload, blocked, attempts, edited, next_attempt_at <= clock_timestamp(),"
                        + " first_failed_at = '2026-01-01 11:30:00Z') from outbox_retry"))
                .isEqualTo("sms 7 t order 7 order.created {\"x\": \"y\"} { \"a\" : 1.50 } f 0 t t t");
    }

    @Test
    void the_audit_records_who_retried_which_message_and_why_but_not_its_payload() throws SQLException {
        tables.dead("sms", 7, "payload", "'{\"phone\":\"secret\"}'");

        deadLetters.retry(allOf(tables), anna());

        assertThat(
                        tables.text(
                                "select concat_ws(' ', who, action, subscription, message, reason, detail ->> 'key') from outbox_audit"))
                .isEqualTo("anna retry sms 7 because order/7");
        assertThat(tables.text("select detail::text from outbox_audit")).doesNotContain("secret");
    }

    @Test
    void a_change_of_many_has_one_row_in_the_audit_in_which_each_is_found() throws SQLException {
        tables.deadMany("sms", 100);
        tables.execute("delete from outbox_dead_letter where id = 50");
        tables.dead("mail", 7);
        Selection chunks = frozen(tables, MessageFilter.ALL);

        for (Selection.Chunk chunk : chunks.chunks(1_000)) {
            deadLetters.retry(chunk, anna());
        }

        Audit audit = new Audit(tables.dataSource());
        assertThat(audit.latest(Optional.empty(), Long.MAX_VALUE, 10)).hasSize(2);
        assertThat(audit.latest(Optional.of("sms"), Long.MAX_VALUE, 10))
                .singleElement()
                .satisfies(entry -> assertThat(entry.detail())
                        .contains("\"messages\": 99", "\"fromId\": 1,", "\"toId\": 100", "\"types\""));
        assertThat(audit.ofMessage("sms", 7)).singleElement().satisfies(entry -> {
            assertThat(entry.action()).isEqualTo("retry");
            assertThat(entry.who()).isEqualTo("anna");
            assertThat(entry.reason()).contains("because");
        });
        assertThat(audit.ofMessage("sms", 50)).isEmpty();
        assertThat(audit.ofMessage("sms", 101)).isEmpty();
        assertThat(audit.ofMessage("mail", 7)).singleElement().satisfies(entry -> assertThat(entry.message())
                .contains(7L));
    }

    @Test
    void of_two_concurrent_changes_the_second_finds_nothing() throws SQLException {
        tables.dead("sms", 7);
        Selection.Chunk chunk = allOf(tables);

        assertThat(deadLetters.retry(chunk, anna())).isEqualTo(1);
        assertThat(deadLetters.retry(chunk, anna())).isZero();
        assertThat(discards.discard(chunk, DISCARD, anna())).isZero();
        assertThat(tables.count("outbox_audit")).isEqualTo(1);
    }

    @Test
    void a_message_that_failed_again_since_it_was_selected_is_not_changed() throws SQLException {
        tables.dead("sms", 7);
        Selection.Chunk chunk = allOf(tables);
        tables.execute("update outbox_dead_letter set last_failed_at = last_failed_at + interval '1 microsecond'");

        assertThat(discards.discard(chunk, DISCARD, anna())).isZero();
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
    }

    @Test
    void messages_of_one_key_that_are_retried_together_keep_their_order() throws SQLException {
        tables.dead("sms", 7, "aggregate_id", "'same'");
        tables.dead("sms", 9, "aggregate_id", "'same'");
        tables.dead("sms", 8, "aggregate_id", "'other'");

        deadLetters.retry(allOf(tables), anna());

        assertThat(tables.text("select string_agg(id || ' ' || blocked, ', ' order by id) from outbox_retry"))
                .isEqualTo("7 false, 8 false, 9 true");
    }

    @Test
    void a_message_retried_after_an_earlier_one_of_its_key_waits_behind_it() throws SQLException {
        tables.dead("sms", 7, "aggregate_id", "'same'");
        deadLetters.retry(allOf(tables), anna());
        tables.dead("sms", 9, "aggregate_id", "'same'");
        deadLetters.retry(allOf(tables), anna());
        tables.dead("sms", 3, "aggregate_id", "'same'");
        deadLetters.retry(allOf(tables), anna());

        assertThat(tables.text("select string_agg(id || ' ' || blocked, ', ' order by id) from outbox_retry"))
                .isEqualTo("3 false, 7 false, 9 true");
    }

    @Test
    void a_chunk_that_fails_in_the_middle_changes_nothing() throws SQLException {
        tables.deadMany("sms", 10);
        Selection.Chunk chunk = allOf(tables);
        tables.execute("alter table outbox_audit add constraint no_seven check (not messages @> 7::bigint)");

        assertThatThrownBy(() -> deadLetters.retry(chunk, anna())).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> discards.discard(chunk, DISCARD, anna())).isInstanceOf(SQLException.class);

        assertThat(tables.count("outbox_dead_letter")).isEqualTo(10);
        assertThat(tables.count("outbox_retry")).isZero();
        assertThat(tables.count("outbox_audit")).isZero();
    }

    @Test
    void an_edited_message_is_sent_with_its_new_content_and_the_audit_keeps_the_original() throws SQLException {
        tables.dead("sms", 7, "payload", "'{ \"a\" : \"\\u0000\" }'", "headers", "'{\"x\":1}'");
        DeadLetter letter = deadLetters.find("sms", 7).orElseThrow();

        assertThat(deadLetters.retryEdited(letter, content("{\"x\":2}", "{ \"a\":2 }", null), anna()))
                .isTrue();

        assertThat(tables.text("select concat_ws(' ', payload, headers, edited, blocked) from outbox_retry"))
                .isEqualTo("{ \"a\":2 } {\"x\": 2} t f");
        assertThat(tables.text("select detail #>> '{original,payload}' from outbox_audit"))
                .isEqualTo("{ \"a\" : \"\\u0000\" }");
        assertThat(tables.text("select detail #>> '{original,headers}' from outbox_audit"))
                .isEqualTo("{\"x\": 1}");
        assertThat(deadLetters.retryEdited(letter, content(null, null, null), anna()))
                .isFalse();
    }

    @Test
    void an_edited_binary_payload_is_sent_as_bytes_and_the_audit_keeps_the_original() throws SQLException {
        tables.dead("sms", 7, "payload", "null", "payload_bytes", "'\\x00ff10'");
        DeadLetter letter = deadLetters.find("sms", 7).orElseThrow();

        assertThat(letter.content().bytes()).contains(new byte[] {0, -1, 16});
        assertThat(deadLetters.retryEdited(letter, content(null, null, new byte[] {0, -2}), anna()))
                .isTrue();

        assertThat(tables.text("select concat_ws(' ', payload, payload_bytes, edited) from outbox_retry"))
                .isEqualTo("\\x00fe t");
        assertThat(tables.text("select detail -> 'original' from outbox_audit"))
                .isEqualTo("{\"headers\": null, \"payload\": null, \"payloadBase64\": \"AP8Q\"}");
    }

    private static StoredContent content(String headers, String payload, byte[] bytes) {
        return new StoredContent(
                Optional.ofNullable(headers), Optional.ofNullable(payload), Optional.ofNullable(bytes));
    }

    @Test
    void a_discard_without_a_reason_is_refused() throws SQLException {
        tables.dead("sms", 7);
        Selection.Chunk chunk = allOf(tables);

        assertThatThrownBy(() -> discards.discard(chunk, DISCARD, new Actor("anna", Optional.empty())))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
    }

    @Test
    void concurrent_retries_and_discards_lose_no_dead_letter() throws Exception {
        int entered = 3_000;
        tables.deadMany("sms", entered);
        Selection seen = frozen(tables, MessageFilter.ALL);
        // People take turns, so whoever takes the largest parts is always first: the others begin in the middle.
        Selection secondHalf = frozen(tables, until(Instant.now().minusSeconds(entered / 2)));
        tables.execute("update outbox_dead_letter set last_failed_at = clock_timestamp() where id % 100 = 0");
        CyclicBarrier together = new CyclicBarrier(4);
        var people = Executors.newFixedThreadPool(4);
        try {
            List<Future<Long>> sweeps = new ArrayList<>();
            for (int person = 0; person < 4; person++) {
                boolean discards = person % 2 == 0;
                int chunk = 20 + 13 * person;
                sweeps.add(people.submit(sweep(discards ? secondHalf : seen, discards, chunk, together)));
            }
            long discarded =
                    sweeps.get(0).get(60, TimeUnit.SECONDS) + sweeps.get(2).get(60, TimeUnit.SECONDS);
            long retried =
                    sweeps.get(1).get(60, TimeUnit.SECONDS) + sweeps.get(3).get(60, TimeUnit.SECONDS);

            assertThat(tables.count("outbox_dead_letter")).isEqualTo(entered / 100);
            assertThat(tables.count("outbox_retry")).isEqualTo(retried);
            assertThat(retried + discarded).isEqualTo(entered - entered / 100);
            assertThat(tables.count(AUDITED + " where action = 'discard'")).isEqualTo(discarded);
            assertThat(tables.count(AUDITED + " where action = 'retry'")).isEqualTo(retried);
            assertThat(retried).isPositive();
            assertThat(discarded).isPositive();
        } finally {
            people.shutdownNow();
        }
    }

    private static MessageFilter until(Instant end) {
        return MessageFilter.ALL.between(Optional.empty(), Optional.of(end));
    }

    /** Returns the number of changed messages. */
    private Callable<Long> sweep(Selection seen, boolean discard, int chunkSize, CyclicBarrier together) {
        return () -> {
            together.await(30, TimeUnit.SECONDS);
            long done = 0;
            for (Selection.Chunk chunk : seen.chunks(chunkSize)) {
                done += discard ? discards.discard(chunk, DISCARD, anna()) : deadLetters.retry(chunk, anna());
            }
            return done;
        };
    }
}
