package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Intakes and their rejected rows in the commands for subscriptions and dead letters. */
class IntakesInCommandsIT extends CommandFixture {
    @BeforeEach
    void insertRows() {
        database.execute("insert into outbox_subscription (name, position) values ('sms', 4)");
        database.execute("insert into outbox_intake (intake, source, relay, lease_until, copied, rejected)"
                + " values ('shop', 'shopDb.outbox', 'relay-7', clock_timestamp() + interval '1 hour', 7, 1)");
    }

    private void reject() {
        database.execute("insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id,"
                + " type, payload, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                + " values ('intake:shop', 9, md5('9')::uuid, 'intake', '[9]', 'intake.rejected', '{\"id\":9}', now(), 1,"
                + " now(), now(), 'NullValue', 'column type is null', '')");
    }

    private String ran(String... args) {
        return run(args).assertDone().out();
    }

    @Test
    void status_shows_intakes_below_the_subscriptions_with_their_errors() throws Exception {
        assertThat(ran("status").lines().map(line -> line.replaceAll(" +", " ")))
                .contains("INTAKE SOURCE COPIED LAG REJECTED DEAD LAST COPY RELAY STATE")
                .anyMatch(line -> line.matches("shop shopDb.outbox 7 \\S+ 1 0 - relay-7 running"));

        database.execute("update outbox_intake set failing_since = clock_timestamp() - interval '3 minutes',"
                + " error = 'Connection refused'");
        assertThat(ran("status")).containsPattern("failing 3m").contains("Intake shop fails: Connection refused");

        database.execute("update outbox_intake set halted = true, error = 'the mark does not end pending'");
        assertThat(ran("status"))
                .contains(
                        "Intake shop is halted: the mark does not end pending\nWhen that is corrected, run: ./caravan intake"
                                + " resume shop");
        JsonNode json = run("status", "--output", "json").assertDone().json();
        assertThat(json.get(0).get("subscription").asText()).isEqualTo("sms");
        assertThat(json.get(1).get("intake").asText()).isEqualTo("shop");
        assertThat(json.get(1).get("state").asText()).isEqualTo("halted");
    }

    @Test
    void status_without_intakes_has_no_table_of_them() {
        database.execute("delete from outbox_intake");

        assertThat(ran("status")).doesNotContain("INTAKE");
    }

    @Test
    void why_explains_an_intake() throws Exception {
        assertThat(ran("why", "intake:shop"))
                .startsWith("intake shop:\n  relay-7 reads and copies its rows: 7 copied;");
        reject();
        database.execute("update outbox_intake set paused = true");
        database.execute("insert into outbox_audit (who, action, subscription, reason)"
                + " values ('anna', 'pause', 'intake:shop', 'moves house')");
        assertThat(ran("why", "intake:shop"))
                .contains(
                        "The intake is paused by anna: moves house (since ",
                        "    ./caravan intake resume shop\n",
                        "No message could be made of 1 row: they are dead letters",
                        "./caravan dead-letters list --subscription intake:shop");
        assertThat(run("why", "intake:shop", "--output", "json")
                        .assertDone()
                        .json()
                        .at("/reasons/0/cause")
                        .asText())
                .isEqualTo("paused");

        assertThat(run("why", "intake:shpo").err()).contains("There is no intake shpo, did you mean shop?");
    }

    @Test
    void a_rejected_row_is_listed_found_shown_explained_and_exported() {
        reject();

        assertThat(ran("dead-letters", "list", "--subscription", "intake:shop")).contains("intake:shop", "[9]");
        assertThat(ran("dead-letters", "groups", "--subscription", "intake:shop"))
                .contains("column type is null");
        assertThat(ran("dead-letters", "show", "intake:shop", "9")).contains("column type is null");
        assertThat(ran("dead-letters", "export", "--subscription", "intake:shop"))
                .contains("intake.rejected");
        assertThat(ran("find", "9")).contains("intake:shop");
        assertThat(ran("why", "9"))
                .startsWith("intake:shop, message 9:")
                .contains("./caravan dead-letters retry intake:shop 9")
                .doesNotContain("sms");
        assertThat(ran("why", "9", "--subscription", "intake:shop")).startsWith("intake:shop, message 9:");
        assertThat(ran("why", "intake/[9]")).contains("intake:shop, message 9:");
    }

    @Test
    void a_rejected_row_is_retried_given_up_discarded_and_brought_back() {
        reject();

        ran("dead-letters", "retry", "intake:shop", "9");
        assertThat(ran("retries", "list", "--subscription", "intake:shop")).contains("[9]");
        ran("retries", "give-up", "intake:shop", "9", "--reason", "over");
        ran("dead-letters", "discard", "intake:shop", "9", "--reason", "over");
        assertThat(ran("why", "9")).contains("A person discarded it");
        ran("dead-letters", "undo-discard", "intake:shop", "9");
        assertThat(ran("audit", "list", "--subscription", "intake:shop")).contains("undo-discard", "give-up");

        ran("dead-letters", "retry", "intake:shop", "9");
        database.execute("delete from outbox_retry where id = 9"); // as its relay does when it has copied the row
        assertThat(ran("why", "9")).contains("it is copied into the outbox as a message");
    }

    @Test
    void a_subscription_command_does_not_take_an_intake() {
        assertThat(run("subscriptions", "pause", "intake:shop").err()).contains("There is no subscription intake:shop");
    }

    @Test
    void the_key_of_a_rejected_row_cannot_be_edited(@TempDir Path folder) throws Exception {
        reject();
        Path edit = Files.writeString(folder.resolve("edit.json"), "{\"headers\":{\"key\":\"[2]\"}}");

        run("dead-letters", "retry", "intake:shop", "9", "--edit", edit.toString())
                .assertFailed("the headers of a rejected row name the row");
        assertThat(database.number("select count(*) from outbox_dead_letter")).isEqualTo(1);
    }
}
