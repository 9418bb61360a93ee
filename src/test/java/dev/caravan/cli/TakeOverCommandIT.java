package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A take-over from its beginning to the last step. */
class TakeOverCommandIT extends TakeOverFixture {
    @Test
    void pending_rows_and_new_ones_are_messages_in_order_and_no_row_is_left_to_the_poller() throws Exception {
        database.execute("insert into app.emails (address, sent) values ('a', false), ('b', true), ('c', false)");

        CommandRun run = takeOver(FILE, "--poller-stopped", "--yes");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("Took app.emails over: 2 pending rows are now messages");
        writeAsApplication("insert into app.emails (address) values ('d'), ('e')");
        writeAsApplication("insert into app.emails (address, sent) values ('sent by hand', true)");
        assertThat(messages())
                .containsExactly("email/1 a false", "email/3 c false", "email/4 d false", "email/5 e false");
        assertThat(database.number(
                        "select count(*) from app.emails where not sent or sent_at is null and address <> 'b'"
                                + " and address <> 'sent by hand'"))
                .isZero();
        assertThat(database.saved("email").position()).isZero();
        assertThat(database.saved("email").paused()).isFalse();
        assertThat(audit()).containsExactly("create", "take-over");
        assertThat(takeOver(FILE, "--poller-stopped", "--yes").out()).contains("complete");
        assertThat(messages()).hasSize(4);
    }

    @Test
    void a_row_that_the_application_sets_pending_again_is_a_message_again() throws Exception {
        taken(FILE);
        writeAsApplication("insert into app.emails (address) values ('a')");

        writeAsApplication("update app.emails set attempts = 1");
        writeAsApplication("update app.emails set sent = false");

        assertThat(messages()).containsExactly("email/1 a false", "email/1 a false");
        assertThat(database.number("select count(*) from app.emails where sent"))
                .isEqualTo(1);
    }

    @Test
    @Tag("long")
    void a_row_may_be_several_messages_and_rows_of_no_event_are_left_to_the_poller() throws Exception {
        database.execute("insert into app.emails (kind, address) values ('mail', 'a'), ('sms', 'b'), ('both', 'c')");

        taken(FILE.replace("    type: email.requested\n", """
                    when: new.kind in ('mail', 'both')
                    type: email.requested
                  - on: insert
                    when: new.kind = 'both'
                    type: sms.requested
                """));
        writeAsApplication("insert into app.emails (kind, address) values ('both', 'd'), ('sms', 'e')");

        assertThat(database.jdbc()
                        .queryForList("select aggregate_id || ' ' || type from outbox order by id", String.class))
                .containsExactly(
                        "1 email.requested",
                        "3 email.requested",
                        "3 sms.requested",
                        "4 email.requested",
                        "4 sms.requested");
        assertThat(database.jdbc()
                        .queryForList("select address from app.emails where not sent order by id", String.class))
                .containsExactly("b", "e");
    }

    @Test
    @Tag("long")
    void rows_are_copied_in_the_order_that_the_file_names_and_may_be_deleted() throws Exception {
        database.execute(
                "create table app.queue (id uuid primary key default gen_random_uuid(), \"at\" int, body json);"
                        + " insert into app.queue (\"at\", body) values (3, '3'), (1, '1'), (2, '2')");

        taken("""
                table: app.queue
                aggregate-type: job
                events: [{on: insert, type: job.added, payload: row}]
                take-over: {subscription: jobs, pending: "true", mark: delete, order: at}
                """);
        writeAsApplication("insert into app.queue (\"at\") values (4)");

        assertThat(database.jdbc().queryForList("select payload->>'at' from outbox order by id", String.class))
                .containsExactly("1", "2", "3", "4");
        assertThat(database.number("select count(*) from app.queue")).isZero();
    }

    @Test
    @Tag("long")
    void a_table_that_is_partitioned_by_the_time_of_sending_is_taken_over() throws Exception {
        database.execute("create table app.events (id bigint not null, body text, published_at timestamptz)"
                + " partition by range (published_at);"
                + " create table app.events_published partition of app.events for values from ('2000-01-01') to ('2100-01-01');"
                + " create table app.events_pending partition of app.events default;"
                + " insert into app.events values (1, 'a'), (2, 'b')");

        taken("""
                table: app.events
                aggregate-type: event
                aggregate-id: id
                events: [{on: insert, type: event.happened}]
                take-over: {subscription: events, pending: published_at is null, mark: published_at = now(), key: id}
                """);
        writeAsApplication("insert into app.events values (3, 'c')");

        assertThat(database.jdbc().queryForList("select payload->>'body' from outbox order by id", String.class))
                .containsExactly("a", "b", "c");
        assertThat(database.number("select count(*) from app.events_published")).isEqualTo(3);
        assertThat(database.number("select count(*) from app.events_pending")).isZero();
    }

    @Test
    void a_dry_run_prints_the_sql_and_the_number_of_rows_and_changes_nothing() throws Exception {
        database.execute("insert into app.emails (address) values ('a')");

        CommandRun run = takeOver(FILE, "--poller-stopped", "--dry-run");

        assertThat(run.out())
                .contains("lock table app.emails in exclusive mode", "1 row is pending. Nothing was changed.");
        assertThat(installed()).isZero();
        database.execute(run.out().substring(0, run.out().indexOf("1 row is")));
        assertThat(messages()).containsExactly("email/1 a false");
    }

    @Test
    void a_table_that_a_poller_still_works_is_not_waited_for_and_nothing_is_changed() throws Exception {
        database.execute("insert into app.emails (address) values ('a')");
        try (var poller = database.begin()) {
            poller.run("select from app.emails where not sent for update skip locked");

            takeOver(FILE, "--poller-stopped", "--yes")
                    .assertFailed("another transaction held a lock on app.emails for 3 s", "Nothing was changed");
        }
        assertThat(installed()).isZero();
        assertThat(messages()).isEmpty();
        assertThat(database.number("select count(*) from outbox_subscription")).isZero();
    }

    @Test
    void while_the_poller_runs_new_rows_wait_until_it_has_sent_the_older_ones() throws Exception {
        database.execute("insert into app.emails (address) values ('a'), ('b')");

        CommandRun begun = takeOver(FILE, "--no-wait", "--yes");
        writeAsApplication("insert into app.emails (address) values ('c')");

        assertThat(begun.err()).isEmpty();
        assertThat(begun.out()).contains("2 rows are pending, 0 messages wait.");
        assertThat(pending()).containsExactly("a", "b");
        assertThat(database.saved("email").paused()).isTrue();
        poll("set attempts = attempts + 1"); // a failed attempt is no new row
        poll("set sent = true");
        assertThat(takeOver(FILE).out()).contains("0 rows are pending, 1 message waits. Stop the poller now");
        assertThat(database.saved("email").paused()).isTrue();
        assertThat(takeOver(FILE, "--poller-stopped", "--yes").out())
                .contains("0 pending rows are now messages, in addition to 1 message of new rows");
        assertThat(messages()).containsExactly("email/3 c false");
        assertThat(database.saved("email").paused()).isFalse();
        assertThat(takeOver(FILE, "--status").out()).contains("complete: email delivers");
        assertThat(audit()).containsExactly("create", "take-over", "resume", "take-over");
    }

    @Test
    void rows_that_the_poller_cannot_send_are_copied_only_on_request() throws Exception {
        database.execute("insert into app.emails (address) values ('poison')");
        takeOver(FILE, "--no-wait", "--yes");
        writeAsApplication("insert into app.emails (address) values ('new')");

        takeOver(FILE, "--poller-stopped", "--yes").assertFailed("rows are pending: 1", "--copy-rest");
        assertThat(database.saved("email").paused()).isTrue();
        takeOver(FILE, "--poller-stopped", "--copy-rest", "--yes").assertDone();
        assertThat(messages()).containsExactly("email/2 new false", "email/1 poison false");
        assertThat(pending()).isEmpty();
    }

    @Test
    void a_row_of_a_transaction_that_is_open_at_the_beginning_is_left_to_the_poller() throws Exception {
        CompletableFuture<CommandRun> begun;
        try (var writer = database.begin()) {
            writer.run("insert into app.emails (address) values ('open')");
            begun = takeOverWaits("--no-wait");
            writer.commit();
        }

        assertThat(begun.get().err()).isEmpty();
        assertThat(pending()).containsExactly("open");
        assertThat(messages()).isEmpty();
    }

    @Test
    void a_row_that_a_poller_is_sending_at_the_last_step_is_not_sent_again() throws Exception {
        database.execute("insert into app.emails (address) values ('a'), ('b')");
        CompletableFuture<CommandRun> finished;
        try (var poller = database.begin()) {
            poller.run("select from app.emails where address = 'a' for update skip locked");
            finished = takeOverWaits("--poller-stopped");
            poller.run("update app.emails set sent = true where address = 'a'");
            poller.commit();
        }

        assertThat(finished.get().err()).isEmpty();
        assertThat(messages()).containsExactly("email/2 b false");
    }

    /** Returns when the command waits for a lock. */
    private CompletableFuture<CommandRun> takeOverWaits(String option) throws Exception {
        CompletableFuture<CommandRun> run = CompletableFuture.supplyAsync(() -> {
            try {
                return takeOver(FILE, option, "--yes");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        eventually(() -> assertThat(database.number("select count(*) from pg_locks where not granted"))
                .isEqualTo(1));
        return run;
    }

    @Test
    void two_people_at_once_do_each_step_once() throws Exception {
        database.execute("insert into app.emails (address) values ('a')");

        atOnce("--no-wait", "--yes");
        writeAsApplication("insert into app.emails (address) values ('b')");
        atOnce("--poller-stopped", "--copy-rest", "--yes");

        assertThat(messages()).containsExactly("email/2 b false", "email/1 a false");
        assertThat(audit()).containsExactly("create", "take-over", "resume", "take-over");
    }

    /** Every role that can connect can hold it. */
    @Test
    void a_session_that_holds_the_lock_of_the_steps_is_named() throws Exception {
        try (var other = database.begin()) {
            other.run(
                    "select pg_advisory_xact_lock(hashtext('caravan take-over emails'), 'outbox'::regclass::oid::integer)");

            takeOver(FILE, "--no-wait", "--yes")
                    .assertFailed(
                            "Another process is running a step of the take-over of emails: session ",
                            "user postgres",
                            "Nothing was changed");
        }
    }

    private void atOnce(String... options) throws Exception {
        Path file = write("emails", FILE);
        List<CompletableFuture<CommandRun>> runs = Stream.of(1, 2)
                .map(person -> CompletableFuture.supplyAsync(() -> {
                    List<String> all = new ArrayList<>(List.of("take-over", file.toString()));
                    all.addAll(Arrays.asList(options));
                    return run(all.toArray(String[]::new));
                }))
                .toList();
        for (CompletableFuture<CommandRun> run : runs) {
            assertThat(run.get().err()).isEmpty();
        }
    }

    @Test
    @Tag("long")
    void beside_a_writer_that_does_not_end_nothing_is_changed() throws Exception {
        try (var writer = database.begin()) {
            writer.run("insert into app.emails (address) values ('a')");

            assertThat(takeOver(FILE, "--no-wait", "--yes").err())
                    .contains("another transaction held a lock on app.emails for 3 s", "Nothing was changed");
        }
        assertThat(installed()).isZero();
        assertThat(database.number("select count(*) from outbox_subscription")).isZero();
    }

    @Test
    @Tag("long")
    void a_subscription_that_a_person_has_paused_stays_paused() throws Exception {
        database.execute(
                "insert into outbox_subscription (name, position, delivered, paused) values ('email', 0, 5, true)");

        assertThat(takeOver(FILE, "--poller-stopped", "--yes").out())
                .contains("email is paused. To deliver them, and each new row: ./caravan subscriptions resume email");
    }

    @Test
    @Tag("long")
    void without_its_subscription_a_take_over_is_not_complete() throws Exception {
        takeOver(FILE, "--no-wait", "--yes");
        writeAsApplication("insert into app.emails (address) values ('a')");
        database.execute("delete from outbox_subscription");

        assertThat(takeOver(FILE, "--poller-stopped", "--yes").err())
                .contains("subscription email does not exist", "Nothing was changed");
        database.execute("insert into outbox_subscription (name, position, paused) values ('email', 0, true)");
        assertThat(takeOver(FILE, "--undo", "--yes").err()).isEmpty();
        assertThat(pending()).containsExactly("a");
    }

    private void poll(String set) throws SQLException {
        database.execute("update app.emails " + set + " where not sent");
    }
}
