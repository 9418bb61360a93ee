package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Take-overs that are refused, before anything is changed. */
class TakeOverRefusalsIT extends TakeOverFixture {
    @Test
    @Tag("long")
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
    void a_capture_whose_messages_may_still_wait_is_not_removed_without_saying_so() throws Exception {
        takeOver(FILE, "--no-wait", "--yes");
        writeAsApplication("insert into app.emails (address) values ('a')");

        command("capture", "remove", "emails", "--yes")
                .assertFailed("take-over FILE --undo", "Nothing was changed", "--after-take-over");
        assertThat(takeOver(FILE, "--undo", "--yes").err()).isEmpty();
        assertThat(pending()).containsExactly("a");
        taken(FILE);
        assertThat(command("capture", "remove", "emails", "--after-take-over", "--yes")
                        .out())
                .contains("Removed capture emails");
        assertThat(installed()).isZero();
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

        assertThat(takeOver(FILE, "--no-wait", "--yes").assertDone().err())
                .isEqualToIgnoringNewLines("Subscription audit delivers messages of this type too, at once.");
    }

    @Test
    @Tag("long")
    void a_file_that_was_changed_meanwhile_is_refused_and_a_disabled_trigger_is_repaired() throws Exception {
        takeOver(FILE, "--no-wait", "--yes");
        String changed = FILE.replace("email.requested", "mail.requested");

        assertThat(takeOver(changed, "--undo", "--yes").err())
                .contains("what is installed differs from", "Restore the file");
        assertThat(run("apply", write("emails", changed).toString()).err())
                .contains("the take-over is not complete, and with another function it could not be undone");
        takeOver(FILE, "--undo", "--poller-stopped").assertWrongUse();

        database.execute("alter table app.emails disable trigger _outbox_capture_emails_mark");
        assertThat(run("check", write("emails", FILE).toString()).out())
                .contains("_outbox_capture_emails_mark on app.emails is disabled", "Run: ./caravan capture apply");
        run("apply", write("emails", FILE).toString()).assertDone();
        assertThat(takeOver(FILE, "--poller-stopped", "--yes").err()).isEmpty();
        run("apply", write("emails", changed).toString()).assertDone();
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
        expect(
                "begin",
                FILE.replace("subscription: email", "subscription: .email"),
                ", and begin with a letter or digit");
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
    @Tag("long")
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
    @Tag("long")
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
    void rows_that_row_security_hides_are_not_missed() throws Exception {
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
        assertThat(CommandRun.of(
                                "capture",
                                "take-over",
                                file.toString(),
                                "--poller-stopped",
                                "--yes",
                                "--config",
                                settings)
                        .assertFailed()
                        .err())
                .as(name)
                .contains(file + ":")
                .contains(texts)
                .contains("Nothing was changed");
        config = CommandRun.config(folder, database);
    }
}
