package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Commands that retry or discard dead letters, by name or many at once. */
class DeadLettersChangeCommandIT extends DeadLettersFixture {
    @Test
    void named_dead_letters_are_retried_without_a_question() throws Exception {
        tables.dead("sms", 7);
        tables.dead("sms", 8);
        tables.dead("email", 7);

        assertThat(run("retry", "sms", "7", "8", "7").assertDone().out()).startsWith("Retried 2 dead letters.");
        assertThat(tables.count("outbox_retry where subscription = 'sms'")).isEqualTo(2);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
        assertThat(database.text("select distinct who from outbox_audit")).isEqualTo(System.getProperty("user.name"));
    }

    @Test
    void a_named_one_that_does_not_exist_fails_and_the_others_are_done() throws Exception {
        tables.dead("sms", 7);

        CommandRun run = run("retry", "sms", "7", "99", "--output", "json");

        run.assertFailed("sms 99 is not a dead letter.");
        assertThat(run.json().get("retried").asInt()).isEqualTo(1);
    }

    @Test
    @Tag("long")
    void a_retry_prints_the_command_that_shows_the_outcome() throws Exception {
        tables.dead("sms", 7);
        tables.dead("sms", 8);
        tables.dead("sms", 9);

        assertThat(run("retry", "sms", "7").out()).contains("./caravan why 7 --subscription sms");
        assertThat(run("retry", "sms", "8", "9").out()).contains("./caravan retries list");
    }

    @Test
    void a_retry_waits_for_the_outcome_of_named_messages() throws Exception {
        tables.dead("sms", 7);
        tables.dead("sms", 8);
        database.execute("insert into outbox_subscription (name, position) values ('sms', 100);"
                + " create function deliver() returns trigger language plpgsql as 'begin return null; end';"
                + " create trigger deliver before insert on outbox_retry for each row when (new.id = 7)"
                + " execute function deliver()");

        CommandRun delivered = run("retry", "sms", "7", "--who", "anna", "--wait", "60");
        CommandRun stopped = run("retry", "sms", "8", "--who", "anna", "--wait", "1", "--output", "json");

        assertThat(delivered.assertDone().out())
                .matches("(?s)Retried 1 dead letter.\\Rsms 7: Delivered within .* of the retry by anna.\\R");
        stopped.assertFailed();
        assertThat(stopped.json().at("/outcomes/0/state").asText()).isEqualTo("no-relay");
        run("retry", "sms", "8", "--wait", "-1").assertWrongUse();
    }

    @Test
    void a_retry_that_cannot_wait_for_all_messages_changes_nothing() throws Exception {
        List<String> ids = new ArrayList<>(List.of("retry", "--wait", "1", "sms"));
        for (int id = 1; id <= 101; id++) {
            tables.dead("sms", id);
            ids.add(String.valueOf(id));
        }

        CommandRun tooMany = run(ids.toArray(String[]::new));
        CommandRun all = run("retry", "--all", "--yes", "--wait", "1");

        tooMany.assertWrongUse("--wait", "at most 100", "Nothing was changed.");
        all.assertWrongUse("--wait", "named", "Nothing was changed.");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(101);
    }

    @Test
    void an_outcome_is_one_line() throws Exception {
        tables.dead("sms", 7);
        database.execute("insert into outbox_subscription (name, position, paused) values ('sms', 100, true);"
                + " insert into outbox_audit (who, action, subscription, reason) values ('ben', 'pause', 'sms',"
                + " E'storm\nsms 7: Delivered.')");

        assertThat(run("retry", "sms", "7", "--wait", "1").out())
                .contains("sms 7: The subscription is paused by ben: storm sms 7: Delivered..");
    }

    @Test
    @Tag("long")
    void a_retry_of_all_prints_one_json_document_if_relays_work_some_of_the_subscriptions() throws Exception {
        tables.dead("sms", 7);
        tables.dead("email", 7);
        database.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " values ('sms', 100, 'r1', now() + interval '1 hour');"
                + " create function fail() returns trigger language plpgsql as"
                + " 'begin new.attempts = 1; return new; end';"
                + " create trigger fail before insert on outbox_retry for each row when (new.subscription = 'sms')"
                + " execute function fail()");

        CommandRun run = run("retry", "--all", "--yes", "--output", "json");

        ObjectMapper strict = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        JsonNode fields = strict.readTree(run.out());
        assertThat(fields.get("retried").asInt()).isEqualTo(1);
        assertThat(fields.get("bulkRetries").findValuesAsText("subscription")).containsExactly("sms");
    }

    @Test
    @Tag("long")
    void a_misspelled_subscription_is_reported_with_the_nearest_one() throws Exception {
        tables.dead("sms", 7);
        database.execute("insert into outbox_subscription (name, position) values ('sms', 10)");

        CommandRun run = run("retry", "smss", "7");

        run.assertFailed("smss 7 is not a dead letter. There is no subscription smss, did you mean sms?");
        assertThat(run("show", "smss", "7").err()).contains("did you mean sms?");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
    }

    @Test
    void invalid_names_are_wrong_use() {
        run("retry").assertWrongUse();
        run("retry", "sms").assertWrongUse();
        assertThat(run("retry", "sms", "x7").err()).contains("'x7' is neither an id");
        run("retry", "sms", "7", "--all").assertWrongUse();
        run("retry", "sms", "7", "--error", "x").assertWrongUse();
    }

    @Test
    void many_are_counted_first_and_need_a_confirmation() throws Exception {
        tables.deadMany("sms", 1_234);
        tables.deadMany("email", 1);

        run("retry", "--all").assertWrongUse("Retry 1,235 dead letters (email: 1, sms: 1,234)?", "--yes");
        assertThat(run("retry", "--all", "--dry-run").out()).contains("Would retry 1,235 dead letters");
        assertThat(tables.count("outbox_retry")).isZero();

        assertThat(run("retry", "--all", "--subscription", "sms", "--yes")
                        .assertDone()
                        .out())
                .startsWith("Retried 1,234 dead letters.");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
        assertThat(tables.count("outbox_retry where not blocked")).isEqualTo(124);
    }

    @Test
    void a_failure_in_the_middle_leaves_whole_chunks_and_says_how_many() throws Exception {
        tables.deadMany("sms", 1_600);
        database.execute("alter table outbox_audit add constraint no_1500 check (not messages @> 1500::bigint)");

        run("retry", "--all", "--yes").assertFailed("Failed after 1,000 dead letters were retried", "no_1500");
        assertThat(tables.count("outbox_retry")).isEqualTo(1_000);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(600);
    }

    @Test
    void where_a_relay_works_the_subscription_a_retry_of_all_stops_when_they_fail_again() throws Exception {
        tables.deadMany("sms", 40);
        database.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " values ('sms', 100, 'r1', now() + interval '1 hour');"
                + " create function fail() returns trigger language plpgsql as"
                + " 'begin new.attempts = 1; return new; end';"
                + " create trigger fail before insert on outbox_retry for each row execute function fail()");

        CommandRun run = run("retry", "--all", "--rate", "50/s", "--yes");

        run.assertFailed("Started bulk retry 1 of sms.", ", last failed ", "broken pipe");
        assertThat(run.out())
                .contains(
                        "is stopped: 5 dead letters retried, 0 delivered, 5 failed again, ",
                        " 35 left. It stopped because 5 of the first 5 failed again",
                        "To continue: ./caravan bulk-retries resume 1");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(35);
        CommandRun list = command("bulk-retries", "list");
        assertThat(list.out()).contains("stopped", "5 of the first 5 failed again");
        assertThat(bulkRetries("resume").out()).startsWith("Bulk retry 1 of sms is running: 5 dead letters retried");
        assertThat(bulkRetries("pause").out()).startsWith("Bulk retry 1 of sms is paused: 5 dead letters retried");
        assertThat(bulkRetries("cancel").out()).contains("is cancelled");
        bulkRetries("resume").assertEnded(1, "Nothing was changed.");
    }

    private CommandRun bulkRetries(String change) {
        return command("bulk-retries", change, "1");
    }

    @Test
    void a_retry_of_all_whose_connection_is_cut_says_that_relays_continue_it() throws Exception {
        tables.deadMany("sms", 40);
        database.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " values ('sms', 100, 'r1', now() + interval '1 hour');"
                + " create function cut() returns trigger language plpgsql as"
                + " 'begin perform pg_terminate_backend(pg_backend_pid()); return new; end';"
                + " create trigger cut before insert on outbox_retry for each row execute function cut()");

        run("retry", "--all", "--yes")
                .assertFailed("Started bulk retry 1 of sms.", "Relays continue what was started.");
        assertThat(database.text("select state from outbox_job")).isEqualTo("running");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(40);
    }

    @Test
    @Tag("long")
    void a_discard_that_fails_in_the_middle_prints_how_to_undo_it() throws Exception {
        tables.deadMany("sms", 1_600);
        database.execute("alter table outbox_audit add constraint no_1500 check (not messages @> 1500::bigint)");

        run("discard", "--all", "--yes", "--reason", "not ours")
                .assertFailed(
                        "Failed after 1,000 dead letters were discarded",
                        "undo-discard --all --discard "
                                + database.text("select min(discard::text) from outbox_discarded"));
    }

    @Test
    void only_what_the_filters_select_is_discarded() throws Exception {
        tables.dead("sms", 7, "error_text", "'no such number'");
        tables.dead("sms", 8);

        CommandRun run =
                run("discard", "--all", "--error", "SUCH number", "--yes", "--reason", "not ours", "--output", "json");

        run.assertDone();
        assertThat(run.json().get("discarded").asInt()).isEqualTo(1);
        assertThat(database.number("select id from outbox_dead_letter")).isEqualTo(8);
        assertThat(database.text("select reason from outbox_audit")).isEqualTo("not ours");
    }

    @Test
    void a_discard_is_undone_with_the_id_that_it_prints() throws Exception {
        tables.dead("sms", 7);
        tables.dead("sms", 8);
        CommandRun discarded =
                run("discard", "--all", "--yes", "--reason", "not ours", "--who", "anna", "--output", "json");
        String id = discarded.json().get("discard").asText();

        CommandRun list = run("discarded", "--discard", id);
        CommandRun undone = run("undo-discard", "--all", "--discard", id, "--yes", "--who", "ben");

        assertThat(list.out()).contains("sms", "order/7", "anna", "not ours", id);
        assertThat(undone.out()).contains("Restored 2 discarded dead letters.");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(2);
        assertThat(run("discarded").out()).contains("No discarded dead letters are kept.");
        assertThat(run("discard", "sms", "7", "--reason", "no").out())
                .contains("Kept for 7d. To undo: ./caravan dead-letters undo-discard --all --discard ");
        run("undo-discard", "sms", "7").assertDone();
        assertThat(run("undo-discard", "sms", "7").err())
                .contains("No discarded dead letter sms 7 is kept; last change");
    }

    @Test
    void a_discard_needs_a_reason() throws Exception {
        tables.dead("sms", 7);

        run("discard", "sms", "7").assertWrongUse("--reason");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
    }

    @Test
    @Tag("long")
    void nothing_to_retry_is_no_failure() {
        run("retry", "--all", "--yes").assertDone("No dead letters. Nothing was changed.");
    }
}
