package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.camel.outbox.TestOutbox.AUDITED;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetriesCommandIT extends CommandFixture {
    RetriesCommandIT() {
        super("retries");
    }

    /** Of sms: 5 waits for an attempt, 6 and 7 behind it, 8 behind the dead letter 4, 9 of another key is tried first. */
    @BeforeEach
    void insertRows() throws Exception {
        tables.dead("sms", 4, "aggregate_id", "'held'");
        waiting(5, "a", "now() + interval '2 hours'");
        waiting(6, "a", "null");
        waiting(7, "a", "null");
        waiting(8, "held", "null");
        waiting(9, "b", "now() + interval '1 hour'");
    }

    @Test
    void the_list_shows_what_is_tried_next_and_why_it_waits() throws Exception {
        CommandRun run = run("list");

        run.assertDone();
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .satisfiesExactly(
                        title -> assertThat(title)
                                .isEqualTo("SUBSCRIPTION ID KEY TYPE ATTEMPTS WAITS FOR FIRST FAILED ERROR"),
                        first -> assertThat(first)
                                .startsWith("sms 9 order/b order.paid 2 attempt in 59m")
                                .endsWith("IOException: broken pipe 9"),
                        second -> assertThat(second).startsWith("sms 5 order/a order.paid 2 attempt in 1h"));
    }

    @Test
    void a_message_that_is_due_while_its_destination_is_unavailable_waits_for_the_probe() throws Exception {
        database.execute("insert into outbox_subscription (name, position, owner, lease_until,"
                + " destination_unavailable_since, destination_error, next_probe_at) values ('sms', 20, 'r1', now() +"
                + " interval '1 hour', now(), 'refused', now() + interval '50 seconds'); update outbox_retry set"
                + " next_attempt_at = now() - interval '1 minute' where id = 5");

        assertThat(run("list").out())
                .containsPattern("sms +5 .* the destination, probe in 4\\ds ")
                .containsPattern("sms +9 .* attempt in 59m");
        assertThat(run("show", "sms", "5").out()).containsPattern("waits for +the destination, probe in 4\\ds");
        assertThat(run("list", "--output", "json")
                        .json()
                        .at("/0/obstacle/state")
                        .asText())
                .isEqualTo("destination unavailable");

        database.execute("update outbox_subscription set paused = true");
        assertThat(run("list").out()).containsPattern("sms +5 .* resume \\(paused\\) ");
    }

    @Test
    void find_and_why_show_where_the_messages_of_a_key_are_and_what_they_wait_for() throws Exception {
        database.execute("insert into outbox_subscription (name, position) values ('sms', 20)");

        CommandRun found = command("find", "order/a");
        CommandRun first = command("why", "order/a");
        CommandRun blocked = command("why", "7", "--subscription", "sms");
        CommandRun unknown = command("why", "5", "--subscription", "smss");

        assertThat(found.out().lines().map(line -> line.replaceAll(" +", " ")))
                .satisfiesExactly(
                        title -> assertThat(title).startsWith("STATE SUBSCRIPTION ID KEY TYPE WHEN ERROR"),
                        five -> assertThat(five)
                                .startsWith("waiting sms 5 order/a order.paid 30m ")
                                .endsWith("IOException: broken pipe 5"),
                        seven -> assertThat(seven).startsWith("blocked sms 7 order/a order.paid"),
                        six -> assertThat(six).startsWith("blocked sms 6 order/a order.paid"));
        assertThat(first.out())
                .startsWith("sms, message 5:")
                .contains("It waits for another attempt, in 1h", "./caravan retries retry sms 5");
        assertThat(blocked.out()).contains("It waits behind 2 messages of its key; the first one is 5");
        unknown.assertFailed("There is no subscription smss");
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"list", "show sms 5", "retry sms 5", "give-up --all --yes --reason why"})
    void a_command_begins_one_session_and_ends_it(String command) throws Exception {
        String begun = "select sessions from pg_stat_database where datname = current_database()";
        long before = database.number(begun);

        run(command.split(" ")).assertDone();

        eventually(() -> assertThat(
                        database.number("select count(*) from pg_stat_activity where application_name = 'caravan'"
                                + " and datname = current_database()"))
                .isZero());
        assertThat(database.number(begun) - before).isEqualTo(1);
    }

    @Test
    void the_list_of_blocked_ones_names_what_they_wait_for() throws Exception {
        assertThat(run("list", "--blocked").out().lines().skip(1).map(line -> line.replaceAll(" +", " ")))
                .satisfiesExactly(
                        six -> assertThat(six).startsWith("sms 6 order/a order.paid 0 5 "),
                        seven -> assertThat(seven).startsWith("sms 7 order/a order.paid 0 5 "),
                        eight -> assertThat(eight)
                                .startsWith("sms 8 order/held order.paid 0 dead letter 4, or its turn"));
    }

    @Test
    @Tag("long")
    void filters_restrict_and_an_empty_list_says_so() throws Exception {
        assertThat(ids("--error", "PIPE 9")).containsExactly(9L);
        assertThat(ids("--key", "order/a")).containsExactly(5L);
        assertThat(ids("--key", "order/a", "--blocked")).containsExactly(6L, 7L);
        assertThat(ids("--failing-since", "3h")).isEmpty();
        assertThat(ids("--failing-since", "30m")).containsExactly(9L, 5L);
        assertThat(ids("--type", "other.*")).isEmpty();
        assertThat(ids("--limit", "1")).containsExactly(9L);
        assertThat(run("list", "--type", "other.*").out())
                .contains("No message that matches waits for another attempt.");
        run("list", "--subscription", "email").assertFailed("There is no subscription email.");
    }

    @Test
    void show_prints_everything_but_the_payload() throws Exception {
        String shown = run("show", "sms", "5").out();

        assertThat(shown)
                .contains("Waiting message sms 5", "java.io.IOException: broken pipe 5")
                .doesNotContain("secret");
        assertThat(run("show", "sms", "5", "--payload").out()).contains("secret");
        JsonNode blocked = run("show", "sms", "6", "--output", "json").json().get(0);
        assertThat(blocked.get("waitsForId").asLong()).isEqualTo(5);
        assertThat(blocked.get("blocked").asBoolean()).isTrue();
        assertThat(run("show", "sms", "4").err()).contains("sms 4 is not waiting, it is a dead letter");
        run("show", "b6ba4d1e-0b39-4a53-9d5e-d2f8b7bd1d1d").assertWrongUse();
    }

    @Test
    void a_message_is_tried_now_and_its_attempts_continue_to_count() throws Exception {
        CommandRun run = run("retry", "sms", "5", "--who", "anna", "--reason", "gateway is back");

        assertThat(run.out()).startsWith("Retried 1 waiting message.");
        assertThat(database.text("select (next_attempt_at <= clock_timestamp()) || ' ' || attempts from outbox_retry"
                        + " where id = 5"))
                .isEqualTo("true 2");
        assertThat(database.text("select concat_ws(' ', who, action, message, reason, detail ->> 'waiting')"
                        + " from outbox_audit"))
                .isEqualTo("anna retry 5 gateway is back true");
    }

    @Test
    @Tag("long")
    void what_is_due_already_keeps_its_place() throws Exception {
        database.execute("update outbox_retry set next_attempt_at = '2026-01-01Z' where id = 5");

        run("retry", "sms", "5").assertDone();

        assertThat(tables.count("outbox_retry where next_attempt_at = '2026-01-01Z'"))
                .isEqualTo(1);
    }

    @Test
    void a_blocked_message_is_refused_with_the_one_it_waits_for() throws Exception {
        CommandRun retried = run("retry", "sms", "6", "9");
        retried.assertFailed(
                "sms 6 is blocked: it waits for message 5 of its key order/a. Retry or give up that message.");
        assertThat(retried.out()).startsWith("Retried 1 waiting message.");

        run("give-up", "sms", "8", "--reason", "why").assertFailed("sms 8 is blocked", "dead letter 4");
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
    }

    @Test
    void what_is_given_up_is_a_dead_letter_with_its_failures_and_needs_a_reason() throws Exception {
        run("give-up", "sms", "5").assertWrongUse();

        CommandRun run = run("give-up", "sms", "5", "--who", "anna", "--reason", "no such phone", "--output", "json");

        assertThat(run.json().get("givenUp").asLong()).isEqualTo(1);
        assertThat(database.text("select concat_ws(' ', attempts, first_failed_at < now() - interval '50 minutes',"
                        + " last_failed_at < now() - interval '20 minutes', error_class, error_text, payload,"
                        + " message_id = md5('5')::uuid) from outbox_dead_letter where id = 5"))
                .isEqualTo("2 t t java.io.IOException broken pipe 5 {\"x\":\"secret\"} t");
        assertThat(tables.count("outbox_retry where id = 5")).isZero();
        assertThat(command("dead-letters", "show", "sms", "5").out()).contains("give-up by anna: no such phone");
    }

    @Test
    void many_are_counted_first_and_changed_with_yes() throws Exception {
        CommandRun counted = run("give-up", "--all", "--error", "broken", "--dry-run", "--reason", "why");
        assertThat(counted.out()).startsWith("Would give up 2 waiting messages (sms: 2). Nothing was changed.");
        run("give-up", "--all", "--reason", "why").assertWrongUse("Give up 2 waiting messages (sms: 2)?", "--yes");
        assertThat(tables.count("outbox_retry")).isEqualTo(5);

        CommandRun done = run("give-up", "--all", "--yes", "--reason", "why");

        assertThat(done.out()).startsWith("Gave up 2 waiting messages.");
        assertThat(tables.count("outbox_retry where blocked")).isEqualTo(3);
        assertThat(tables.count(AUDITED + " where action = 'give-up' and reason = 'why'"))
                .isEqualTo(2);
    }

    private void waiting(long id, String key, String nextAttempt) throws Exception {
        boolean blocked = nextAttempt.equals("null");
        database.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, payload,"
                        + " created_at, blocked, next_attempt_at) values ('sms', " + id + ", md5('" + id
                        + "')::uuid, 'order', '" + key + "', 'order.paid', '{\"x\":\"secret\"}', now(), " + blocked
                        + ", "
                        + nextAttempt + ")");
        if (!blocked) {
            database.execute("update outbox_retry set attempts = 2, error_class = 'java.io.IOException', error_text ="
                    + " 'broken pipe ' || id, first_failed_at = now() - interval '1 hour',"
                    + " last_failed_at = now() - interval '30 minutes' where id = " + id);
        }
    }

    private List<Long> ids(String... filters) throws Exception {
        List<String> args = new ArrayList<>(List.of("list", "--output", "json"));
        args.addAll(List.of(filters));
        List<Long> ids = new ArrayList<>();
        CommandRun run = run(args.toArray(String[]::new));
        run.json().forEach(message -> ids.add(message.get("id").asLong()));
        return ids;
    }
}
