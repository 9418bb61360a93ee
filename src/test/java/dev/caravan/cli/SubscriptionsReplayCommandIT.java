package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SubscriptionsReplayCommandIT extends CommandFixture {
    SubscriptionsReplayCommandIT() {
        super("subscriptions");
    }

    @BeforeEach
    void insertRows() throws Exception {
        database.insert(20);
        database.execute("insert into outbox_subscription (name, position, types, delivered)"
                + " values ('booking-sms', 20, '{%}', 20), ('email', 5, null, 5)");
    }

    @Test
    void a_replay_counts_first_and_needs_a_confirmation() throws Exception {
        run("replay", "booking-sms").assertWrongUse();
        run("replay", "booking-sms", "--all", "--from-id", "3").assertWrongUse();
        run("replay", "booking-sms", "--from-id", "11")
                .assertWrongUse("Deliver 10 messages to booking-sms again?", "--yes");
        assertThat(run("replay", "booking-sms", "--all", "--dry-run").out()).startsWith("Would replay 20 messages");
        assertThat(tables.count("outbox_retry")).isZero();
        assertThat(tables.count("outbox_audit")).isZero();

        CommandRun done = run("replay", "booking-sms", "--from-id", "11", "--yes", "--output", "json");
        done.assertDone();
        assertThat(done.json().get("replayed").asInt()).isEqualTo(10);
        assertThat(tables.count("outbox_retry where subscription = 'booking-sms' and id >= 11"))
                .isEqualTo(10);
    }

    @Test
    void a_replay_says_how_many_messages_were_never_delivered_or_are_sent_without_their_edits() throws Exception {
        database.execute("update outbox_subscription set delivered = 17 where name = 'booking-sms'");
        tables.dead("booking-sms", 7);
        editAndRetry(7);
        database.execute("delete from outbox_retry");

        String notes =
                "booking-sms delivers at least 3 messages for the first time, such as messages from before its start."
                        + " Of 1 edited message the original content is sent, without the changes. ";
        assertThat(run("replay", "booking-sms", "--all", "--dry-run").out())
                .startsWith("Would replay 20 messages to booking-sms. " + notes + "Nothing was changed.");
        assertThat(run("replay", "booking-sms", "--all").err())
                .contains(notes + "Deliver 20 messages to booking-sms again?");
        assertThat(run("replay", "booking-sms", "--to-id", "6", "--dry-run").out())
                .startsWith("Would replay 6 messages to booking-sms. Nothing was changed.");
    }

    private void editAndRetry(long id) throws Exception {
        Path payload = Files.writeString(folder.resolve("payload.json"), "{\"edited\": true}");
        CommandRun retried = command(
                "dead-letters", "retry", "booking-sms", Long.toString(id), "--payload-file", payload.toString());
        assertThat(retried.exit()).as(retried.err()).isZero();
    }

    @Test
    @Tag("long")
    void a_replay_says_who_delivers_the_messages_or_what_to_do_first() {
        assertThat(run("replay", "booking-sms", "--to-id", "1", "--yes").out())
                .contains("No relay works the subscription: they are delivered when one is started");
        database.execute("update outbox_subscription set owner = 'r', lease_until = now() + interval '1 minute'");
        assertThat(run("replay", "booking-sms", "--from-id", "2", "--to-id", "2", "--yes")
                        .out())
                .contains("A relay delivers them now.");
        database.execute("update outbox_subscription set paused = true");
        assertThat(run("replay", "booking-sms", "--from-id", "3", "--to-id", "3", "--yes")
                        .out())
                .contains(
                        "The subscription is paused: they are delivered after ./caravan subscriptions resume booking-sms");
        database.execute("update outbox_subscription set halted_at = now(), halted_reason = 'restored'");
        assertThat(run("replay", "booking-sms", "--from-id", "4", "--to-id", "4", "--yes")
                        .out())
                .contains("A relay has halted the subscription: they are delivered after");
    }

    @Test
    @Tag("long")
    void a_replay_of_nothing_is_no_failure() {
        assertThat(run("replay", "booking-sms", "--type", "none.*", "--yes")
                        .assertDone()
                        .out())
                .startsWith("No message for booking-sms matches");
    }

    @Test
    void a_replay_whose_types_nobody_knows_asks_for_them() {
        CommandRun run = run("replay", "email", "--all", "--yes");

        run.assertFailed("--type");
        assertThat(run("replay", "email", "--type", "*", "--yes").out()).startsWith("Replaying 5 messages to email");
    }
}
