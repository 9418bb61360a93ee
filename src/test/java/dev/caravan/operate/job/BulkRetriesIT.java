package dev.caravan.operate.job;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.camel.outbox.TestOutbox.AUDITED;
import static dev.caravan.operate.failed.FailureTables.allOf;
import static dev.caravan.operate.failed.FailureTables.anna;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.CutConnections;
import dev.caravan.WrittenLog;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Transaction;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.FailureTables;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.failed.Selection;
import dev.caravan.operate.job.Job.State;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.LongStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Steps of bulk retries on Postgres. The test delivers or fails the retried messages, as a relay would. */
class BulkRetriesIT {
    private final FailureTables tables = new FailureTables();
    private final Jobs retries = new Jobs(tables.dataSource());

    @BeforeEach
    void start() throws SQLException {
        tables.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " values ('sms', 10, 'r1', now() + interval '1 hour')");
    }

    private long begin(OptionalInt rate) throws SQLException {
        return retries.startBulkRetry(MessageFilter.ALL, "sms", tables.count("outbox_dead_letter"), rate, anna())
                .id();
    }

    private long beginWith(MessageFilter now, long... ids) throws SQLException {
        Map<String, Object> filter = now.fields();
        filter.put("ids", Map.of("sms", ids));
        return Transaction.run(
                        tables.dataSource(),
                        connection -> Jobs.startBulkRetry(
                                connection, "sms", filter, OptionalLong.of(ids.length), OptionalInt.empty(), anna()))
                .id();
    }

    private Job step(long id) throws SQLException {
        retries.step(id);
        return retries.find(id).orElseThrow();
    }

    private void deliver() throws SQLException {
        tables.execute("delete from outbox_retry");
    }

    private void fail(String which) throws SQLException {
        tables.execute(
                "update outbox_retry set attempts = 1, error_class = 'E', error_text = 'number is unknown' where "
                        + which);
    }

    @Test
    void five_are_retried_first_and_the_others_when_these_are_delivered() throws SQLException {
        tables.deadMany("sms", 100);
        long id = begin(OptionalInt.empty());

        assertThat(step(id).done()).isEqualTo(5);
        assertThat(step(id).waitsFor()).contains("the outcome of 5 messages");
        tables.execute("delete from outbox_retry where id < 5");
        assertThat(step(id).done()).isEqualTo(5);
        deliver();
        assertThat(step(id).done()).isEqualTo(100);
        deliver();
        Job done = step(id);

        assertThat(done.state()).isEqualTo(State.DONE);
        assertThat(done.delivered()).isEqualTo(100);
        assertThat(done.statement())
                .isEqualTo(
                        "Bulk retry " + id + " of sms is done: 100 dead letters retried, 100 delivered, 0 failed again,"
                                + " 0 without an outcome yet, 0 left.");
    }

    @Test
    void it_stops_when_one_of_the_first_fails_again_with_another_error_and_continues_with_five_after_a_resume()
            throws SQLException {
        tables.deadMany("sms", 100);
        long id = begin(OptionalInt.empty());
        step(id);
        fail("id = 3");
        tables.execute("delete from outbox_retry where id <> 3");

        Job stopped = step(id);

        assertThat(stopped.state()).isEqualTo(State.STOPPED);
        assertThat(stopped.error()).contains("1 of the first 5 failed again, with E: number is unknown");
        assertThat(stopped.delivered()).isEqualTo(4);
        assertThat(step(id).done()).isEqualTo(5);
        assertThat(retries.resume(id, anna())).isTrue();
        assertThat(step(id).done()).isEqualTo(10);
        assertThat(step(id).done()).isEqualTo(10);
    }

    @Test
    void failures_between_its_stop_and_a_resume_are_counted_and_do_not_stop_it_again() throws SQLException {
        tables.deadMany("sms", 100);
        long id = begin(OptionalInt.empty());
        step(id);
        fail("id = 3");
        assertThat(step(id).state()).isEqualTo(State.STOPPED);
        fail("id in (1, 2, 4)");

        retries.resume(id, anna());

        Job resumed = step(id);
        assertThat(resumed.state()).isEqualTo(State.RUNNING);
        assertThat(resumed.failed()).isEqualTo(4);
        assertThat(resumed.pending()).as("one of the first and five new ones").isEqualTo(6);
    }

    @Test
    void it_stops_later_when_a_fifth_of_the_outcomes_are_failures() throws SQLException {
        tables.deadMany("sms", 3_000);
        long id = begin(OptionalInt.empty());
        step(id);
        deliver();
        step(id);
        fail("id % 4 = 0");
        tables.execute("delete from outbox_retry where attempts = 0");

        Job stopped = step(id);

        assertThat(stopped.state()).isEqualTo(State.STOPPED);
        assertThat(stopped.done()).isEqualTo(1_005);
        assertThat(stopped.failed()).isEqualTo(250);
        assertThat(stopped.left()).isEqualTo(1_995);
    }

    @Test
    void at_a_high_rate_it_retries_thousands_at_a_time_once_as_many_were_delivered() throws SQLException {
        tables.deadMany("sms", 20_000);
        long id = begin(OptionalInt.of(100_000));
        List<Long> retried = new ArrayList<>();

        for (int round = 0; round < 6; round++) {
            tables.execute("update outbox_job set paced_at = now() - interval '1 hour'");
            retries.stepAll();
            retried.add(retries.find(id).orElseThrow().done());
            deliver();
        }

        assertThat(retried).containsExactly(5L, 1_005L, 2_010L, 4_020L, 8_040L, 16_080L);
    }

    @Test
    void it_keeps_to_its_rate() throws SQLException {
        tables.deadMany("sms", 500);
        long id = begin(OptionalInt.of(50));
        tables.execute("update outbox_job set paced_at = now() - interval '1 hour'");
        assertThat(step(id).done()).isEqualTo(5);
        deliver();
        tables.execute("update outbox_job set paced_at = now() - interval '1 hour'");

        long began = System.nanoTime();
        long one = step(id).done();
        long two = step(id).done();
        double seconds = (System.nanoTime() - began) / 1e9;

        assertThat(one).isBetween(5L + 45, 5L + 50); // those of a second, however long it has waited
        assertThat((double) two).isLessThanOrEqualTo(5 + 50 + 1 + 50 * seconds); // and what the time since allows
    }

    @Test
    void a_clock_that_was_set_back_does_not_stop_one_with_a_rate() throws Exception {
        tables.deadMany("sms", 10);
        long id = begin(OptionalInt.of(50));
        tables.execute("update outbox_job set paced_at = now() + interval '1 hour'");

        eventually(() -> assertThat(step(id).done()).isPositive());
    }

    @Test
    void nothing_is_retried_while_the_subscription_is_paused_or_not_owned_or_its_destination_is_unavailable()
            throws SQLException {
        tables.deadMany("sms", 100);
        long id = begin(OptionalInt.empty());
        step(id);
        deliver();

        for (String[] obstacle : new String[][] {
            {"paused = true", "the subscription, which is paused or halted"},
            {"paused = false, lease_until = now() - interval '1 s'", "a relay that runs the subscription"},
            {
                "lease_until = now() + interval '1 hour', destination_unavailable_since = now(), destination_error = 'x', next_probe_at = now()",
                "the destination, which is unavailable"
            }
        }) {
            tables.execute("update outbox_subscription set " + obstacle[0]);
            assertThat(step(id).waitsFor()).contains(obstacle[1]);
            assertThat(step(id).done()).isEqualTo(5);
        }
        tables.execute(
                "update outbox_subscription set destination_unavailable_since = null, destination_error = null, next_probe_at = null");
        assertThat(step(id).done()).isEqualTo(100);
    }

    @Test
    void what_a_person_retries_or_discards_meanwhile_is_left_out_and_what_fails_again_is_not_retried_again()
            throws SQLException {
        tables.deadMany("sms", 20);
        long id = begin(OptionalInt.empty());
        step(id);
        deliver();
        DeadLetters letters = new DeadLetters(tables.dataSource());
        Discards discards = new Discards(tables.dataSource(), Duration.ofDays(7));
        var chunk = allOf(tables);
        var retriedByHand =
                new Selection.Chunk("sms", new long[] {chunk.ids()[0]}, new long[] {chunk.versionMicros()[0]});
        var discarded = new Selection.Chunk("sms", new long[] {chunk.ids()[1]}, new long[] {chunk.versionMicros()[1]});
        letters.retry(retriedByHand, anna());
        deliver();
        discards.discard(discarded, UUID.randomUUID(), anna());
        tables.execute("update outbox_dead_letter set last_failed_at = now() + interval '1 minute' where id = "
                + chunk.ids()[2]);

        assertThat(step(id).done()).isEqualTo(5 + 12);
        deliver();
        Job done = step(id);

        assertThat(done.state()).isEqualTo(State.DONE);
        assertThat(done.delivered()).isEqualTo(17);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
    }

    @Test
    void of_selected_ones_five_are_retried_first_too_and_no_others_are_retried() throws SQLException {
        tables.deadMany("sms", 100);
        MessageFilter now = retries.untilNow(MessageFilter.ALL);
        tables.dead("sms", 3_000, "last_failed_at", "clock_timestamp()");
        long[] selected = LongStream.concat(LongStream.iterate(10, id -> id <= 80, id -> id + 10), LongStream.of(3_000))
                .toArray();
        long id = beginWith(now, selected);

        assertThat(step(id).done()).isEqualTo(5);
        deliver();
        assertThat(step(id).done()).isEqualTo(8);
        deliver();

        assertThat(step(id).state()).isEqualTo(Job.State.DONE);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(100 - 8 + 1);
        assertThat(tables.count("outbox_dead_letter where id in (10, 80)")).isZero();
    }

    @Test
    void selected_ones_that_fail_again_stop_it() throws SQLException {
        tables.deadMany("sms", 20);
        MessageFilter now = retries.untilNow(MessageFilter.ALL);
        long[] selected = LongStream.rangeClosed(1, 10).toArray();
        long id = beginWith(now, selected);
        step(id);
        fail("id < 6");

        assertThat(step(id).state()).isEqualTo(Job.State.STOPPED);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(15);
    }

    @Test
    void what_dies_after_it_was_counted_is_not_retried() throws SQLException {
        tables.deadMany("sms", 3);
        MessageFilter counted = retries.untilNow(MessageFilter.ALL);
        tables.dead("sms", 2_000, "last_failed_at", "clock_timestamp()");
        long id = retries.startBulkRetry(counted, "sms", 3, OptionalInt.empty(), anna())
                .id();

        assertThat(step(id).done()).isEqualTo(3);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
    }

    @Test
    void a_retried_message_that_died_again_and_was_discarded_is_not_counted_as_delivered() throws SQLException {
        tables.deadMany("sms", 5);
        long id = begin(OptionalInt.empty());
        step(id);
        deliver();
        tables.dead("sms", 3, "last_failed_at", "now()");
        new Discards(tables.dataSource(), Duration.ofDays(7)).discard(allOf(tables), UUID.randomUUID(), anna());

        Job done = step(id);

        assertThat(done.delivered()).isEqualTo(4);
        assertThat(done.failed()).isZero();
    }

    @Test
    void a_step_that_fails_changes_nothing_and_the_next_one_continues() throws SQLException {
        tables.deadMany("sms", 20);
        long id = begin(OptionalInt.empty());
        tables.execute("alter table outbox_audit add constraint no_three check (not messages @> 3::bigint)");

        assertThatThrownBy(() -> retries.stepAll()).isInstanceOf(SQLException.class);

        assertThat(tables.count("outbox_dead_letter")).isEqualTo(20);
        assertThat(retries.find(id).orElseThrow().done()).isZero();
        tables.execute("alter table outbox_audit drop constraint no_three");
        assertThat(step(id).done()).isEqualTo(5);
    }

    @Test
    void one_whose_answer_is_lost_at_any_statement_retries_and_counts_each_dead_letter_once() throws SQLException {
        eachDeadLetterIsRetriedAndCountedOnce(CutConnections.When.AFTER_IT);
    }

    @Test
    @Tag("long")
    void one_that_is_cut_before_any_statement_retries_and_counts_each_dead_letter_once() throws SQLException {
        eachDeadLetterIsRetriedAndCountedOnce(CutConnections.When.BEFORE_IT);
    }

    private void eachDeadLetterIsRetriedAndCountedOnce(CutConnections.When when) throws SQLException {
        int cuts = 0;
        for (int statement = 1; cuts == statement - 1; statement++) {
            tables.execute("truncate outbox_audit");
            tables.deadMany("sms", 20);
            long id = begin(OptionalInt.empty());
            CutConnections connections = new CutConnections(tables.database.unpooled(), statement, when);
            try {
                new Jobs(connections).step(id);
            } catch (SQLException e) {
                cuts++;
            }
            for (int steps = 0; steps < 3; steps++) {
                deliver();
                retries.step(id);
            }

            Job done = retries.find(id).orElseThrow();
            assertThat(done.statement())
                    .as("cut at statement %s", statement)
                    .contains(" is done: 20 dead letters retried, 20 delivered, 0 failed again, 0 without");
            assertThat(tables.text("select concat_ws(' ', count(*), count(distinct message)) from " + AUDITED))
                    .isEqualTo("20 20");
        }
        assertThat(cuts).isGreaterThan(7);
    }

    @Test
    void a_missing_grant_is_shown_until_it_is_given() throws SQLException {
        tables.deadMany("sms", 3);
        long id = begin(OptionalInt.empty());
        String role = tables.database.roleWithGrants();
        Jobs ofRelay = new Jobs(tables.database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES));
        tables.execute("grant update, delete on outbox_dead_letter to " + role);

        try (WrittenLog log = WrittenLog.of(Jobs.class)) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(ofRelay::stepAll).hasMessageContaining("permission denied");
            }
            assertThat(log.lines()).singleElement().asString().contains("outbox_audit", "Grant the privilege");
        }
        assertThat(retries.find(id).orElseThrow().waitsFor())
                .get(InstanceOfAssertFactories.STRING)
                .startsWith("a person: Could not use the database")
                .contains("permission denied for table outbox_audit");
        tables.execute("grant select, insert, update on outbox_audit to " + role);

        ofRelay.stepAll();
        assertThat(retries.find(id).orElseThrow().done()).isEqualTo(3);
    }

    @Test
    void a_paused_or_cancelled_one_makes_no_step_and_each_change_is_in_the_audit() throws SQLException {
        tables.deadMany("sms", 20);
        long id = begin(OptionalInt.empty());

        assertThat(retries.pause(id, anna())).isTrue();
        assertThat(retries.pause(id, anna())).isFalse();
        assertThat(step(id).done()).isZero();
        assertThat(retries.resume(id, anna())).isTrue();
        assertThat(step(id).done()).isEqualTo(5);
        assertThat(retries.cancel(id, anna())).isTrue();
        assertThat(retries.resume(id, anna())).isFalse();
        assertThat(step(id).state()).isEqualTo(State.CANCELLED);

        assertThat(
                        tables.text(
                                "select string_agg(detail ->> 'change', ' ' order by id) from outbox_audit where message is null"))
                .isEqualTo("start pause resume cancel");
    }

    @Test
    void of_many_dead_letters_a_step_reads_a_bounded_part() throws SQLException {
        tables.deadMany("sms", 30_000);
        tables.dead("sms", 99_999_999, "type", "'rare'", "last_failed_at", "now() - interval '1 minute'");
        MessageFilter rare =
                MessageFilter.of(Optional.of("sms"), Optional.of("rare"), Optional.empty(), Optional.empty());
        long id = retries.startBulkRetry(rare, "sms", 1, OptionalInt.empty(), anna())
                .id();

        int steps = 0;
        while (retries.find(id).orElseThrow().done() == 0) {
            assertThat(tables.number("select after_id from outbox_job where after_id > 0 union all select 0 limit 1"))
                    .isEqualTo(steps * 22_000L); // eleven pages of 2,000
            retries.step(id);
            steps++;
        }

        assertThat(steps).isEqualTo(2);
    }
}
