package dev.caravan.operate.replay;

import static dev.caravan.operate.failed.FailureTables.allOf;
import static dev.caravan.operate.failed.FailureTables.anna;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.CutConnections;
import dev.caravan.base.message.Key;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.failed.FailureTables;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.subscription.Refusal;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ReplayIT {
    private static final ReplayFilter ALL = new ReplayFilter(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    private static final String RETRIES =
            "select string_agg(id || case when blocked then 'b' else '' end, ' ' order by id)" + " from outbox_retry";

    private final FailureTables tables = new FailureTables();
    private final Jobs jobs = new Jobs(tables.dataSource());

    /** Ten messages of three keys (id modulo 3); the subscription has taken nine. */
    @BeforeEach
    void start() throws SQLException {
        tables.execute("insert into outbox (aggregate_type, aggregate_id, type, payload, headers, created_at)"
                + " select 'order', (n % 3)::text, case when n = 5 then 'booking.made' else 'order.created' end, '{ \"n\":1 }',"
                + " '{\"h\":1}', timestamptz '2026-01-01 00:00:00Z' + n * interval '1 hour' from generate_series(1, 10) n;"
                + " insert into outbox_subscription (name, position, types) values ('sms', 9, '{order.%,booking.%}')");
    }

    @Test
    void all_delivered_messages_are_copied_and_the_first_of_each_key_is_due_at_once() throws Exception {
        assertThat(run(ALL, 1_000)).isEqualTo(9);

        assertThat(tables.text(RETRIES)).isEqualTo("1 2 3 4b 5b 6b 7b 8b 9b");
        assertThat(tables.text("select concat_ws(' ', payload, headers, attempts, subscription, next_attempt_at <="
                        + " clock_timestamp()) from outbox_retry where id = 1"))
                .isEqualTo("{ \"n\":1 } {\"h\": 1} 0 sms t");
        assertThat(tables.number("select count(*) from outbox_retry join outbox using (id, message_id)"))
                .isEqualTo(9);
        assertThat(tables.number("select position from outbox_subscription")).isEqualTo(9);
    }

    @Test
    void chunks_of_one_give_the_same_order_as_one_chunk() throws Exception {
        assertThat(run(ALL, 1)).isEqualTo(9);

        assertThat(tables.text(RETRIES)).isEqualTo("1 2 3 4b 5b 6b 7b 8b 9b");
    }

    @Test
    void messages_in_flight_waiting_or_dead_are_left_out() throws Exception {
        tables.execute("update outbox_subscription set gaps = '{[2,3), [8,9)}'");
        tables.dead("sms", 3);
        tables.dead("sms", 7);
        tables.dead("email", 1);
        tables.execute("insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                + " created_at, blocked, next_attempt_at) select 'sms', id, message_id, aggregate_type, aggregate_id, type,"
                + " created_at, false, now() from outbox where id = 4");

        assertThat(run(ALL, 1_000)).isEqualTo(4);

        assertThat(tables.text(RETRIES))
                .as("the first of key 1 goes first, its others wait")
                .isEqualTo("1 4 5 6 9b");
    }

    @Test
    void discarded_messages_are_left_out_but_not_others_that_got_their_ids_after_a_restore() throws Exception {
        tables.dead("sms", 3);
        tables.dead("sms", 7);
        tables.execute("update outbox_dead_letter set message_id = outbox.message_id from outbox"
                + " where outbox.id = outbox_dead_letter.id and outbox.id = 7");
        new Discards(tables.dataSource(), Duration.ofDays(7)).discard(allOf(tables), UUID.randomUUID(), anna());

        assertThat(run(ALL, 1_000)).isEqualTo(8);

        assertThat(tables.text(RETRIES)).isEqualTo("1 2 3 4b 5b 6b 8b 9b");
    }

    @Test
    void ids_in_the_older_gaps_alone_are_neither_counted_nor_copied() throws Exception {
        tables.execute("update outbox_subscription set older_gaps = '{[2,3), [8,9)}'");

        assertThat(count(ALL)).isEqualTo(7);
        assertThat(run(ALL, 1_000)).isEqualTo(7);

        assertThat(tables.text(RETRIES)).isEqualTo("1 3 4b 5 6b 7b 9b");
    }

    @Test
    void filters_restrict_by_id_time_type_and_key() throws Exception {
        assertThat(count(filter(4L, 6L, null, null, null, null))).isEqualTo(3);
        assertThat(count(filter(
                        null,
                        null,
                        Instant.parse("2026-01-01T03:00:00Z"),
                        Instant.parse("2026-01-01T05:00:00Z"),
                        null,
                        null)))
                .isEqualTo(2);
        assertThat(count(filter(null, null, null, null, "booking.*", null))).isEqualTo(1);
        assertThat(count(filter(null, null, null, null, null, new Key("order", "0"))))
                .isEqualTo(3);
        assertThat(count(filter(10L, null, null, null, null, null))).isZero();
        assertThat(tables.count("outbox_retry")).isZero();
    }

    @Test
    void a_replay_by_time_copies_the_messages_that_were_counted() throws Exception {
        Instant three = Instant.parse("2026-01-01T03:00:00Z");

        assertThat(run(filter(null, null, three, three.plusSeconds(7200), null, null), 1_000))
                .isEqualTo(2);

        assertThat(tables.text(RETRIES)).isEqualTo("3 4");
    }

    @Test
    void messages_that_are_not_for_the_subscription_are_never_copied() throws Exception {
        tables.execute("update outbox_subscription set types = '{booking.%}'");

        assertThat(run(ALL, 1_000)).isEqualTo(1);
        assertThat(tables.text(RETRIES)).isEqualTo("5");
    }

    @Test
    void without_known_types_the_person_must_name_them() throws Exception {
        tables.execute("update outbox_subscription set types = null");

        assertThatThrownBy(() -> run(ALL, 1_000)).isInstanceOf(Refusal.class).hasMessageContaining("--type");
        assertThat(count(filter(null, null, null, null, "order.*", null))).isEqualTo(8);
    }

    @Test
    void messages_delivered_meanwhile_are_not_copied() throws Exception {
        Replay replay = Replay.of(tables.dataSource(), "sms", ALL, false);
        tables.execute("update outbox_subscription set position = 10");

        assertThat(jobs.run(task(replay), anna()).done()).isEqualTo(9);
    }

    @Test
    void with_forget_only_the_copied_message_ids_of_the_subscription_are_removed() throws Exception {
        tables.execute("insert into outbox_idempotent (processorname, messageid)"
                + " select name, message_id::text from outbox, (values ('sms'), ('email')) names (name)");

        Replay replay = Replay.of(tables.dataSource(), "sms", filter(4L, 6L, null, null, null, null), true);

        assertThat(jobs.run(task(replay), anna()).forgotten()).isEqualTo(3);
        assertThat(tables.count("outbox_idempotent where processorname = 'sms'"))
                .isEqualTo(7);
        assertThat(tables.count("outbox_idempotent where processorname = 'email'"))
                .isEqualTo(10);
    }

    @Test
    void a_cancelled_replay_leaves_whole_pages_and_the_audit_has_the_last_id() throws Exception {
        long job = started(ALL, 4);
        jobs.step(job);
        jobs.step(job);

        assertThat(jobs.cancel(job, anna())).isTrue();
        assertThat(jobs.step(job)).isFalse();

        assertThat(tables.text(RETRIES)).isEqualTo("1 2 3 4b");
        assertThat(tables.text("select concat_ws(' ', who, detail ->> 'messages', detail ->> 'reachedId',"
                        + " detail ->> 'finished') from outbox_audit where detail ->> 'job' is null"))
                .isEqualTo("anna 4 4 false");
        assertThat(tables.count("outbox_audit where action = 'replay' and detail ->> 'change' = 'cancel'"))
                .isEqualTo(1);
    }

    @Test
    void a_replay_whose_answer_is_lost_at_any_statement_copies_each_message_once() throws Exception {
        copiesEachMessageOnce(CutConnections.When.AFTER_IT);
    }

    @Test
    @Tag("long")
    void a_replay_that_is_cut_before_any_statement_copies_each_message_once() throws Exception {
        copiesEachMessageOnce(CutConnections.When.BEFORE_IT);
    }

    private void copiesEachMessageOnce(CutConnections.When when) throws Exception {
        int cuts = 0;
        for (int statement = 1; cuts == statement - 1; statement++) {
            tables.execute("truncate outbox_retry, outbox_audit, outbox_job");
            long job = started(ALL, 4);
            jobs.step(job); // counts
            Jobs cut = new Jobs(new CutConnections(tables.database.unpooled(), statement, when));
            try {
                cut.step(job);
            } catch (SQLException e) {
                cuts++;
            }
            String before = copiedIds();
            tables.execute("delete from outbox_retry"); // a relay delivers them

            finish(job);

            assertThat((before + " " + copiedIds()).trim())
                    .as("cut at statement %s", statement)
                    .isEqualTo("1 2 3 4 5 6 7 8 9");
            assertThat(jobs.find(job).orElseThrow().done()).isEqualTo(9);
        }
        assertThat(cuts).isGreaterThan(7);
    }

    /** A replica that was promoted lacks the last steps. The row of the replay lacks them too. */
    @Test
    void a_replay_continues_from_what_the_database_has() throws Exception {
        long job = started(ALL, 4);
        jobs.step(job);
        String row = tables.text("select to_jsonb(outbox_job)::text from outbox_job");
        jobs.step(job);
        tables.execute("delete from outbox_retry; delete from outbox_job; insert into outbox_job"
                + " overriding system value select (jsonb_populate_record(null::outbox_job, '" + row + "')).*");

        finish(job);

        assertThat(copiedIds()).isEqualTo("1 2 3 4 5 6 7 8 9");
    }

    @Test
    void a_replay_that_is_running_is_continued_and_not_started_twice() throws Exception {
        long job = started(ALL, 4);
        jobs.step(job);
        Replay same = Replay.of(tables.dataSource(), "sms", ALL, false);

        assertThatThrownBy(() -> started(ALL, 4)).isInstanceOf(Refusal.class).hasMessageContaining("Job " + job);
        assertThat(jobs.startOrContinue(task(same), OptionalInt.empty(), Optional.empty(), OptionalLong.empty(), anna())
                        .id())
                .isEqualTo(job);
        assertThat(tables.count("outbox_audit")).isEqualTo(1);
    }

    @Test
    void a_replay_of_a_deleted_subscription_fails() throws Exception {
        long job = started(ALL, 4);
        jobs.step(job);
        tables.execute("delete from outbox_subscription");

        jobs.step(job);

        Job failed = jobs.find(job).orElseThrow();
        assertThat(failed.state()).isEqualTo(Job.State.FAILED);
        assertThat(failed.error())
                .hasValueSatisfying(text -> assertThat(text).contains("the subscription was deleted"));
    }

    private String copiedIds() throws SQLException {
        return tables.text("select coalesce(string_agg(id::text, ' ' order by id), '') from outbox_retry");
    }

    @Test
    void a_finished_replay_is_in_the_audit_with_its_filters_and_its_count() throws Exception {
        run(filter(4L, null, null, null, "order.*", null), 1_000);

        assertThat(
                        tables.text(
                                "select concat_ws(' ', action, subscription, detail ->> 'messages',"
                                        + " detail ->> 'fromId', detail ->> 'types', detail ->> 'upToId', detail ->> 'finished') from outbox_audit"))
                .isEqualTo("replay sms 5 4 order.* 9 true");
    }

    @Test
    void a_sparse_filter_is_followed_over_many_pages() throws Exception {
        tables.database.insert(12_000);
        tables.execute("update outbox_subscription set position = 12010;"
                + " update outbox set type = 'booking.rare' where id = 11999");

        assertThat(run(filter(null, null, null, null, "booking.rare", null), 1_000))
                .isEqualTo(1);
        assertThat(tables.text(RETRIES)).isEqualTo("11999");
    }

    @Test
    void a_sparse_filter_with_a_low_rate_examines_large_pages() throws Exception {
        tables.database.insert(12_000);
        tables.execute("update outbox_subscription set position = 12010;"
                + " update outbox set type = 'booking.rare' where id = 11999");
        long job = started(filter(null, null, null, null, "booking.rare", null), 1);

        int steps = finish(job);

        assertThat(jobs.find(job).orElseThrow().done()).isEqualTo(1);
        assertThat(steps).isLessThan(10);
    }

    /** A replay that copies this many messages in a step. */
    private long started(ReplayFilter filter, int rate) throws SQLException {
        Replay replay = Replay.of(tables.dataSource(), "sms", filter, false);
        return jobs.start(task(replay), OptionalInt.of(rate), Optional.empty(), OptionalLong.empty(), anna())
                .id();
    }

    private static Jobs.Task task(Replay replay) {
        return new Jobs.Task("replay", Optional.of("sms"), replay.details());
    }

    /** Makes steps until the replay has ended, without waiting for its rate; returns their number. */
    private int finish(long job) throws SQLException {
        int steps = 0;
        while (jobs.find(job).orElseThrow().isRunning()) {
            tables.execute("update outbox_job set paced_at = now() - interval '1 hour'");
            jobs.step(job);
            steps++;
        }
        return steps;
    }

    private long run(ReplayFilter filter, int rate) throws Exception {
        long counted = count(filter);
        long job = started(filter, rate);
        finish(job);
        assertThat(jobs.find(job).orElseThrow().done())
                .as("as many as were counted")
                .isEqualTo(counted);
        return counted;
    }

    private long count(ReplayFilter filter) throws SQLException {
        DataSource database = tables.dataSource();
        return Replay.of(database, "sms", filter, false).count(database, () -> true);
    }

    private static ReplayFilter filter(Long fromId, Long toId, Instant since, Instant until, String types, Key key) {
        return new ReplayFilter(
                Optional.ofNullable(fromId),
                Optional.ofNullable(toId),
                Optional.ofNullable(since),
                Optional.ofNullable(until),
                Optional.ofNullable(types),
                Optional.ofNullable(key));
    }
}
