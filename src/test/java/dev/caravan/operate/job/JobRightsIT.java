package dev.caravan.operate.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.FailureTables;
import dev.caravan.operate.subscription.Refusal;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What a role can do that may only insert into outbox_job: relays make the steps of its jobs. See docs/configuration.md, What a grant means. */
class JobRightsIT {
    private final FailureTables tables = new FailureTables();
    private JdbcTemplate evil;

    @BeforeEach
    void createRole() throws SQLException {
        String role = tables.database.role("evil");
        tables.execute("grant insert on outbox_job to " + role
                + "; insert into outbox_subscription (name, position, types) values ('sms', 10, '{%}')");
        evil = new JdbcTemplate(tables.database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES));
    }

    private void insert(String columns, String values) {
        evil.execute("insert into outbox_job (who, via, reason, " + columns
                + ") values ('anna', 'openid', 'cleaned up', " + values + ")");
    }

    /** With its settings, the relay that makes the steps stores what is discarded. */
    @Test
    void what_its_job_discards_is_stored_and_can_be_undone() throws SQLException {
        tables.deadMany("sms", 3);
        insert("action, details", "'discard', '{\"of\": \"dead letters\"}'");
        insert("action, details", "'undo-discard', '{\"of\": \"discarded dead letters\"}'");
        Jobs jobs = new Jobs(tables.dataSource(), true);

        jobs.step(1);
        jobs.step(1);
        assertThat(
                        tables.text(
                                "select count(*) || ' by ' || min(who) || ' in ' || count(distinct discard) from outbox_discarded"))
                .isEqualTo("3 by anna in 1");
        tables.execute("update outbox_job set started_at = clock_timestamp() where id = 2");
        jobs.step(2);

        assertThat(tables.number("select count(*) from outbox_dead_letter")).isEqualTo(3);
    }

    @Test
    void its_job_changes_no_entry_of_the_audit_that_another_change_has_written() throws SQLException {
        tables.database.insert(3);
        tables.execute(
                "insert into outbox_audit (who, action, subscription, detail) values ('bob', 'pause', 'sms', '{}'),"
                        + " ('bob', 'replay', 'sms', '{\"finished\": true}'), ('bob', 'replay', 'crm', '{\"finished\": false}'),"
                        + " ('bob', 'replay', 'sms', '{\"finished\": false}')");
        String before = tables.text("select string_agg(detail::text, ' ' order by id) from outbox_audit where id < 4");
        for (int entry = 1; entry <= 4; entry++) {
            insert("action, subscription, details, audit", "'replay', 'sms', '{\"fromId\": " + entry + "}', " + entry);
        }
        Jobs jobs = new Jobs(tables.dataSource(), true);

        for (int round = 0; jobs.stepAll(); round++) {
            assertThat(round).isLessThan(20);
        }

        assertThat(tables.text("select string_agg(detail::text, ' ' order by id) from outbox_audit where id < 4"))
                .isEqualTo(before);
        assertThat(tables.text("select detail ->> 'finished' from outbox_audit where id = 4"))
                .as("what a replay has written")
                .isEqualTo("true");
    }

    /** Relays, or the lists of people, could not read them, or could not end them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "action, subscription, details, started| 'retry', 'sms', '{\"of\": \"dead letters\"}', '{{1},{2}}'",
                "action, subscription, details, started| 'retry', 'sms', '{\"of\": \"dead letters\"}', '{null}'",
                "action, subscription, details, started| 'retry', 'sms', '{\"of\": \"dead letters\"}', array(select generate_series(1, 10001))",
                "action, subscription, details, first, pending| 'retry', 'sms', '{\"of\": \"dead letters\"}', 5, '{1,null}'",
                "action, subscription, details, first, pending| 'retry', 'sms', '{\"of\": \"dead letters\"}', 5, '{{1},{2}}'",
                "action, subscription, details, first| 'discard', 'sms', '{\"of\": \"dead letters\"}', 5",
                "action, subscription, details, first| 'replay', 'sms', '{}', 5",
                "action, details, first| 'retry', '{\"of\": \"dead letters\"}', 5",
                "action, details| 'replay', '{}'",
                "action, subscription, details| 'retry', 'sms', '{}'",
                "action, subscription, details| 'discard', 'sms', '{\"of\": \"retries\"}'",
                "action, subscription, details| 'give-up', 'sms', '{\"of\": [\"retries\"]}'",
                "action, details| 'lanes', '{\"lanes\": 2}'",
                "action, subscription, details| 'lanes', 'sms', '{}'",
                "action, subscription, details| 'lanes', 'sms', '{\"lanes\": 65}'",
                "action, subscription, details| 'lanes', 'sms', '{\"lanes\": \"2\"}'",
                "action, subscription, details, paced_at, rate| 'replay', 'sms', '{}', 'infinity', 1",
                "action, subscription, details, started_at| 'replay', 'sms', '{}', '-infinity'",
                // more than the heap of a relay, which would end, and the next one that reads it
                "action, details| 'retry', jsonb_build_object('of', 'dead letters', 'filter', repeat('x', 100001))",
                "action, subscription, details, first| 'retry', repeat('x', 10001), '{\"of\": \"dead letters\"}', 5",
                "action, details, after_subscription| 'retry', '{\"of\": \"dead letters\"}', repeat('x', 10001)",
                "action, details, waits_for| 'retry', '{\"of\": \"dead letters\"}', repeat('x', 10001)",
                "action, details, error| 'retry', '{\"of\": \"dead letters\"}', repeat('x', 10001)",
            })
    void a_job_that_caravan_would_not_write_is_refused(String job) {
        String[] parts = job.split("\\|");

        assertThatThrownBy(() -> insert(parts[0], parts[1])).hasMessageContaining("violates check constraint");
        assertThatThrownBy(() -> evil.execute("insert into outbox_job (who, via, action, subscription, details)"
                        + " values ('anna', 'police', 'replay', 'sms', '{}')"))
                .hasMessageContaining("outbox_job_via_is_known");
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeat('x', 10001), null", "'anna', repeat('x', 10001)"})
    void a_job_with_a_long_name_or_reason_is_refused(String whoAndReason) {
        assertThatThrownBy(() -> evil.execute("insert into outbox_job (via, action, subscription, details, who, reason)"
                        + " values ('token', 'replay', 'sms', '{}', " + whoAndReason + ")"))
                .hasMessageContaining("outbox_job_texts_are_short");
    }

    /** The number of jobs is not limited: a round must not read all of them, and other work of the relay waits for its end. */
    @Test
    void a_round_makes_steps_of_some_jobs_and_the_next_one_of_the_others() throws SQLException {
        evil.execute("insert into outbox_job (who, via, action, subscription, details)"
                + " select 'anna', 'openid', 'discard', 'sms', jsonb_build_object('of', 'dead letters', 'number', n)"
                + " from generate_series(1, 250) n");
        Jobs jobs = new Jobs(tables.dataSource(), true);
        String running = "select count(*) from outbox_job where state = 'running'";

        assertThat(jobs.stepAll()).isTrue();
        assertThat(tables.number(running)).isEqualTo(150);
        assertThat(jobs.stepAll()).isTrue();
        assertThat(jobs.stepAll()).isTrue();
        assertThat(tables.number(running)).isZero();
        jobs.stepAll();
        assertThat(jobs.stepAll()).isFalse();
    }

    /** Each would be a time series of the metrics. */
    @Test
    void jobs_of_subscriptions_that_do_not_exist_are_not_counted() throws SQLException {
        tables.execute("insert into outbox_intake (intake, source) values ('shop', 'shopDb.outbox')");
        evil.execute("insert into outbox_job (who, via, action, subscription, details, first)"
                + " select 'anna', 'openid', 'retry', name, '{\"of\": \"dead letters\"}', 5"
                + " from unnest(array['sms', 'nobody', 'intake:shop', 'intake:nobody', 'shop']) name");

        assertThat(Jobs.counts(tables.dataSource()))
                .extracting(Jobs.Count::subscription)
                .containsExactlyInAnyOrder("sms", "intake:shop");
    }

    @Test
    void a_person_who_gives_a_long_reason_is_told_so() {
        Actor anna = new Actor("anna", Optional.of("x".repeat(10_001)));

        assertThatThrownBy(() -> new Jobs(tables.dataSource())
                        .start(
                                new Jobs.Task("replay", Optional.of("sms"), Map.of()),
                                OptionalInt.empty(),
                                Optional.empty(),
                                OptionalLong.empty(),
                                anna))
                .isInstanceOf(Refusal.class)
                .hasMessage("The reason is longer than 10000 bytes. Nothing was started.");
    }

    @Test
    void a_long_text_of_why_a_job_failed_is_cut() throws SQLException {
        String text = "é".repeat(20_000);
        for (String file : List.of("operate/job_fail", "operate/job_stuck")) {
            insert("action, subscription, details", "'replay', 'sms', '{}'");
            long id = tables.number("select max(id) from outbox_job");
            Transaction.run(tables.dataSource(), connection -> Sql.file(file)
                    .with("id", id)
                    .with(file.endsWith("fail") ? "error" : "waitsFor", text)
                    .update(connection));

            assertThat(tables.number("select length(coalesce(error, waits_for)) from outbox_job where id = " + id))
                    .isEqualTo(2_000);
            tables.execute("update outbox_job set state = 'done'");
        }
    }
}
