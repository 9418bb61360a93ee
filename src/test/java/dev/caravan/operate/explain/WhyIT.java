package dev.caravan.operate.explain;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.ApplicationTransaction;
import dev.caravan.camel.outbox.TestOutbox;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WhyIT {
    private final TestOutbox outbox = TestOutbox.create();

    @BeforeEach
    void create() throws Exception {
        outbox.insertMany(10, 2); // keys alternate
        outbox.execute(
                "insert into outbox_subscription (name, position, gaps, types, dead_letters_block, owner, lease_until)"
                        + " values ('sms', 6, '{[5,7)}', '{%}', true, 'relay-1', now() + interval '1 hour')");
    }

    @Test
    void delivered_in_flight_and_messages_ahead_with_the_time_that_they_take() throws Exception {
        assertThat(why("3").reasons().get(0).cause()).isEqualTo(Cause.DELIVERED);
        assertThat(why("5").reasons().get(0).text()).contains("read by relay-1");

        Explanation behind = why("10");
        assertThat(causes(behind)).containsExactly(Cause.NOT_REACHED);
        assertThat(behind.reasons().get(0).text()).contains("3 messages ahead of it, at 2.0 a second");
        assertThat(behind.expectedAt().orElseThrow()).isBefore(Instant.now().plusSeconds(2));
        assertThat(ask("10", Optional.empty()).get(0).expectedAt()).isEmpty();
    }

    @Test
    void paused_by_whom_and_no_relay_and_an_unavailable_destination_come_first_and_no_time_is_named() throws Exception {
        outbox.execute("update outbox_subscription set paused = true, owner = null, lease_until = null; insert into"
                + " outbox_audit (who, action, subscription, reason) values ('anna', 'pause', 'sms', 'storm')");
        Explanation paused = why("10");
        assertThat(causes(paused)).containsExactly(Cause.PAUSED, Cause.NOT_REACHED);
        assertThat(paused.reasons().get(0).text()).isEqualTo("The subscription is paused by anna: storm");
        assertThat(paused.reasons().get(0).since()).isPresent();
        assertThat(commands(paused)).containsExactly("./caravan subscriptions resume sms");
        assertThat(paused.expectedAt()).isEmpty();

        outbox.execute("update outbox_subscription set paused = false");
        assertThat(causes(why("10"))).containsExactly(Cause.NO_RELAY, Cause.NOT_REACHED);

        outbox.execute("update outbox_subscription set owner = 'relay-1', lease_until = now() + interval '1 hour',"
                + " destination_unavailable_since = now() - interval '1 hour', destination_error = 'refused',"
                + " next_probe_at = now()");
        Explanation unavailable = why("10");
        assertThat(causes(unavailable)).containsExactly(Cause.DESTINATION_UNAVAILABLE, Cause.NOT_REACHED);
        assertThat(unavailable.reasons().get(0).error()).contains("refused");
        assertThat(unavailable.expectedAt()).isEmpty();

        outbox.execute("update outbox_subscription set halted_at = now(), halted_reason = 'restored'");
        assertThat(causes(why("10"))).startsWith(Cause.HALTED);
        assertThat(why("10").reasons().get(0).error()).contains("restored");
        assertThat(commands(why("10"))).containsExactly("./caravan subscriptions resume sms --after ID");
    }

    @Test
    void a_retry_and_what_waits_behind_it_and_a_dead_letter_with_its_answer() throws Exception {
        store(
                "outbox_retry",
                1,
                "blocked, attempts, next_attempt_at, last_failed_at, error_class, error_text, answer",
                "false, 4, now() + interval '1 hour', now(), 'E', 'status 500', 'try later'");
        store("outbox_retry", 3, "blocked", "true");
        Explanation waiting = why("1");
        assertThat(causes(waiting)).containsExactly(Cause.WAITS_FOR_RETRY);
        assertThat(waiting.reasons().get(0).text()).endsWith("after 4 attempts");
        assertThat(waiting.reasons().get(0).error()).contains("try later");
        assertThat(commands(waiting))
                .containsExactly("./caravan retries retry sms 1", "./caravan retries give-up sms 1 --reason TEXT");
        assertThat(waiting.expectedAt()).isPresent();
        Explanation behind = why("3");
        assertThat(causes(behind)).containsExactly(Cause.BEHIND_MESSAGE);
        assertThat(behind.reasons().get(0).text()).contains("1 message of its key; the first one is 1");
        assertThat(behind.reasons().get(0).next()).contains("./caravan retries show sms 1");
        assertThat(commands(behind)).isEqualTo(commands(waiting)); // of the first message

        outbox.execute("delete from outbox_retry where id = 1");
        store(
                "outbox_dead_letter",
                1,
                "attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, answer",
                "4, now(), now(), 'E', 'status 422', '', 'unknown country'");
        assertThat(why("1").reasons().get(0).text()).isEqualTo("It is a dead letter after 4 attempts");
        assertThat(why("1").reasons().get(0).error()).contains("unknown country");
        assertThat(commands(why("1")))
                .containsExactly(
                        "./caravan dead-letters retry sms 1", "./caravan dead-letters discard sms 1 --reason TEXT");
        assertThat(commands(why("3"))).isEqualTo(commands(why("1")));
        assertThat(causes(why("3"))).containsExactly(Cause.BEHIND_DEAD_LETTER);
        assertThat(why("3").reasons().get(0).next()).contains("./caravan dead-letters show sms 1");

        outbox.execute(
                "delete from outbox_dead_letter; delete from outbox_retry; insert into outbox_audit (who, action,"
                        + " subscription, message) values ('anna', 'discard', 'sms', 1)");
        assertThat(causes(why("1"))).containsExactly(Cause.DISCARDED);
        assertThat(commands(why("1"))).isEmpty();
    }

    @Tag("long")
    @Test
    void the_status_of_an_http_answer_is_shown_with_and_without_a_text() throws Exception {
        String columns = "attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, answer";
        String error = "'org.apache.camel.http.base.HttpOperationFailedException', 'HTTP operation failed invoking"
                + " http://shop/"
                + "a".repeat(300) + " with statusCode: 422'";
        store("outbox_dead_letter", 1, columns, "4, now(), now(), " + error + ", '', 'unknown country'");
        store("outbox_dead_letter", 2, columns, "4, now(), now(), " + error + ", '', null");

        assertThat(why("1").reasons().get(0).error()).contains("422: unknown country");
        assertThat(why("2").reasons().get(0).error().orElseThrow())
                .startsWith("HttpOperationFailedException: 422 from http://shop/aaa");
    }

    @Tag("long")
    @Test
    void a_message_that_is_due_because_the_one_before_it_is_finished_is_not_attributed_to_a_person_alone()
            throws Exception {
        store("outbox_retry", 3, "blocked, attempts, next_attempt_at", "false, 0, now()");

        assertThat(why("3").reasons().get(0).text()).contains("It waited behind another message of its key");
    }

    @Test
    void a_type_that_the_subscription_does_not_read() throws Exception {
        outbox.execute("update outbox_subscription set types = '{invoice.%}'");

        assertThat(why("3").reasons().get(0).text()).contains("invoice.*");
        assertThat(causes(why("3"))).containsExactly(Cause.NOT_SELECTED);
    }

    @Test
    void a_key_is_explained_by_its_first_message_that_is_not_delivered_and_a_uuid_by_its_message() throws Exception {
        String key = outbox.text("select aggregate_type || '/' || aggregate_id from outbox where id = 7");
        assertThat(why(key).id()).isIn(5L, 6L, 7L);
        store("outbox_retry", 3, "blocked, next_attempt_at", "false, now()");
        assertThat(why(outbox.text("select aggregate_type || '/' || aggregate_id from outbox where id = 3"))
                        .id())
                .isEqualTo(3);
        assertThat(why(outbox.text("select message_id from outbox where id = 9"))
                        .id())
                .isEqualTo(9);

        assertThat(ask("order/unknown", Optional.empty())).isEmpty();
    }

    @Test
    void a_missing_id_names_the_transactions_that_may_write_it_and_how_to_end_them() throws Exception {
        assertThat(why("99").reasons().get(0).cause()).isEqualTo(Cause.NOT_ASSIGNED);
        try (var writer = outbox.begin(
                "set application_name = 'shop'",
                "insert into outbox (aggregate_type, aggregate_id, type, payload) values ('a', 'b', 'c', '\"secret\"')")) {
            Explanation missing = why("11");

            assertThat(causes(missing)).containsExactly(Cause.MISSING, Cause.MISSING);
            assertThat(missing.subscription()).isEmpty();
            assertThat(missing.reasons().get(1).text())
                    .contains("application shop", "postgres", "insert into outbox")
                    .doesNotContain("secret");
            assertThat(missing.reasons().get(1).next().orElseThrow()).matches("select pg_terminate_backend\\(\\d+\\);");
            outbox.execute(missing.reasons().get(1).next().orElseThrow());
        }
        outbox.insert(1);
        eventually(() -> assertThat(causes(why("11"))).containsExactly(Cause.GONE));
    }

    @Test
    void an_id_of_an_empty_outbox_is_pruned_or_rolled_back_unless_it_was_never_assigned() throws Exception {
        outbox.execute("delete from outbox; update outbox_subscription set position = 10, gaps = '{}'");
        outbox.execute("insert into outbox (id, aggregate_type, aggregate_id, type) overriding system value"
                + " values (-1, 'order', 'a', 'chosen')");

        assertThat(why("3").reasons().get(0).text())
                .isEqualTo("It was delivered everywhere and pruned, or it was rolled back");
        assertThat(causes(why("11"))).containsExactly(Cause.NOT_ASSIGNED);
        try (ApplicationTransaction writer = outbox.begin()) {
            long id = writer.insert("a");
            assertThat(why(Long.toString(id)).reasons().get(0).text())
                    .contains("may still write it, or it was rolled back, or it was delivered everywhere and pruned");
        }
    }

    @Test
    void a_discarded_message_is_explained_also_after_its_partition_was_pruned() throws Exception {
        outbox.execute("update outbox_subscription set position = 10, gaps = '{}'");
        store(
                "outbox_discarded",
                3,
                "attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, edited, error_group,"
                        + " discard, discarded_at, who, reason",
                "4, now(), now(), 'E', 'status 422', '', false, 1, gen_random_uuid(), now(), 'anna', 'duplicate'");
        outbox.execute("insert into outbox_audit (who, action, subscription, message, detail) select 'anna', 'discard',"
                + " 'sms', id, jsonb_build_object('messageId', message_id) from outbox where id = 3");
        String messageId = outbox.text("select message_id from outbox where id = 3");
        outbox.execute("delete from outbox");

        assertThat(causes(why("3"))).containsExactly(Cause.DISCARDED);
        assertThat(commands(why("3"))).containsExactly("./caravan dead-letters undo-discard sms 3");
        assertThat(why(messageId)).isEqualTo(why("3"));

        outbox.execute("delete from outbox_discarded"); // pruned
        assertThat(why("3").subscription()).contains("sms");
        assertThat(why("3").reasons().get(0).text()).contains("the discard can no longer be undone");
        assertThat(why(messageId)).isEqualTo(why("3"));

        outbox.execute(
                "insert into outbox_audit (who, action, subscription, message) values ('anna', 'undo-discard', 'sms',"
                        + " 3)");
        assertThat(causes(why("3"))).containsExactly(Cause.GONE);
    }

    @Test
    void a_message_that_was_discarded_together_with_others_is_explained() throws Exception {
        outbox.execute("update outbox_subscription set position = 10, gaps = '{}'; delete from outbox;"
                + " insert into outbox_audit (who, action, subscription, messages)"
                + " values ('anna', 'discard', 'sms', '{[1,3),[4,6)}'), ('anna', 'discard', 'mail', '{[3,4)}')");

        assertThat(why("5").reasons().get(0).text()).contains("the discard can no longer be undone");
        assertThat(why("5").subscription()).contains("sms");
        assertThat(causes(why("3"))).containsExactly(Cause.GONE);

        outbox.execute("insert into outbox_audit (who, action, subscription, messages)"
                + " values ('anna', 'undo-discard', 'sms', '{[4,6)}')");
        assertThat(causes(why("5"))).containsExactly(Cause.GONE);
        assertThat(why("1").reasons().get(0).text()).contains("the discard can no longer be undone");
    }

    @Test
    void in_order_strict_messages_of_other_keys_and_missing_ids_stop_a_message_and_otherwise_do_not() throws Exception {
        outbox.execute(
                "update outbox_subscription set position = 10, gaps = '{[4,11)}'; delete from outbox where id = 4");
        store("outbox_retry", 1, "blocked, attempts, next_attempt_at", "false, 2, now() + interval '1 hour'");
        assertThat(causes(why("10"))).containsExactly(Cause.IN_FLIGHT);
        assertThat(why("10").reasons().get(0).text()).doesNotContain("No attempt");
        outbox.execute("update outbox_subscription set saved_at = now() - interval '6 minutes'");
        assertThat(why("10").reasons().get(0).text()).doesNotContain("No attempt"); // the lane was idle before
        outbox.execute("update outbox set created_at = now() - interval '1 hour'");
        assertThat(why("10").reasons().get(0).text())
                .contains("No attempt in its lane has ended for 6m", "a step without a timeout may never end");

        outbox.execute("update outbox_subscription set strict = true");
        Explanation behind = why("10");
        assertThat(causes(behind)).containsExactly(Cause.BEHIND_MESSAGE, Cause.BEHIND_MISSING_ID);
        assertThat(behind.reasons().get(0).text())
                .startsWith("It waits behind 1 message of the subscription (order=strict); the first one is 1");

        outbox.execute("delete from outbox_retry");
        store(
                "outbox_dead_letter",
                1,
                "attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack",
                "4, now(), now(), 'E', 'status 422', ''");
        assertThat(why("10").reasons().get(0).text())
                .isEqualTo("Dead letter 1 stops the subscription (order=strict) until a person retries or discards it");
    }

    @Tag("long")
    @Test
    void in_order_strict_a_missing_id_behind_one_that_is_in_flight_is_found() throws Exception {
        outbox.execute("update outbox_subscription set strict = true, position = 10, gaps = '{[4,11)}';"
                + " delete from outbox where id = 6");

        assertThat(why("10").reasons().get(0).next()).contains("./caravan why 6");
    }

    @Test
    void a_change_of_the_lanes_ends_with_the_command_also_if_the_clock_was_set_back() throws Exception {
        outbox.execute("update outbox_subscription set barrier = 10, barrier_until = now() + interval '5 seconds'");
        assertThat(causes(why("10"))).contains(Cause.CHANGING_LANES);
        outbox.execute("update outbox_subscription set barrier_until = now() + interval '1 hour'");
        assertThat(causes(why("10"))).doesNotContain(Cause.CHANGING_LANES);
    }

    @Tag("long")
    @Test
    void numbers_are_written_in_the_same_way_in_every_language() throws Exception {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertThat(why("10").reasons().get(0).text()).contains("at 2.0 a second");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {-2, 2})
    void the_time_until_the_next_attempt_does_not_depend_on_the_clock_of_this_machine(int hours) throws Exception {
        outbox.shiftClock(hours);
        outbox.execute("update outbox_subscription set lease_until = pg_catalog.now() + interval '9 hours'");
        store(
                "outbox_retry",
                1,
                "blocked, attempts, next_attempt_at, first_failed_at, last_failed_at, error_class, error_text",
                "false, 1, pg_catalog.now() + interval '" + (60 * hours + 30)
                        + " minutes', now(), now(), 'E', 'refused'");

        assertThat(why("1").reasons().get(0).text()).containsPattern("in (29m|30m)");
    }

    private Explanation why(String subject) throws Exception {
        List<Explanation> all = ask(subject, Optional.of(2.0));
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private List<Explanation> ask(String subject, Optional<Double> rate) throws Exception {
        return new Why(outbox.dataSource(), name -> rate)
                .of(Subject.parse(subject).orElseThrow())
                .explanations();
    }

    private static List<Cause> causes(Explanation explanation) {
        return explanation.reasons().stream().map(WaitReason::cause).toList();
    }

    /** What can be done about the first reason. */
    private static List<String> commands(Explanation explanation) {
        return explanation.reasons().get(0).remedies().stream()
                .map(Remedy::command)
                .toList();
    }

    private void store(String table, long id, String columns, String values) {
        outbox.execute("insert into " + table
                + " (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, " + columns
                + ") select 'sms', id, message_id, aggregate_type, aggregate_id, type, created_at, " + values
                + " from outbox where id = " + id);
    }
}
