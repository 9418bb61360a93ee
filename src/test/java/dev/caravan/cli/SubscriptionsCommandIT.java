package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestDestination;
import dev.caravan.camel.outbox.TestRelay;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SubscriptionsCommandIT extends CommandGroupFixture {
    SubscriptionsCommandIT() {
        super("subscriptions");
    }

    @BeforeEach
    void insertRows() throws Exception {
        tables.database.insert(20);
        tables.database.execute("insert into outbox_subscription (name, position, types)"
                + " values ('booking-sms', 20, '{%}'), ('email', 5, null)");
    }

    @Test
    void list_is_the_same_as_status() {
        CommandRun status = CommandRun.of("status", "--config", config, "--output", "json");

        assertThat(run("list").out()).startsWith("SUBSCRIPTION").contains("booking-sms");
        assertThat(run("list", "--output", "json").out().replaceAll("lagSeconds.*", ""))
                .isEqualTo(status.out().replaceAll("lagSeconds.*", ""));
    }

    @Test
    void pause_and_resume_may_be_repeated() throws Exception {
        assertThat(run("pause", "email").out()).startsWith("Paused email");
        CommandRun again = run("pause", "email");
        assertThat(again.exit()).isZero();
        assertThat(again.out()).startsWith("email is already paused.");
        assertThat(tables.count("outbox_subscription where paused")).isEqualTo(1);

        assertThat(json(run("resume", "email", "--output", "json"))
                        .get("changed")
                        .asBoolean())
                .isTrue();
        assertThat(run("resume", "email").out()).startsWith("email is not paused.");
        assertThat(tables.count("outbox_audit")).isEqualTo(2);
    }

    @Test
    void a_halted_one_is_shown_with_what_to_do_and_is_resumed_after_an_id() throws Exception {
        tables.database.execute("update outbox_subscription set halted_at = now(),"
                + " halted_reason = 'position 90 of lane 0 was ahead' where name = 'email'");

        assertThat(CommandRun.of("status", "--config", config).out())
                .contains("halted")
                .contains(
                        "email is halted: position 90 of lane 0 was ahead. Resume it with: caravan subscriptions resume email"
                                + " --after ID");
        CommandRun plain = run("resume", "email");
        assertThat(plain.exit()).isEqualTo(1);
        assertThat(plain.err()).contains("it is halted, because position 90").contains("resume email --after ID");
        CommandRun asked = run("resume", "email", "--after", "12");
        assertThat(asked.exit()).isEqualTo(2);
        assertThat(asked.err())
                .contains("deliver 8 messages with higher ids")
                .contains("skip 12 messages up to it")
                .contains("add --yes");

        assertThat(run("resume", "email", "--after", "19").err()).contains("deliver 1 message with a higher id,");

        CommandRun resumed = run("resume", "email", "--after", "12", "--yes", "--reason", "outbox was truncated");

        assertThat(resumed.out()).startsWith("Resumed email after id 12. It delivers 8 messages with higher ids");
        assertThat(tables.count("outbox_subscription where name = 'email' and position = 12 and halted_at is null"))
                .isEqualTo(1);
        assertThat(tables.database.text(
                        "select action || ' ' || (detail ->> 'after') || ' ' || reason from outbox_audit"))
                .isEqualTo("resume 12 outbox was truncated");
    }

    @Test
    void one_whose_sequence_was_only_altered_is_resumed_where_it_stopped() throws Exception {
        tables.database.insert(20);
        tables.database.execute("update outbox_subscription set position = 20, gaps = '{[7,8)}', halted_at = now(),"
                + " halted_reason = 'the sequence was altered' where name = 'email'");

        assertThat(run("resume", "email", "--where-it-stopped", "--after", "1").exit())
                .isEqualTo(2);
        CommandRun resumed = run("resume", "email", "--where-it-stopped");

        assertThat(resumed.out()).startsWith("Resumed email.");
        assertThat(tables.database.text(
                        "select concat_ws(' ', position, gaps, halted_at is null) from outbox_subscription"
                                + " where name = 'email'"))
                .isEqualTo("20 {[7,8)} t");
        assertThat(run("resume", "email", "--where-it-stopped").err()).contains("Subscription email is not halted");
    }

    @Test
    @Tag("long")
    void an_id_to_resume_after_is_only_for_a_halted_one() {
        CommandRun run = run("resume", "email", "--after", "12", "--yes");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("Subscription email is not halted");
    }

    @Test
    void a_subscription_that_does_not_exist_is_a_failure_with_the_nearest_name() {
        CommandRun run = run("pause", "booking-smd");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("There is no subscription booking-smd, did you mean booking-sms?");
    }

    @Test
    void an_empty_subscription_is_deleted_without_a_question() throws Exception {
        CommandRun run = run("delete", "email", "--reason", "moved");

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).startsWith("Deleted subscription email.");
        assertThat(tables.count("outbox_subscription")).isEqualTo(1);
        assertThat(tables.database.text("select action || ' ' || reason from outbox_audit"))
                .isEqualTo("delete moved");
    }

    @Test
    void one_with_dead_letters_needs_a_confirmation() throws Exception {
        tables.dead("email", 3);

        CommandRun refused = run("delete", "email");
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("lose 0 waiting messages and 1 dead letter", "--yes");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);

        assertThat(run("delete", "email", "--yes").out()).contains("with 0 waiting messages");
        assertThat(tables.count("outbox_dead_letter")).isZero();
    }

    @Test
    void one_that_a_relay_works_on_is_not_deleted() throws Exception {
        tables.dead("email", 3);
        tables.database.execute("update outbox_subscription set owner = 'relay-9', lease_until = clock_timestamp()"
                + " + interval '1 minute' where name = 'email'");

        CommandRun run = run("delete", "email", "--yes");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("a route uses it (relay relay-9 holds its lease)");
        assertThat(tables.count("outbox_subscription")).isEqualTo(2);
    }

    @Test
    void lanes_are_changed_and_may_be_repeated() throws Exception {
        CommandRun changed = run("lanes", "email", "3", "--reason", "more relays");
        assertThat(changed.exit()).as(changed.err()).isZero();
        assertThat(changed.out()).startsWith("email now has 3 lanes instead of 1. Set lanes: 3 in its route");
        assertThat(tables.count("outbox_subscription where name = 'email' and lanes = 3"))
                .isEqualTo(3);
        assertThat(run("lanes", "email", "3").out()).startsWith("email already has 3 lanes.");
        assertThat(run("list").out()).containsPattern("email +3 +5");
        assertThat(json(run("list", "--output", "json")).get(1).get("lanes")).hasSize(3);
        assertThat(tables.database.text("select action || ' ' || reason from outbox_audit"))
                .isEqualTo("lanes more relays");
        assertThat(run("pause", "email").out()).startsWith("Paused email");
        assertThat(tables.count("outbox_subscription where paused")).isEqualTo(3);
        assertThat(run("delete", "email").exit()).isZero();
        assertThat(tables.count("outbox_subscription")).isEqualTo(1);
    }

    @Test
    @Tag("long")
    void lanes_that_cannot_be_changed_in_time_stay_and_the_reason_is_reported() throws Exception {
        tables.database.execute("update outbox_subscription set owner = 'relay-9', lease_until = clock_timestamp()"
                + " + interval '1 minute' where name = 'email'");

        CommandRun run = run("lanes", "email", "3", "--timeout", "1");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err())
                .contains(
                        "Waiting for its relays to finish the messages in flight (relay-9)",
                        "Nothing was changed. Relays continue with 1 lane.");
        assertThat(tables.count("outbox_subscription where barrier is not null or lanes > 1"))
                .isZero();
        assertThat(run("lanes", "email", "65").exit()).isEqualTo(2);
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
        try (TestRelay relay = TestRelay.start(tables.database, "audit?lanes=3", destination)) {
            assertThat(run("resume", "audit").exit()).isZero();
            eventually(() -> assertThat(destination.ids())
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.rangeClosed(6, 20).boxed().toList()));
        }
    }

    @Test
    @Tag("long")
    void a_subscription_that_is_created_at_the_latest_message_gets_those_of_open_transactions() throws Exception {
        try (var transaction = tables.database.begin()) {
            long open = transaction.insert("a");
            tables.database.insert("b");

            assertThat(run("create", "late", "--start", "latest").out()).contains("starts after id 22");

            assertThat(tables.database.text("select gaps from outbox_subscription where name = 'late'"))
                    .isEqualTo("{[" + open + "," + (open + 1) + ")}");
        }
    }

    @Test
    void what_exists_or_cannot_be_is_not_created() throws Exception {
        assertThat(run("create", "email", "--paused"))
                .returns(1, CommandRun::exit)
                .extracting(CommandRun::err)
                .asString()
                .contains("Could not create subscription email: it already exists", "Nothing was changed");
        assertThat(run("create", "Big Name").err()).contains("lower-case letters");
        assertThat(run("create", "late", "--start", "yesterday"))
                .returns(2, CommandRun::exit)
                .extracting(CommandRun::err)
                .asString()
                .contains("earliest, latest, an id from 1, or a time");
        assertThat(run("create", "late", "--lanes", "65").exit()).isEqualTo(2);
        assertThat(tables.count("outbox_subscription")).isEqualTo(2);
        assertThat(tables.count("outbox_subscription where paused")).isZero();
        assertThat(tables.count("outbox_audit")).isZero();
    }
}
