package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A take-over that is undone. */
class TakeOverUndoIT extends TakeOverFixture {
    @Test
    @Tag("long")
    void the_sql_of_an_undo_finds_its_outbox_also_if_the_session_would_find_another_one() throws Exception {
        database.execute("insert into app.emails (address) values ('a')");
        taken(FILE);
        database.execute("update outbox_subscription set paused = true");
        String out = takeOver(FILE, "--undo", "--dry-run").out();
        String script = out.substring(0, out.indexOf("commit;") + "commit;".length());
        database.execute("create schema other; create table other.outbox (like outbox);"
                + " create table other.outbox_subscription (like outbox_subscription)");

        try (var connection = database.unpooled().getConnection();
                var statement = connection.createStatement()) {
            statement.execute("set search_path = other, public");
            statement.execute(script);
        }

        assertThat(messages()).isEmpty();
        assertThat(database.number("select count(*) from app.emails where not sent"))
                .isEqualTo(1);
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
                .contains("Returned 1 row of app.emails", "removed 1 message", "Subscription email was deleted.");
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
    @Tag("long")
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
    @Tag("long")
    void columns_may_be_named_with_reserved_words() throws Exception {
        database.execute(
                "create table app.mails (\"order\" bigint generated always as identity primary key, \"from\" text, \"to\" text,"
                        + " \"user\" text)");
        String file = """
                table: app.mails
                aggregate-type: mail
                events: [{on: insert, type: "mail.{user}"}]
                take-over: {subscription: mails, pending: "true", mark: delete}
                """;
        takeOver(file, "--no-wait", "--yes");
        writeAsApplication("insert into app.mails (\"from\", \"to\", \"user\") values ('a', 'b', 'c')");
        assertThat(database.number("select count(*) from app.mails")).isZero();

        assertThat(takeOver(file, "--undo", "--yes").err()).isEmpty();

        assertThat(database.text("select mails::text from app.mails")).isEqualTo("(1,a,b,c)");
    }

    @Test
    @Tag("long")
    void without_the_row_in_the_payload_undo_finds_it_by_its_key() throws Exception {
        assertReturned(FILE.replace("requested\n", "requested\n    payload: [address]\n")
                + "  unmark: sent = false, sent_at = null\n");
    }

    @Test
    @Tag("long")
    void the_key_of_a_row_may_be_in_a_header_or_be_the_message_id() throws Exception {
        String header = FILE.replace("requested\n", "requested\n    payload: \"{address}\"\n    headers: {row: id}\n")
                        .replace("events:", "aggregate-id: status\nevents:")
                + "  unmark: sent = false\n";
        assertReturned(header);
        database.execute("alter table app.emails add number uuid not null default gen_random_uuid()");
        assertReturned(header.replace("    headers: {row: id}\n", "").replace("events:", "message-id: number\nevents:")
                + "  key: number\n  order: id\n");
    }

    private void assertReturned(String file) throws Exception {
        takeOver(file, "--no-wait", "--yes");
        writeAsApplication("insert into app.emails (address) values ('a'), ('b')");
        assertThat(pending()).isEmpty();
        assertThat(takeOver(file, "--undo", "--yes").err()).isEmpty();
        assertThat(pending()).containsExactly("a", "b");
        database.execute("delete from app.emails");
    }

    @Test
    @Tag("long")
    void undo_keeps_a_subscription_that_a_person_has_created() throws Exception {
        takeOver(FILE, "--no-wait", "--yes");
        takeOver(FILE, "--undo", "--yes");
        database.execute("insert into outbox_subscription (name, position, paused) values ('email', 0, true)");
        takeOver(FILE, "--no-wait", "--yes");

        CommandRun undone = takeOver(FILE, "--undo", "--yes");

        assertThat(undone.out()).contains("Returned 0 rows of app.emails").doesNotContain("was deleted");
        assertThat(database.saved("email").paused()).isTrue();
    }

    @Test
    @Tag("long")
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
    void after_the_last_step_what_is_not_delivered_can_be_returned_to_the_poller() throws Exception {
        database.execute("insert into app.emails (address) values ('a'), ('b')");
        taken(FILE);
        database.execute("update outbox_subscription set position = 1, delivered = 1"); // as a relay does

        assertThat(takeOver(FILE, "--undo", "--yes").err())
                .contains("email delivers its messages", "subscriptions pause email");
        database.execute("update outbox_subscription set paused = true");
        CommandRun undone = takeOver(FILE, "--undo", "--yes");

        assertThat(undone.out()).contains("Returned 1 row", "Subscription email is paused.");
        assertThat(pending()).containsExactly("b");
    }

    @Test
    void a_message_in_a_gap_is_not_delivered_and_one_that_waits_must_be_decided_first() throws Exception {
        database.execute("insert into app.emails (address) values ('a'), ('b'), ('c'), ('d')");
        taken(FILE);
        database.execute(
                "update outbox_subscription set position = 4, older_gaps = '{[1,2)}', gaps = '{[2,3)}', delivered = 1, paused = true;"
                        + " insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, blocked)"
                        + " select 'email', id, message_id, aggregate_type, aggregate_id, type, created_at, true from outbox where id = 4");

        assertThat(takeOver(FILE, "--undo", "--yes").err())
                .contains(
                        "wait for another attempt or are blocked: 1",
                        "retries give-up --all --subscription email --reason \"back to the poller\"");
        database.execute("delete from outbox_retry");
        assertThat(takeOver(FILE, "--undo", "--yes").err()).isEmpty();

        assertThat(pending()).containsExactly("a", "b");
    }
}
