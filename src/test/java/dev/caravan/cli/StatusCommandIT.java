package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestPostgres;
import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class StatusCommandIT extends CommandFixture {
    StatusCommandIT() {
        super("status");
    }

    @Test
    void without_subscriptions_it_says_so() throws Exception {
        assertThat(run().assertDone().out()).startsWith("No subscriptions yet");
    }

    @Test
    void a_file_that_replaces_the_built_in_error_handling_is_named() throws Exception {
        Path file = Files.createDirectory(folder.resolve("routes")).resolve("error-handling.camel.yaml");
        Files.writeString(file, "[]");

        CommandRun run = run();

        assertThat(run.out()).contains("Error handling: " + file + ", instead of the built-in one");
    }

    @Test
    void without_tables_it_names_the_command_that_creates_them() throws Exception {
        CommandRun.of("status", "--config", CommandRun.config(folder, TestOutbox.withoutTables()))
                .assertFailed("./caravan schema apply");
    }

    @Test
    void a_missing_database_fails_with_its_name() throws Exception {
        config = CommandRun.config(folder, TestPostgres.server().url("nowhere"), "postgres");

        run().assertFailed("\"nowhere\" does not exist", "Create it", "DB_URL");
    }

    @Test
    void numbers_are_aligned_and_lag_is_readable() throws Exception {
        insertTwo();

        CommandRun run = run();

        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .satisfiesExactly(
                        title -> assertThat(title)
                                .startsWith(
                                        "SUBSCRIPTION LANES POSITION DELIVERED GAPS BACKLOG LAG WAITING BLOCKED DEAD OWNER"),
                        first -> assertThat(first)
                                .startsWith("a 1 1 77 0 <= 9 1h 0 0 0 relay-1 4 ")
                                .containsPattern(
                                        "unavailable 3m( \\ds)?, probe now$"), // seconds pass on a slow machine
                        second -> assertThat(second).isEqualTo("long-name 1 10 0 2 <= 2 0s 0 0 0 - 0 - paused"),
                        last -> assertThat(last).isEqualTo("Error handling: built in"));
        assertThat(run.out()).containsOnlyOnce("s, no presence");
        int end = "SUBSCRIPTION  LANES  POSITION".length();
        assertThat(run.out().lines().skip(1).limit(2).map(line -> line.charAt(end - 1)))
                .containsExactly('1', '0');
    }

    @Test
    void a_narrow_terminal_shows_the_important_columns_and_names_those_left_out() throws Exception {
        insertTwo();
        System.setProperty("caravan.output.columns", "100");
        try {
            String narrow = run().out();
            assertThat(narrow.lines()).allMatch(line -> line.length() <= 100);
            assertThat(narrow)
                    .contains("BACKLOG", "LAG", "DEAD", "STATE", "Not shown: EPOCH, LANES")
                    .doesNotContain("EPOCH>");
            assertThat(run("--wide").out()).contains("EPOCH", "LEASE").doesNotContain("Not shown");
        } finally {
            System.clearProperty("caravan.output.columns");
        }
    }

    @Test
    void a_relay_with_presence_is_distinguished_from_one_whose_lease_must_end() throws Exception {
        insertTwo();
        database.execute("update outbox_subscription set presence = 5, presence_server = 6 where name = 'a'");

        CommandRun text = run();
        CommandRun json = run("--output", "json");

        assertThat(text.out()).doesNotContain("no presence");
        var lane = json.json().get(0).get("lanes").get(0);
        assertThat(lane.get("presence").asBoolean()).isTrue();
    }

    @Test
    void the_state_names_keys_that_only_a_person_can_unblock() throws Exception {
        database.execute(
                "insert into outbox_subscription (name, position, owner, lease_until)"
                        + " values ('sms', 9, 'relay-1', clock_timestamp() + interval '1 hour');"
                        + " insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select 'sms', n, gen_random_uuid(), 'order', n::text, 't', now(), 1, now(), now(), 'c', 't', 's'"
                        + " from generate_series(1, 2) n;"
                        + " insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, blocked)"
                        + " select 'sms', n + 2, gen_random_uuid(), 'order', n::text, 't', now(), true from generate_series(1, 2) n");

        CommandRun run = run();

        assertThat(run.out()).containsPattern("2 in 2 keys .*2 keys blocked by dead letters(?m)$");
    }

    @Test
    void a_subscription_that_no_relay_works_has_the_same_state_in_text_and_json() throws Exception {
        database.execute("insert into outbox_subscription (name, position, owner, lease_until) values"
                + " ('idle', 0, null, null), ('worked', 0, 'relay-1', clock_timestamp() + interval '1 hour')");

        CommandRun text = run();
        CommandRun json = run("--output", "json");

        assertThat(text.out()).containsPattern("idle .* no relay\\n").containsPattern("worked .* running(?m)$");
        assertThat(json.json().findValuesAsText("state")).contains("no relay", "running");
    }

    @Test
    void json_has_plain_numbers() throws Exception {
        insertTwo();

        var first = run("--output", "json").json().get(0);
        assertThat(first.get("subscription").asText()).isEqualTo("a");
        assertThat(first.get("backlog").asLong()).isEqualTo(9);
        assertThat(first.get("lagSeconds").asDouble()).isBetween(3600.0, 3700.0);
        assertThat(first.get("owner").asText()).isEqualTo("relay-1");
        assertThat(first.get("paused").asBoolean()).isFalse();
        assertThat(first.get("lanes").get(0).get("presence").asBoolean()).isFalse();
        assertThat(first.get("delivered").asLong()).isEqualTo(77);
        assertThat(first.get("inFlight").asInt()).isEqualTo(5);
        assertThat(first.get("latencyMillis").isNull()).isTrue();
        assertThat(first.get("destination").get("state").asText()).isEqualTo("unavailable");
        assertThat(first.get("destination").get("error").asText()).isEqualTo("refused");
        assertThat(first.get("lanes").get(0).get("destination")).isEqualTo(first.get("destination"));
    }

    private void insertTwo() throws Exception {
        database.insert(10);
        database.execute(
                "update outbox set created_at = clock_timestamp() - interval '1 hour' where id = 2;"
                        + " delete from outbox where id in (4, 5);"
                        + " insert into outbox_subscription (name, position, owner, epoch, lease_until, delivered,"
                        + " in_flight, destination_unavailable_since, destination_error, next_probe_at)"
                        + " values ('a', 1, 'relay-1', 4, clock_timestamp() + interval '10 s', 77,"
                        + " 5, clock_timestamp() - interval '3 minutes', 'refused', clock_timestamp());"
                        + " insert into outbox_subscription (name, position, gaps, paused) values ('long-name', 10, '{[4,6)}', true)");
    }
}
