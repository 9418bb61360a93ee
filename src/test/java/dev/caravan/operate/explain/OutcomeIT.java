package dev.caravan.operate.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What became of a message after a person changed it, as far as the tables tell. */
class OutcomeIT {
    private static final String DEAD =
            "attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack, answer";

    private final TestOutbox outbox = TestOutbox.create();

    @BeforeEach
    void create() throws Exception {
        outbox.insertMany(4, 1);
        outbox.execute("insert into outbox_subscription (name, position, types, dead_letters_block, owner, lease_until)"
                + " values ('sms', 4, '{%}', false, 'relay-1', now() + interval '1 hour')");
    }

    @Test
    void a_retried_message_that_is_in_no_table_is_delivered_also_when_it_is_pruned_or_its_type_is_no_longer_selected()
            throws Exception {
        assertThat(outcome(2).text()).isEqualTo("It is delivered, or the subscription started after it");
        changed("retry", "3 seconds");
        assertThat(outcome(2).text()).matches("Delivered within [3-9]s of the retry by anna");
        assertThat(outcome(2).settled()).isTrue();
        assertThat(outcome(2).history()).hasSize(1);

        outbox.execute("update outbox_subscription set types = '{invoice.%}'");
        assertThat(outcome(2).state()).isEqualTo(Cause.DELIVERED);
        outbox.execute("delete from outbox where id = 2; update outbox_audit set at = at - interval '2 hours'");
        assertThat(outcome(2).state()).isEqualTo(Cause.DELIVERED);
        assertThat(outcome(2).text()).isEqualTo("Delivered after the retry by anna 2h ago");

        changed("discard", "1 hour");
        assertThat(outcome(2).state()).isEqualTo(Cause.DISCARDED);
    }

    @Test
    void a_discarded_message_names_who_discarded_it_also_when_its_type_is_no_longer_selected() throws Exception {
        outbox.execute("update outbox_subscription set types = '{invoice.%}'");
        assertThat(outcome(2).state()).isEqualTo(Cause.NOT_SELECTED);
        changed("discard", "1 hour");

        assertThat(outcome(2).text()).isEqualTo("Discarded by anna 1h ago");
        assertThat(outcome(2).state()).isEqualTo(Cause.DISCARDED);
    }

    @Test
    void the_last_of_many_changes_counts() throws Exception {
        outbox.execute("insert into outbox_audit (who, action, subscription, message)"
                + " select 'anna', 'retry', 'sms', 2 from generate_series(1, 101)");
        outbox.execute(
                "insert into outbox_audit (who, action, subscription, message) values ('ben', 'discard', 'sms', 2)");

        assertThat(outcome(2).text()).startsWith("Discarded by ben");
    }

    @Test
    void a_message_of_a_bulk_retry_is_followed_too() throws Exception {
        outbox.execute("insert into outbox_audit (who, action, subscription, messages) values ('ben', 'retry', 'sms',"
                + " '{[1,4)}')");

        assertThat(outcome(3).text()).matches("Delivered within .* of the retry by ben");
    }

    @Test
    void a_message_that_is_dead_again_says_when_and_with_which_answer() throws Exception {
        changed("retry", "10 seconds");
        store(
                "outbox_dead_letter",
                2,
                DEAD,
                "2, now(), now() - interval '9 seconds', 'E', 'status 422', '', 'unknown country'");

        assertThat(outcome(2).state()).isEqualTo(Cause.DEAD);
        assertThat(outcome(2).text())
                .matches("Dead again (1s|\\d+ms) after the retry by anna, after 2 attempts: unknown country");

        outbox.execute("update outbox_dead_letter set last_failed_at = now() - interval '1 minute'");
        assertThat(outcome(2).text()).as("the same dead letter").doesNotContain("again");
        changed("give-up", "2 seconds");
        assertThat(outcome(2).text()).matches("Given up by anna \\ds ago. It is a dead letter after 2 attempts: .*");
        changed("undo-discard", "1 second");
        assertThat(outcome(2).text()).startsWith("The discard was undone by anna");
    }

    @Test
    void a_message_that_is_tried_fails_again_or_waits_behind_others_says_so() throws Exception {
        changed("retry", "10 seconds");
        store("outbox_retry", 2, "blocked, attempts, next_attempt_at", "false, 0, now()");
        assertThat(outcome(2).text()).matches("Being tried now, or next: retried by anna \\d+s ago");
        assertThat(outcome(2).settled()).isFalse();

        outbox.execute(
                "update outbox_retry set attempts = 1, last_failed_at = now() - interval '8 seconds', error_class ="
                        + " 'E', error_text = 'status 500', answer = 'try later', next_attempt_at = now() + interval '1"
                        + " hour'");
        assertThat(outcome(2).text())
                .matches("Failed again (2s|1s) after the retry by anna \\(attempt 1\\): try later; next attempt in 59m"
                        + " \\d+s");

        outbox.execute("update outbox_retry set blocked = true, next_attempt_at = null");
        store("outbox_retry", 1, "blocked, attempts, next_attempt_at", "false, 0, now() + interval '1 minute'");
        assertThat(outcome(2).state()).isEqualTo(Cause.BEHIND_MESSAGE);
        assertThat(outcome(2).text()).startsWith("It waits behind 1 message of its key; the first one is 1");
    }

    @Test
    void what_stops_the_lane_comes_first() throws Exception {
        changed("retry", "10 seconds");
        store("outbox_retry", 2, "blocked, attempts, next_attempt_at", "false, 0, now()");
        outbox.execute(
                "update outbox_subscription set destination_unavailable_since = now(), destination_error = 'refused',"
                        + " next_probe_at = now() + interval '30 seconds'");
        assertThat(outcome(2).text()).matches("Waits for the destination, probe in 2\\ds: refused");

        outbox.execute(
                "update outbox_subscription set paused = true; insert into outbox_audit (who, action, subscription,"
                        + " reason) values ('ben', 'pause', 'sms', 'storm')");
        assertThat(outcome(2).text()).isEqualTo("The subscription is paused by ben: storm");
        outbox.execute("update outbox_subscription set paused = false, owner = null, lease_until = null");
        assertThat(outcome(2).text()).startsWith("No relay holds its lane");
    }

    @Test
    void a_message_of_a_subscription_that_was_deleted_meanwhile_is_not_delivered() throws Exception {
        changed("retry", "3 seconds");
        outbox.execute("insert into outbox_audit (who, action, subscription) values ('ben', 'delete', 'sms')");

        assertThat(outcome(2).text()).as("created again").startsWith("Not known: the subscription was deleted");
        outbox.execute("delete from outbox_subscription");
        assertThat(outcome(2).isDelivered()).isFalse();
        outbox.execute("delete from outbox where id = 2");
        assertThat(outcome(2).isDelivered()).isFalse();
        assertThat(outcome(2).settled()).isTrue();
    }

    private Outcome outcome(long id) throws Exception {
        return new Why(outbox.dataSource(), name -> Optional.empty()).outcome("sms", id);
    }

    private void changed(String action, String ago) throws Exception {
        outbox.execute("insert into outbox_audit (at, who, action, subscription, message) values (clock_timestamp() -"
                + " interval '"
                + ago + "', 'anna', '" + action + "', 'sms', 2)");
    }

    /** Copies a message of the outbox into another table. */
    private void store(String table, long id, String columns, String values) throws Exception {
        outbox.execute("insert into " + table
                + " (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, " + columns + ")"
                + " select 'sms', id, message_id, aggregate_type, aggregate_id, type, created_at, " + values
                + " from outbox where id = " + id);
    }
}
