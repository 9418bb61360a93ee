package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.outbox.TestOutbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/** Tables that a poller of the application works, handed over one step after the other. */
class TakeOverCommandTest {
    private static final String TABLE =
            "create schema app; create table app.emails (id bigint generated always as identity"
                    + " primary key, kind text not null default 'mail', status text not null default 'pending', address text, sent boolean"
                    + " not null default false, sent_at timestamptz, attempts int not null default 0,"
                    + " done boolean generated always as (sent) stored)";
    private static final String FILE = """
            table: app.emails
            aggregate-type: email
            events:
              - on: insert
                type: email.requested
            take-over:
              subscription: email
              pending: not sent
              mark: sent = true, sent_at = now()
            """;

    @TempDir
    private Path folder;

    private TestOutbox database;
    private String config;
    private String role;

    @BeforeEach
    void createTable() throws Exception {
        database = TestOutbox.create();
        config = CommandRun.config(folder, database);
        database.execute(TABLE);
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    @Test
    void pending_rows_and_new_ones_are_messages_in_order_and_no_row_is_left_to_the_poller() throws Exception {
        database.execute("insert into app.emails (address, sent) values ('a', false), ('b', true), ('c', false)");

        CommandRun run = takeOver(FILE, "--poller-stopped", "--yes");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("Took app.emails over: 2 pending rows are messages now");
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

            CommandRun run = takeOver(FILE, "--poller-stopped", "--yes");

            assertThat(run.exit()).isEqualTo(1);
            assertThat(run.err())
                    .contains("another transaction held a lock on app.emails for 3 s", "Nothing was changed");
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
                .contains("0 pending rows are messages now, beside 1 message of new rows");
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

        assertThat(takeOver(FILE, "--poller-stopped", "--yes"))
                .returns(1, CommandRun::exit)
                .extracting(CommandRun::err)
                .asString()
                .contains("rows are pending: 1", "--copy-rest");
        assertThat(database.saved("email").paused()).isTrue();
        assertThat(takeOver(FILE, "--poller-stopped", "--copy-rest", "--yes").exit())
                .isZero();
        assertThat(messages()).containsExactly("email/2 new false", "email/1 poison false");
        assertThat(pending()).isEmpty();
    }

    @Test
    void a_take_over_that_is_undone_leaves_nothing_but_the_rows_and_can_begin_again() throws Exception {
        database.execute("insert into app.emails (address) values ('a')");
        takeOver(FILE, "--no-wait", "--yes");
        writeAsApplication("insert into app.emails (address, attempts) values ('b', 3)");
        database.insert("another message");

        assertThat(takeOver(FILE, "--undo", "--dry-run").out())
                .contains("drop trigger", "1 message waits. Nothing was changed.");
        CommandRun undone = takeOver(FILE, "--undo", "--yes");

        assertThat(undone.err()).isEmpty();
        assertThat(undone.out())
                .contains("Gave 1 row of app.emails back", "removed 1 message", "Subscription email was deleted.");
        assertThat(pending()).containsExactly("a", "b");
        assertThat(database.number("select count(*) from app.emails where sent_at is null"))
                .isEqualTo(2);
        assertThat(installed()).isZero();
        assertThat(database.number("select count(*) from outbox_subscription")).isZero();
        assertThat(database.number("select count(*) from outbox")).isEqualTo(1);
        assertThat(takeOver(FILE, "--undo", "--yes").err()).contains("There is no take-over of app.emails to undo");
        assertThat(takeOver(FILE, "--status").out()).contains("has not begun. 2 rows are pending");
        taken(FILE);
        assertThat(database.number("select count(*) from outbox")).isEqualTo(3);
    }

    @Test
    void rows_that_were_deleted_are_written_again_by_undo() throws Exception {
        database.execute(
                "create table app.queue (id bigint generated always as identity primary key, body jsonb, raw bytea, at timestamptz"
                        + " default now(), tags text[], twice int generated always as (1 + 1) stored)");
        String file = """
                table: app.queue
                aggregate-type: job
                events: [{on: insert, type: "job.{tags}"}]
                take-over: {subscription: jobs, pending: "true", mark: delete}
                """;
        database.execute(
                "insert into app.queue (body, raw, tags) values ('{\"a\": [1, null]}', '\\x00ff', '{x,\"y z\"}')");
        String before = database.text("select queue::text from app.queue");
        database.execute("create table app.kept as select * from app.queue; delete from app.queue");
        takeOver(file, "--no-wait", "--yes");
        database.execute("insert into app.queue (id, body, raw, at, tags) overriding system value"
                + " select id, body, raw, at, tags from app.kept");
        assertThat(database.number("select count(*) from app.queue")).isZero();

        assertThat(takeOver(file, "--undo", "--yes").err()).isEmpty();

        assertThat(database.text("select queue::text from app.queue")).isEqualTo(before);
    }

    @Test
    void without_the_row_in_the_payload_undo_finds_it_by_its_key() throws Exception {
        String file = FILE.replace("requested\n", "requested\n    payload: [address]\n")
                + "  unmark: sent = false, sent_at = null\n";
        takeOver(file, "--no-wait", "--yes");
        writeAsApplication("insert into app.emails (address) values ('a'), ('b')");
        assertThat(pending()).isEmpty();

        assertThat(takeOver(file, "--undo", "--yes").err()).isEmpty();

        assertThat(pending()).containsExactly("a", "b");
    }

    @Test
    void the_key_of_a_row_may_be_in_a_header_or_be_the_message_id() throws Exception {
        String header = FILE.replace("requested\n", "requested\n    payload: \"{address}\"\n    headers: {row: id}\n")
                        .replace("events:", "aggregate-id: status\nevents:")
                + "  unmark: sent = false\n";
        assertGivenBack(header);
        database.execute("alter table app.emails add number uuid not null default gen_random_uuid()");
        assertGivenBack(header.replace("    headers: {row: id}\n", "").replace("events:", "message-id: number\nevents:")
                + "  key: number\n  order: id\n");
    }

    private void assertGivenBack(String file) throws Exception {
        takeOver(file, "--no-wait", "--yes");
        writeAsApplication("insert into app.emails (address) values ('a'), ('b')");
        assertThat(pending()).isEmpty();
        assertThat(takeOver(file, "--undo", "--yes").err()).isEmpty();
        assertThat(pending()).containsExactly("a", "b");
        database.execute("delete from app.emails");
    }

    @Test
    void triggers_that_depend_on_the_path_of_the_session_are_named_before_a_row_is_marked() throws Exception {
        database.execute(
                "create table app.log (n bigint); create function app.log() returns trigger language plpgsql as"
                        + " $$ begin insert into log values (1); return new; end $$;"
                        + " create trigger log after update on app.emails for each row execute function app.log();"
                        + " create trigger log_delete after delete on app.emails for each row execute function app.log()");

        assertThat(takeOver(FILE, "--dry-run").err())
                .contains("Trigger log fires", "alter function app.log() set search_path")
                .doesNotContain("log_delete");
        assertThat(takeOver(FILE, "--no-wait", "--yes").err()).contains("Trigger log fires");
        assertThatThrownBy(() -> writeAsApplication("insert into app.emails (address) values ('a')"))
                .hasStackTraceContaining("relation \"log\" does not exist");
        takeOver(FILE, "--undo", "--yes");
        database.execute("alter function app.log() set search_path = app, public");
        assertThat(takeOver(FILE, "--poller-stopped", "--yes").err()).isEmpty();
        writeAsApplication("insert into app.emails (address) values ('b')");
        assertThat(messages()).hasSize(1);
    }

    @Test
    void undo_keeps_a_subscription_that_a_person_has_created() throws Exception {
        takeOver(FILE, "--no-wait", "--yes");
        takeOver(FILE, "--undo", "--yes");
        database.execute("insert into outbox_subscription (name, position, paused) values ('email', 0, true)");
        takeOver(FILE, "--no-wait", "--yes");

        CommandRun undone = takeOver(FILE, "--undo", "--yes");

        assertThat(undone.out()).contains("Gave 0 rows of app.emails back").doesNotContain("was deleted");
        assertThat(database.saved("email").paused()).isTrue();
    }

    @Test
    void a_capture_whose_messages_may_still_wait_is_not_removed_without_saying_so() throws Exception {
        takeOver(FILE, "--no-wait", "--yes");
        writeAsApplication("insert into app.emails (address) values ('a')");

        CommandRun refused = CommandRun.of("capture", "remove", "emails", "--yes", "--config", config);

        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err()).contains("take-over FILE --undo", "Nothing was changed", "--after-take-over");
        assertThat(takeOver(FILE, "--undo", "--yes").err()).isEmpty();
        assertThat(pending()).containsExactly("a");
        taken(FILE);
        assertThat(CommandRun.of("capture", "remove", "emails", "--after-take-over", "--yes", "--config", config)
                        .out())
                .contains("Removed capture emails");
        assertThat(installed()).isZero();
    }

    @Test
    void what_could_not_be_undone_is_refused_beside_a_running_poller() throws Exception {
        String columns = FILE.replace("requested\n", "requested\n    payload: [address]\n");
        String other = columns.replace("events:", "aggregate-id: status\nevents:") + "  unmark: sent = false\n";
        assertThat(takeOver(columns, "--no-wait", "--yes").err())
                .contains(":8: unmark is missing", "Nothing was changed");
        assertThat(takeOver(other, "--no-wait", "--yes").err())
                .contains("could not find the row of a message: column id");
        assertThat(takeOver(columns.replace("sent = true, sent_at = now()", "delete"), "--no-wait", "--yes")
                        .err())
                .contains("with mark: delete each event needs payload: row");
        assertThat(installed()).isZero();

        taken(other);
    }

    @Test
    void after_the_last_step_what_is_not_delivered_can_be_given_back() throws Exception {
        database.execute("insert into app.emails (address) values ('a'), ('b')");
        taken(FILE);
        database.execute("update outbox_subscription set position = 1, delivered = 1"); // as a relay does

        assertThat(takeOver(FILE, "--undo", "--yes").err())
                .contains("email delivers its messages", "subscriptions pause email");
        database.execute("update outbox_subscription set paused = true");
        CommandRun undone = takeOver(FILE, "--undo", "--yes");

        assertThat(undone.out()).contains("Gave 1 row", "Subscription email is paused.");
        assertThat(pending()).containsExactly("b");
    }

    @Test
    void a_message_in_a_gap_is_not_delivered_and_one_that_waits_must_be_decided_first() throws Exception {
        database.execute("insert into app.emails (address) values ('a'), ('b'), ('c')");
        taken(FILE);
        database.execute(
                "update outbox_subscription set position = 3, gaps = '{[2,3)}', delivered = 1, paused = true;"
                        + " insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, blocked)"
                        + " select 'email', id, message_id, aggregate_type, aggregate_id, type, created_at, true from outbox where id = 3");

        assertThat(takeOver(FILE, "--undo", "--yes").err())
                .contains("wait for another attempt: 1", "retries give-up email --all");
        database.execute("delete from outbox_retry");
        assertThat(takeOver(FILE, "--undo", "--yes").err()).isEmpty();

        assertThat(pending()).containsExactly("b");
    }

    @Test
    void a_subscription_that_would_deliver_too_early_is_refused() throws Exception {
        database.execute("insert into outbox_subscription (name, position) values ('email', 0)");
        assertThat(takeOver(FILE, "--no-wait", "--yes").err())
                .contains("email is not paused", "Nothing was changed", "subscriptions pause email");
        database.execute(
                "update outbox_subscription set paused = true, owner = 'r1', lease_until = now() + interval '1 hour'");
        assertThat(takeOver(FILE, "--no-wait", "--yes").err()).contains("relay r1 still works it");
        database.execute("update outbox_subscription set owner = null, lease_until = null, delivered = 1");
        assertThat(takeOver(FILE, "--no-wait", "--yes").err()).contains("has delivered messages already");
        assertThat(installed()).isZero();
        database.execute(
                "update outbox_subscription set delivered = 0;"
                        + " insert into outbox_subscription (name, position, types) values ('audit', 0, '{email.%}'), ('sms', 0, '{sms.%}')");

        CommandRun run = takeOver(FILE, "--no-wait", "--yes");

        assertThat(run.exit()).isZero();
        assertThat(run.err())
                .isEqualToIgnoringNewLines("Subscription audit delivers messages of this type too, at once.");
    }

    @Test
    void a_row_of_a_transaction_that_is_open_at_the_beginning_is_left_to_the_poller() throws Exception {
        CompletableFuture<CommandRun> begun;
        try (var writer = database.begin()) {
            writer.run("insert into app.emails (address) values ('open')");
            begun = CompletableFuture.supplyAsync(() -> {
                try {
                    return takeOver(FILE, "--no-wait", "--yes");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            eventually(() -> assertThat(database.number("select count(*) from pg_locks where not granted"))
                    .isEqualTo(1));
            writer.commit();
        }

        assertThat(begun.get().err()).isEmpty();
        assertThat(pending()).containsExactly("open");
        assertThat(messages()).isEmpty();
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
    void a_file_that_was_changed_meanwhile_is_refused_and_a_disabled_trigger_is_repaired() throws Exception {
        takeOver(FILE, "--no-wait", "--yes");
        String changed = FILE.replace("email.requested", "mail.requested");

        assertThat(takeOver(changed, "--undo", "--yes").err())
                .contains("what is installed differs from", "Restore the file");
        assertThat(run("apply", write("emails", changed).toString()).err())
                .contains("the take-over is not complete, and with another function it could not be undone");
        assertThat(takeOver(FILE, "--undo", "--poller-stopped").exit()).isEqualTo(2);

        database.execute("alter table app.emails disable trigger _outbox_capture_emails_mark");
        assertThat(run("check", write("emails", FILE).toString()).out())
                .contains("_outbox_capture_emails_mark on app.emails is disabled", "Run: ./caravan capture apply");
        assertThat(run("apply", write("emails", FILE).toString()).exit()).isZero();
        assertThat(takeOver(FILE, "--poller-stopped", "--yes").err()).isEmpty();
        assertThat(run("apply", write("emails", changed).toString()).exit()).isZero();
    }

    @Test
    void a_subscription_that_a_person_has_paused_stays_paused() throws Exception {
        database.execute(
                "insert into outbox_subscription (name, position, delivered, paused) values ('email', 0, 5, true)");

        assertThat(takeOver(FILE, "--poller-stopped", "--yes").out())
                .contains("email is paused. To deliver them, and each new row: ./caravan subscriptions resume email");
    }

    @Test
    void a_capture_with_a_poller_is_not_installed_by_apply_and_one_without_is_not_taken_over() throws Exception {
        assertThat(run("apply", write("emails", FILE).toString()).err())
                .contains("has a section take-over", "./caravan capture take-over");
        assertThat(installed()).isZero();
        Path without = write("emails", FILE.substring(0, FILE.indexOf("take-over")));
        assertThat(run("take-over", without.toString(), "--poller-stopped", "--yes")
                        .err())
                .contains("has no section take-over");
        run("apply", without.toString());
        database.execute("insert into app.emails (address) values ('a')");

        assertThat(takeOver(FILE, "--poller-stopped", "--yes").err())
                .contains("capture emails is installed without take-over", "would be sent twice");
        assertThat(messages()).hasSize(1);
    }

    @Test
    void what_is_wrong_in_the_section_is_named_with_its_line_and_nothing_is_changed() throws Exception {
        database.execute(
                "insert into app.emails (address) values ('a');"
                        + " create table app.log (line text not null, sent boolean); create table app.jobs (id uuid primary key, sent boolean)");
        expect("pending", FILE.replace("not sent\n", "not sentt\n"), ":8: ERROR: column \"sentt\" does not exist");
        expect("syntax", FILE.replace("not sent\n", "sent = = false\n"), ":8: ERROR: ");
        expect(
                "time",
                FILE.replace("not sent\n", "not sent and sent_at < now()\n"),
                ":8: pending must not depend on the time");
        expect("query", FILE.replace("not sent\n", "not exists (select 1)\n"), ":8: pending must not have a subquery");
        expect(
                "mark",
                FILE.replace("sent = true", "snt = true"),
                ":9: column snt does not exist in app.emails, did you mean sent?");
        expect(
                "no-mark",
                FILE.replace("sent = true, ", ""),
                ":9: mark sets no column of pending",
                "Columns of pending: sent");
        expect("still", FILE.replace("sent = true", "sent = false"), ":9: rows are still pending after mark");
        expect(
                "value",
                FILE.replace("sent = true", "sent = 'perhaps'"),
                ":9: ERROR: invalid input syntax for type boolean");
        expect(
                "list",
                FILE.replace("sent = true, ", "sent, "),
                ":9: mark must be delete, or as after set in an update");
        expect(
                "generated",
                FILE.replace("sent = true", "sent = true, done = true"),
                ":9: column done is generated and cannot be set");
        expect("key", FILE + "  key: number\n", ":10: column number does not exist");
        expect(
                "no-key",
                FILE.replace("app.emails", "app.log")
                        .replace(", sent_at = now()", "")
                        .replace("events", "aggregate-id: line\nevents"),
                "app.log has no primary key. Name the columns that identify a row: key");
        expect(
                "order",
                FILE.replace("app.emails", "app.jobs").replace(", sent_at = now()", ""),
                ":7: order is missing: id is a uuid");
        expect(
                "events",
                FILE.replace("take-over:", "  - {on: delete, type: x}\ntake-over:"),
                ":8: take-over is for a table");
        expect("name", FILE.replace("subscription: email", "subscription: E Mail"), ":7: subscription must be a name");
        expect("absent", FILE.replace("  pending: not sent\n", ""), ":7: pending is missing");
        expect(
                "rights",
                FILE,
                "has no right TRIGGER on app.emails",
                "may not read and mark rows. Run as the owner of the table: grant select, update on app.emails");
        assertThat(installed()).isZero();
        assertThat(messages()).isEmpty();
    }

    @Test
    void a_key_that_does_not_identify_a_row_is_refused() throws Exception {
        database.execute("create table app.log (n int, line text not null, sent boolean not null default false);"
                + " insert into app.log values (1, 'a', false), (1, 'b', false)");
        String file = FILE.replace("app.emails", "app.log")
                        .replace(", sent_at = now()", "")
                        .replace("events", "aggregate-id: line\nevents")
                + "  key: n\n";

        assertThat(takeOver(file, "--poller-stopped", "--yes").err())
                .contains("column n can be null", "Nothing was changed");
        database.execute("alter table app.log alter n set not null");
        assertThat(takeOver(file, "--poller-stopped", "--yes").err())
                .contains("pending rows have the same key", "Nothing was changed");
        assertThat(installed()).isZero();
    }

    @Test
    void an_unmark_that_makes_no_row_pending_is_refused() throws Exception {
        database.execute("insert into app.emails (address) values ('a')");
        String columns = FILE.replace("requested\n", "requested\n    payload: [address]\n");

        assertThat(takeOver(columns + "  unmark: sent_at = null\n", "--no-wait", "--yes")
                        .err())
                .contains("unmark", "Nothing was changed");
        assertThat(takeOver(columns + "  unmark: snt = false\n", "--no-wait", "--yes")
                        .err())
                .contains(":11: column snt does not exist in app.emails, did you mean sent?");
        assertThat(takeOver(columns + "  unmark: sent = true\n", "--no-wait", "--yes")
                        .err())
                .contains("unmark", "Nothing was changed");
        assertThat(installed()).isZero();
    }

    @Test
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

    @Test
    void rows_that_row_security_hides_are_not_forgotten() throws Exception {
        String owner = role("manager");
        database.execute("alter table app.emails enable row level security;"
                + " grant select, update, trigger on app.emails to " + owner + "; grant usage on schema app to " + owner
                + "; grant create on schema public to " + owner + "; grant insert on outbox to " + owner);
        String settings =
                CommandRun.config(folder, database.url(), owner, "caravan.db.password=" + TestOutbox.PASSWORD_OF_ROLES);

        CommandRun run = CommandRun.of(
                "capture",
                "take-over",
                write("emails", FILE).toString(),
                "--poller-stopped",
                "--yes",
                "--config",
                settings);

        assertThat(run.err()).contains("row-level security of app.emails hides rows from role " + owner);
        assertThat(installed()).isZero();
    }

    private void expect(String name, String yaml, String... texts) throws Exception {
        Path file = write(name, yaml);
        String user = name.equals("rights") ? role("stranger") : "postgres";
        if (name.equals("rights")) {
            database.execute("grant usage on schema app to " + user + "; grant select on app.emails to " + user);
        }
        String settings =
                CommandRun.config(folder, database.url(), user, "caravan.db.password=" + TestOutbox.PASSWORD_OF_ROLES);
        CommandRun run = CommandRun.of(
                "capture", "take-over", file.toString(), "--poller-stopped", "--yes", "--config", settings);
        assertThat(run.exit()).as(name + run.out()).isEqualTo(1);
        assertThat(run.err()).as(name).contains(file + ":").contains(texts).contains("Nothing was changed");
        config = CommandRun.config(folder, database);
    }

    private void taken(String yaml) throws IOException {
        CommandRun run = takeOver(yaml, "--poller-stopped", "--yes");
        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).isZero();
    }

    private CommandRun takeOver(String yaml, String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("take-over", write("emails", yaml).toString()));
        arguments.addAll(Arrays.asList(more));
        return run(arguments.toArray(String[]::new));
    }

    private CommandRun run(String... args) {
        List<String> all = new ArrayList<>(List.of("capture"));
        all.addAll(Arrays.asList(args));
        all.addAll(List.of("--config", config));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private Path write(String name, String yaml) throws IOException {
        return Files.writeString(folder.resolve(name + ".yaml"), yaml);
    }

    private String role(String name) throws SQLException {
        role = database.role(name);
        return role;
    }

    /** By a role that may write its tables, and nothing else. */
    private void writeAsApplication(String sql) throws SQLException {
        if (role == null) {
            role("application");
            database.execute("grant usage on schema app to " + role
                    + "; grant insert, update, delete, select on all tables in schema app to " + role);
        }
        new JdbcTemplate(database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES)).execute(sql);
    }

    private List<String> pending() {
        return database.jdbc().queryForList("select address from app.emails where not sent order by id", String.class);
    }

    private void poll(String set) throws SQLException {
        database.execute("update app.emails " + set + " where not sent");
    }

    private long installed() throws SQLException {
        return database.number("select (select count(*) from pg_proc where proname like 'outbox_capture%')"
                + " + (select count(*) from pg_trigger where tgname like '%outbox_capture%')");
    }

    private List<String> messages() {
        return database.jdbc()
                .queryForList(
                        "select aggregate_type || '/' || aggregate_id || ' ' || (payload->>'address') || ' ' || (payload->>'sent')"
                                + " from outbox order by id",
                        String.class);
    }

    private List<String> audit() {
        return database.jdbc().queryForList("select action from outbox_audit order by id", String.class);
    }
}
