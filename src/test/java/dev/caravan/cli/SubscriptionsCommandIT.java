package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestDestination;
import dev.caravan.camel.outbox.TestRelay;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SubscriptionsCommandIT extends CommandFixture {
    SubscriptionsCommandIT() {
        super("subscriptions");
    }

    @BeforeEach
    void insertRows() throws Exception {
        database.insert(20);
        database.execute("insert into outbox_subscription (name, position, types)"
                + " values ('booking-sms', 20, '{%}'), ('email', 5, null)");
    }

    @Test
    void list_is_the_same_as_status() {
        CommandRun status = command("status", "--output", "json");

        assertThat(run("list").out()).startsWith("SUBSCRIPTION").contains("booking-sms");
        assertThat(run("list", "--output", "json").out().replaceAll("lagSeconds.*", ""))
                .isEqualTo(status.out().replaceAll("lagSeconds.*", ""));
    }

    @Test
    void pause_and_resume_may_be_repeated() throws Exception {
        assertThat(run("pause", "email").out()).startsWith("Paused email");
        assertThat(run("pause", "email").assertDone().out()).startsWith("email is already paused.");
        assertThat(tables.count("outbox_subscription where paused")).isEqualTo(1);

        assertThat(run("resume", "email", "--output", "json")
                        .json()
                        .get("changed")
                        .asBoolean())
                .isTrue();
        assertThat(run("resume", "email").out()).startsWith("email is not paused.");
        assertThat(tables.count("outbox_audit")).isEqualTo(2);
    }

    @Test
    void a_halted_one_is_shown_with_what_to_do_and_is_resumed_after_an_id() throws Exception {
        database.execute("update outbox_subscription set halted_at = now(),"
                + " halted_reason = 'position 90 of lane 0 was ahead' where name = 'email'");

        assertThat(command("status").out())
                .contains("halted")
                .contains(
                        "email is halted: position 90 of lane 0 was ahead. Resume it with: caravan subscriptions resume email"
                                + " --after ID");
        run("resume", "email").assertFailed("it is halted, because position 90", "resume email --after ID");
        run("resume", "email", "--after", "12")
                .assertWrongUse("deliver 8 messages with higher ids", "skip 12 messages up to it", "add --yes");

        assertThat(run("resume", "email", "--after", "19").err()).contains("deliver 1 message with a higher id,");

        CommandRun resumed = run("resume", "email", "--after", "12", "--yes", "--reason", "outbox was truncated");

        assertThat(resumed.out()).startsWith("Resumed email after id 12. It delivers 8 messages with higher ids");
        assertThat(tables.count("outbox_subscription where name = 'email' and position = 12 and halted_at is null"))
                .isEqualTo(1);
        assertThat(database.text("select action || ' ' || (detail ->> 'after') || ' ' || reason from outbox_audit"))
                .isEqualTo("resume 12 outbox was truncated");
    }

    @Test
    void one_whose_sequence_was_only_altered_is_resumed_where_it_stopped() throws Exception {
        database.insert(20);
        database.execute("update outbox_subscription set position = 20, gaps = '{[7,8)}', halted_at = now(),"
                + " halted_reason = 'the sequence was altered' where name = 'email'");

        run("resume", "email", "--where-it-stopped", "--after", "1").assertWrongUse();
        CommandRun resumed = run("resume", "email", "--where-it-stopped");

        assertThat(resumed.out()).startsWith("Resumed email.");
        assertThat(database.text("select concat_ws(' ', position, gaps, halted_at is null) from outbox_subscription"
                        + " where name = 'email'"))
                .isEqualTo("20 {[7,8)} t");
        assertThat(run("resume", "email", "--where-it-stopped").err()).contains("Subscription email is not halted");
    }

    @Test
    @Tag("long")
    void an_id_to_resume_after_is_only_for_a_halted_one() {
        run("resume", "email", "--after", "12", "--yes").assertFailed("Subscription email is not halted");
    }

    @Test
    void a_subscription_that_does_not_exist_is_a_failure_with_the_nearest_name() {
        run("pause", "booking-smd").assertFailed("There is no subscription booking-smd, did you mean booking-sms?");
    }

    @Test
    void an_empty_subscription_is_deleted_without_a_question() throws Exception {
        assertThat(run("delete", "email", "--reason", "moved").assertDone().out())
                .startsWith("Deleted subscription email.");
        assertThat(tables.count("outbox_subscription")).isEqualTo(1);
        assertThat(database.text("select action || ' ' || reason from outbox_audit"))
                .isEqualTo("delete moved");
    }

    @Test
    void one_with_dead_letters_needs_a_confirmation() throws Exception {
        tables.dead("email", 3);

        run("delete", "email").assertWrongUse("lose 0 waiting messages and 1 dead letter", "--yes");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);

        assertThat(run("delete", "email", "--yes").out()).contains("with 0 waiting messages");
        assertThat(tables.count("outbox_dead_letter")).isZero();
    }

    @Test
    void one_that_a_relay_works_on_is_not_deleted() throws Exception {
        tables.dead("email", 3);
        database.execute("update outbox_subscription set owner = 'relay-9', lease_until = clock_timestamp()"
                + " + interval '1 minute' where name = 'email'");

        run("delete", "email", "--yes").assertFailed("a route uses it (relay relay-9 holds its lease)");
        assertThat(tables.count("outbox_subscription")).isEqualTo(2);
    }

    @Test
    void lanes_are_changed_and_may_be_repeated() throws Exception {
        assertThat(run("lanes", "email", "3", "--reason", "more relays")
                        .assertDone()
                        .out())
                .startsWith("email now has 3 lanes instead of 1. Set lanes: 3 in its route");
        assertThat(tables.count("outbox_subscription where name = 'email' and lanes = 3"))
                .isEqualTo(3);
        assertThat(run("lanes", "email", "3").out()).startsWith("email already has 3 lanes.");
        assertThat(run("list").out()).containsPattern("email +3 +5");
        assertThat(run("list", "--output", "json").json().get(1).get("lanes")).hasSize(3);
        assertThat(database.text("select action || ' ' || reason from outbox_audit"))
                .isEqualTo("lanes more relays");
        assertThat(run("pause", "email").out()).startsWith("Paused email");
        assertThat(tables.count("outbox_subscription where paused")).isEqualTo(3);
        run("delete", "email").assertDone();
        assertThat(tables.count("outbox_subscription")).isEqualTo(1);
    }

    @Test
    @Tag("long")
    void lanes_that_cannot_be_changed_in_time_stay_and_the_reason_is_reported() throws Exception {
        database.execute("update outbox_subscription set owner = 'relay-9', lease_until = clock_timestamp()"
                + " + interval '1 minute' where name = 'email'");

        CommandRun run = run("lanes", "email", "3", "--timeout", "1");

        run.assertFailed(
                "Waiting for its relays to finish the messages in flight (relay-9)",
                "Nothing was changed. Relays continue with 1 lane.");
        assertThat(tables.count("outbox_subscription where barrier is not null or lanes > 1"))
                .isZero();
        run("lanes", "email", "65").assertWrongUse();
        assertThat(run("lanes", "none", "2").err()).contains("There is no subscription none. Nothing was changed.");
    }

    @Test
    void a_subscription_that_is_created_paused_delivers_nothing_before_it_is_resumed() throws Exception {
        CommandRun created =
                run("create", "audit", "--paused", "--start", "6", "--lanes", "3", "--reason", "take-over");

        assertThat(created.out())
                .startsWith(
                        "Created audit, paused. It starts after id 5. Resume it with: caravan subscriptions resume audit");
        assertThat(tables.count("outbox_subscription where name = 'audit' and paused and position = 5 and lanes = 3"))
                .isEqualTo(3);
        assertThat(tables.count(
                        "outbox_audit where action = 'create' and subscription = 'audit' and reason = 'take-over'"))
                .isEqualTo(1);
        TestDestination destination = new TestDestination();
        try (TestRelay relay = TestRelay.start(database, "audit?lanes=3", destination)) {
            run("resume", "audit").assertDone();
            eventually(() -> assertThat(destination.ids())
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.rangeClosed(6, 20).boxed().toList()));
        }
    }

    @Test
    @Tag("long")
    void a_subscription_that_is_created_at_the_latest_message_gets_those_of_open_transactions() throws Exception {
        try (var transaction = database.begin()) {
            long open = transaction.insert("a");
            database.insert("b");

            assertThat(run("create", "late", "--start", "latest").out()).contains("starts after id 22");

            assertThat(database.text("select gaps from outbox_subscription where name = 'late'"))
                    .isEqualTo("{[" + open + "," + (open + 1) + ")}");
        }
    }

    @Test
    void what_exists_or_cannot_be_is_not_created() throws Exception {
        run("create", "email", "--paused")
                .assertFailed("Could not create subscription email: it already exists", "Nothing was changed");
        assertThat(run("create", "Big Name").err()).contains("lower-case letters");
        run("create", "late", "--start", "yesterday").assertWrongUse("earliest, latest, an id from 1, or a time");
        run("create", "late", "--lanes", "65").assertWrongUse();
        assertThat(tables.count("outbox_subscription")).isEqualTo(2);
        assertThat(tables.count("outbox_subscription where paused")).isZero();
        assertThat(tables.count("outbox_audit")).isZero();
    }
}
