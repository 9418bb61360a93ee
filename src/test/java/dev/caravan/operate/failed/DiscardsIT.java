package dev.caravan.operate.failed;

import static dev.caravan.camel.outbox.TestOutbox.AUDITED;
import static dev.caravan.operate.failed.FailureTables.allOf;
import static dev.caravan.operate.failed.FailureTables.anna;
import static dev.caravan.operate.failed.FailureTables.frozen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.CutConnections;
import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.RetryStore;
import dev.caravan.operate.audit.Actor;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DiscardsIT {
    private static final UUID DISCARD = UUID.randomUUID();
    private static final Actor BERT = new Actor("bert", Optional.empty());
    /** Everything of a dead letter except its place in the file of the table. */
    private static final String WHOLE = "select string_agg(dead::text, '; ' order by id) from outbox_dead_letter dead";

    private final FailureTables tables = new FailureTables();
    private final Discards discards = new Discards(tables.dataSource(), Duration.ofDays(7));

    private int discard() throws SQLException {
        return discards.discard(allOf(tables), DISCARD, anna());
    }

    private Selection kept(Optional<UUID> discard) throws SQLException {
        return new DiscardedSearch(tables.dataSource()).select(MessageFilter.ALL.discardedBy(discard), found -> true);
    }

    private Selection.Chunk kept() throws SQLException {
        return kept(Optional.empty()).chunks(1_000).get(0);
    }

    @Test
    void an_undone_discard_restores_the_dead_letter_as_it_was() throws SQLException {
        tables.dead(
                "sms",
                7,
                "payload",
                "'{ \"a\" : 1.50 }'",
                "headers",
                "'{\"x\":\"y\"}'",
                "edited",
                "true",
                "step",
                "'http://sms'",
                "answer",
                "'no such number'",
                "attempt_relay",
                "'r1'",
                "attempt_millis",
                "12",
                "earlier_attempts",
                "array['{\"attempt\":1}'::json]");
        String before = tables.text(WHOLE);
        new GroupMarks(tables.dataSource()).mark("sms", group(), Optional.of(true), Optional.of("ticket 12"), anna());

        discard();
        assertThat(tables.count("outbox_dead_letter")).isZero();
        int undone = discards.undo(kept(), BERT);

        assertThat(undone).isEqualTo(1);
        assertThat(tables.text(WHOLE)).isEqualTo(before);
        assertThat(tables.count("outbox_discarded")).isZero();
        assertThat(DeadLetterGroups.of(tables.dataSource(), MessageFilter.ALL).largest())
                .singleElement()
                .matches(group -> group.mark().note().equals(Optional.of("ticket 12")));
    }

    private ErrorGroup group() throws SQLException {
        return new ErrorGroup(tables.number("select error_group from outbox_dead_letter"));
    }

    @Test
    void the_audit_shows_the_discard_and_who_undid_it() throws SQLException {
        tables.dead("sms", 7);

        discard();
        discards.undo(kept(), BERT);

        assertThat(tables.text(
                        "select string_agg(concat_ws(' ', who, action, subscription, message, reason), '; ' order by id)"
                                + " from outbox_audit"))
                .isEqualTo("anna discard sms 7 because; bert undo-discard sms 7");
    }

    @Test
    void a_kept_dead_letter_is_listed_with_who_discarded_it_and_why() throws SQLException {
        tables.dead("sms", 7);
        tables.dead("mail", 8);
        discard();

        var page = new DiscardedSearch(tables.dataSource())
                .page(MessageFilter.ALL.discardedBy(Optional.of(DISCARD)), Optional.empty(), 10);

        assertThat(page.items())
                .singleElement()
                .matches(one -> one.subscription().equals("mail")
                        && one.who().equals("anna")
                        && one.reason().equals("because")
                        && one.letter().attempts() == 3);
    }

    @Test
    void without_a_retention_a_discarded_dead_letter_is_deleted_at_once() throws SQLException {
        tables.dead("sms", 7);

        int discarded = new Discards(tables.dataSource(), Duration.ZERO).discard(allOf(tables), DISCARD, anna());

        assertThat(discarded).isEqualTo(1);
        assertThat(tables.count("outbox_dead_letter")).isZero();
        assertThat(tables.count("outbox_discarded")).isZero();
        assertThat(tables.count("outbox_audit where action = 'discard'")).isEqualTo(1);
    }

    @Test
    void thousands_are_discarded_together_and_undone_together() throws Exception {
        tables.deadMany("sms", 3_000);
        tables.dead("mail", 7);
        discards.discard(
                new DeadLetterSearch(tables.dataSource())
                        .select(MessageFilter.ALL, found -> true)
                        .chunks(1_000)
                        .get(0),
                UUID.randomUUID(),
                anna()); // another discard, of mail
        for (Selection.Chunk chunk : frozen(tables, MessageFilter.ALL).chunks(1_000)) {
            discards.discard(chunk, DISCARD, anna());
        }
        assertThat(tables.count("outbox_dead_letter")).isZero();

        int undone = 0;
        for (Selection.Chunk chunk : kept(Optional.of(DISCARD)).chunks(1_000)) {
            undone += discards.undo(chunk, BERT);
        }

        assertThat(undone).isEqualTo(3_000);
        assertThat(tables.count("outbox_dead_letter where subscription = 'sms'"))
                .isEqualTo(3_000);
        assertThat(tables.count("outbox_discarded")).isEqualTo(1);
        assertThat(tables.count(AUDITED + " where action = 'undo-discard'")).isEqualTo(3_000);
    }

    @Test
    void two_people_who_undo_the_same_discards_undo_each_one_once() throws Exception {
        tables.deadMany("sms", 1_000);
        discard();
        Selection seen = kept(Optional.empty());
        CyclicBarrier together = new CyclicBarrier(3);
        var people = Executors.newFixedThreadPool(3);
        try {
            List<Future<Long>> undone = new ArrayList<>();
            for (int chunk : new int[] {20, 33}) {
                undone.add(people.submit(inStep(together, () -> {
                    long done = 0;
                    for (Selection.Chunk each : seen.chunks(chunk)) {
                        done += discards.undo(each, BERT);
                    }
                    return done;
                })));
            }
            Discards shorter = new Discards(tables.dataSource(), Duration.ZERO); // prunes what is kept
            undone.add(people.submit(inStep(together, shorter::prune)));
            long all = 0;
            for (Future<Long> each : undone) {
                all += each.get(60, TimeUnit.SECONDS);
            }

            assertThat(all).isEqualTo(1_000);
            long back = undone.get(0).get() + undone.get(1).get();
            assertThat(tables.count("outbox_dead_letter")).isEqualTo(back);
            assertThat(tables.count("outbox_discarded")).isZero();
            assertThat(tables.count(AUDITED + " where action = 'undo-discard'")).isEqualTo(back);
        } finally {
            people.shutdownNow();
        }
    }

    @Test
    void a_discard_whose_answer_is_lost_at_any_statement_is_done_completely_or_not_at_all() throws Exception {
        isDoneCompletelyOrNotAtAll(CutConnections.When.AFTER_IT);
    }

    @Test
    @Tag("long")
    void a_discard_that_is_cut_before_any_statement_is_done_completely_or_not_at_all() throws Exception {
        isDoneCompletelyOrNotAtAll(CutConnections.When.BEFORE_IT);
    }

    private void isDoneCompletelyOrNotAtAll(CutConnections.When when) throws Exception {
        int cuts = 0;
        for (int statement = 1; cuts == statement - 1; statement++) {
            tables.execute("truncate outbox_audit, outbox_discarded");
            tables.deadMany("sms", 3);
            Selection.Chunk chunk = allOf(tables);
            CutConnections connections = new CutConnections(tables.database.unpooled(), statement, when);
            try {
                new Discards(connections, Duration.ofDays(7)).discard(chunk, DISCARD, anna());
            } catch (SQLException e) {
                cuts++;
            }
            long before = tables.count("outbox_discarded");
            assertThat(before).as("cut at statement %s", statement).isIn(0L, 3L);

            assertThat(discards.discard(chunk, DISCARD, anna())).isEqualTo(3 - (int) before);
            assertThat(tables.count("outbox_discarded")).isEqualTo(3);
            assertThat(tables.count(AUDITED)).isEqualTo(3);
        }
        assertThat(cuts).isGreaterThan(4);
    }

    private static Callable<Long> inStep(CyclicBarrier together, Callable<Long> work) {
        return () -> {
            together.await(30, TimeUnit.SECONDS);
            return work.call();
        };
    }

    @Test
    void pruning_deletes_only_what_is_older_than_the_retention_and_skips_what_is_being_undone() throws Exception {
        tables.deadMany("sms", 3);
        discard();
        tables.execute("update outbox_discarded set discarded_at = now() - interval '8 days' where id < 3");

        long pruned = Transaction.run(tables.dataSource(), connection -> {
            Sql.execute(connection, "select from outbox_discarded where id = 1 for update");
            return discards.prune();
        });

        assertThat(pruned).isEqualTo(1);
        assertThat(tables.text("select string_agg(id::text, ' ' order by id) from outbox_discarded"))
                .isEqualTo("1 3");
        assertThat(discards.prune()).isEqualTo(1);
    }

    @Test
    void pruning_deletes_a_thousand_at_a_time_and_ends_when_its_relay_stops() throws SQLException {
        tables.deadMany("sms", 1_000);
        discard();
        tables.execute(
                "insert into outbox_discarded select subscription, id + 5000, message_id, aggregate_type, aggregate_id, type, headers, payload,"
                        + " payload_bytes, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, step, answer,"
                        + " attempt_relay, attempt_millis, earlier_attempts, edited, error_group, discard, discarded_at, who, reason"
                        + " from outbox_discarded; update outbox_discarded set discarded_at = now() - interval '8 days'");

        Thread.currentThread().interrupt();

        long pruned = discards.prune();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(pruned).isEqualTo(1_000);
        assertThat(discards.prune()).isEqualTo(1_000);
        assertThat(tables.count("outbox_discarded")).isZero();
    }

    @Test
    void a_message_that_waits_again_after_a_replay_is_not_made_a_dead_letter_too() throws SQLException {
        tables.dead("sms", 7);
        tables.dead("sms", 8);
        discard();
        tables.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, blocked,"
                        + " next_attempt_at) select 'sms', 7, gen_random_uuid(), 'order', '7', 't', now(), false, now()");
        tables.dead("sms", 8); // replayed, and dead again

        assertThat(discards.undo(kept(), BERT)).isZero();

        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
        assertThat(tables.count("outbox_discarded")).isEqualTo(2);
    }

    @Test
    void a_discard_whose_id_another_message_got_after_a_restore_is_not_undone() throws SQLException {
        tables.dead("sms", 1);
        discard();
        tables.database.insert(1);

        assertThat(discards.undo(kept(), BERT)).isZero();

        assertThat(tables.count("outbox_discarded")).isEqualTo(1);
    }

    @Test
    void a_message_that_is_discarded_again_replaces_its_earlier_discard() throws SQLException {
        tables.dead("sms", 7, "payload", "'1'");
        discard();
        Selection.Chunk old = kept();
        tables.dead("sms", 7, "payload", "'2'", "last_failed_at", "now()");
        UUID second = UUID.randomUUID();
        discards.discard(allOf(tables), second, anna());

        assertThat(discards.undo(old, BERT)).isZero();
        assertThat(kept(Optional.of(DISCARD)).size()).isZero();
        assertThat(discards.undo(kept(), BERT)).isEqualTo(1);
        assertThat(tables.text("select payload from outbox_dead_letter")).isEqualTo("2");
    }

    @Test
    void an_undo_that_fails_in_the_middle_changes_nothing() throws SQLException {
        tables.deadMany("sms", 10);
        discard();
        tables.execute(
                "alter table outbox_audit add constraint no_seven check (not messages @> 7::bigint or action <> 'undo-discard')");
        Selection.Chunk all = kept();

        assertThatThrownBy(() -> discards.undo(all, BERT)).isInstanceOf(SQLException.class);

        assertThat(tables.count("outbox_dead_letter")).isZero();
        assertThat(tables.count("outbox_discarded")).isEqualTo(10);
    }

    @Test
    void where_dead_letters_block_an_undone_discard_blocks_its_key_again() throws SQLException {
        tables.execute("insert into outbox_subscription (name, position, dead_letters_block) values ('sms', 10, true)");
        tables.dead("sms", 7, "aggregate_id", "'same'");
        for (int id : new int[] {8, 9}) {
            tables.execute(
                    "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at,"
                            + " blocked) values ('sms', " + id
                            + ", gen_random_uuid(), 'order', 'same', 't', now(), true)");
        }
        RetryStore store = new RetryStore(tables.database.jdbc(), new LaneId("sms", 0, 1), true);

        discard();
        assertThat(states()).isEqualTo("8 due, 9 blocked");
        discards.undo(kept(), BERT);

        assertThat(states()).isEqualTo("8 blocked, 9 blocked");
        tables.execute("delete from outbox_retry");
        assertThat(store.waiting(List.of(new Key("order", "same")))).hasSize(1); // what is read now waits
        discard();
        assertThat(store.waiting(List.of(new Key("order", "same")))).isEmpty();
    }

    private String states() throws SQLException {
        return tables.text(
                "select string_agg(id || case when blocked then ' blocked' else ' due' end, ', ' order by id) from outbox_retry");
    }

    @Test
    void where_dead_letters_do_not_block_an_undone_discard_blocks_nothing() throws SQLException {
        tables.execute(
                "insert into outbox_subscription (name, position, dead_letters_block) values ('sms', 10, false)");
        tables.dead("sms", 7, "aggregate_id", "'same'");
        discard();
        tables.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at,"
                        + " blocked, next_attempt_at) values ('sms', 8, gen_random_uuid(), 'order', 'same', 't', now(), false, now())");

        discards.undo(kept(), BERT);

        assertThat(states()).isEqualTo("8 due");
    }

    @Test
    void an_undone_dead_letter_is_in_the_lane_that_its_key_has_now() throws SQLException {
        tables.dead("sms", 7);
        discard();
        tables.execute("insert into outbox_subscription (name, lane, lanes, position)"
                + " select 'sms', n, 64, 10 from generate_series(0, 63) n");

        discards.undo(kept(), BERT);

        assertThat(tables.text("select lane = outbox_lane('order', '7', 64) and lane <> 0 from outbox_dead_letter"))
                .isEqualTo("t");
    }
}
