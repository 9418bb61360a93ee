package dev.caravan.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.api.HttpRelay.Answered;
import dev.caravan.audit.Actor;
import dev.caravan.deadletter.BulkRetries;
import dev.caravan.deadletter.BulkRetry;
import dev.caravan.deadletter.DeadLetterFilter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What people change over HTTP, alone and at once, and what it leaves in the tables and in the audit. The class is long because all tests
 * share one relay, whose start takes a second.
 */
class ChangesTest {
    private static HttpRelay relay;

    @BeforeAll
    static void start() throws Exception {
        relay = HttpRelay.start(Map.of());
    }

    @AfterAll
    static void stop() {
        relay.close();
    }

    @BeforeEach
    void fill() throws Exception {
        Samples.fill(relay.database);
    }

    @AfterEach
    void empty() throws Exception {
        relay.database.execute("delete from outbox_subscription where name <> 'orders'; delete from outbox_dead_letter;"
                + " delete from outbox_retry; delete from outbox_audit;"
                + " delete from outbox_bulk_retry; delete from outbox_discarded");
    }

    private static long count(String table, String where) throws Exception {
        return relay.database.number("select count(*) from " + table + " where " + where);
    }

    @Test
    void a_pause_is_done_once_and_says_so_in_the_audit() throws Exception {
        Answered first = relay.post("/api/subscriptions/sms/pause", "{\"reason\":\"gateway asked\",\"by\":\"anna\"}");
        Answered again = relay.post("/api/subscriptions/sms/pause", "{}");
        Answered resumed = relay.post("/api/subscriptions/sms/resume", "{}");

        assertThat(first.json().get("changed").asBoolean()).isTrue();
        assertThat(first.json().get("subscription").get("state").asText()).isEqualTo("paused");
        assertThat(again.json().get("changed").asBoolean()).isFalse();
        assertThat(resumed.json().get("subscription").get("state").asText()).isEqualTo("no relay");
        JsonNode audit = relay.get("/api/audit?subscription=sms").json().get("items");
        assertThat(audit).hasSize(3);
        assertThat(audit.get(0).get("who").asText()).isEqualTo("console (admin)");
        assertThat(audit.get(1).get("reason").asText()).isEqualTo("gateway asked");
    }

    @Test
    void a_halted_subscription_goes_on_after_an_id() throws Exception {
        relay.database.execute("update outbox_subscription set halted_at = now(), halted_reason = 'it was truncated'"
                + " where name = 'sms'; delete from outbox_dead_letter; delete from outbox_retry");

        JsonNode shown = relay.get("/api/subscriptions/sms").json();
        Answered refused = relay.post("/api/subscriptions/sms/resume", "{}");
        Answered resumed = relay.post("/api/subscriptions/sms/resume", "{\"after\":1,\"by\":\"anna\"}");

        assertThat(shown.get("state").asText()).isEqualTo("halted");
        assertThat(shown.get("halted").get("reason").asText()).isEqualTo("it was truncated");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(resumed.json().get("subscription").get("halted").isNull()).isTrue();
        assertThat(count("outbox_subscription", "name = 'sms' and position = 1"))
                .isEqualTo(1);
    }

    @Test
    void a_dead_letter_is_retried_once_and_the_second_hears_by_whom() throws Exception {
        Answered first = relay.post("/api/dead-letters/sms/2/retry", "{\"by\":\"anna\"}");
        Answered second = relay.post("/api/dead-letters/sms/2/retry", "{\"by\":\"ben\"}");

        assertThat(first.json().get("changed").asBoolean()).isTrue();
        assertThat(second.status()).isEqualTo(409);
        assertThat(second.detail())
                .contains("sms 2 is not a dead letter; last change: retry by anna", "Nothing was changed");
        Answered read = relay.get("/api/dead-letters/sms/2");
        assertThat(read.status()).isEqualTo(404);
        assertThat(read.detail()).contains("last change: retry by anna").doesNotContain("Nothing was changed");
        assertThat(count("outbox_retry", "id = 2")).isEqualTo(1);
    }

    @Test
    void of_two_people_at_once_one_does_it() throws Exception {
        List<Callable<Answered>> both = new ArrayList<>();
        for (int n = 0; n < 8; n++) {
            both.add(() -> relay.post("/api/dead-letters/sms/2/discard", "{\"reason\":\"over\"}"));
        }
        var people = Executors.newFixedThreadPool(8);
        int done = 0;
        for (var answer : people.invokeAll(both)) {
            assertThat(answer.get().status()).isIn(200, 409);
            done += answer.get().status() == 200 ? 1 : 0;
        }
        people.shutdown();

        assertThat(done).isEqualTo(1);
        assertThat(count("outbox_audit", "action = 'discard'")).isEqualTo(1);
    }

    @Test
    void a_discard_is_undone_alone_and_with_all_that_were_discarded_together() throws Exception {
        assertThat(relay.post("/api/dead-letters/sms/2/discard", "{\"reason\":\"over\"}")
                        .json()
                        .get("discard")
                        .asText())
                .isNotEmpty();
        assertThat(relay.get("/api/dead-letters/discarded")
                        .json()
                        .at("/items/0/discardedBy")
                        .asText())
                .isEqualTo("console (admin)");
        assertThat(relay.post("/api/dead-letters/discarded/sms/2/undo", "{}").status())
                .isEqualTo(200);
        assertThat(count("outbox_dead_letter", "subscription = 'sms' and id = 2"))
                .isEqualTo(1);
        assertThat(relay.post("/api/dead-letters/discarded/sms/2/undo", "{}").status())
                .isEqualTo(409);
        long dead = count("outbox_dead_letter", "true");

        JsonNode job = relay.ended(relay.post("/api/dead-letters/bulk", "{\"action\":\"discard\",\"reason\":\"over\"}")
                .json());
        assertThat(count("outbox_dead_letter", "true")).isZero();
        String filter = "\"filter\":{\"discard\":" + job.get("discard") + "}";
        assertThat(relay.post("/api/dead-letters/discarded/undo", "{\"dryRun\":true," + filter + "}")
                        .json()
                        .get("messages")
                        .asLong())
                .isEqualTo(dead);
        relay.ended(relay.post("/api/dead-letters/discarded/undo", "{" + filter + "}")
                .json());
        assertThat(count("outbox_dead_letter", "true")).isEqualTo(dead);
    }

    @Test
    void relays_continue_a_bulk_retry_that_another_process_started() throws Exception {
        deadOrders();
        BulkRetries retries = new BulkRetries(relay.database.unpooled());

        long id = retries.start(ofOrders(), "orders", 12, OptionalInt.empty(), new Actor("anna", Optional.empty()))
                .id();

        eventually(() -> assertThat(retries.find(id).orElseThrow().state()).isEqualTo(BulkRetry.State.DONE));
        assertThat(retries.find(id).orElseThrow().delivered()).isEqualTo(12);
        assertThat(relay.get("/api/bulk-retries/" + id).json().get("left").asInt())
                .isZero();
    }

    @Test
    void a_job_follows_the_bulk_retry_that_it_started() throws Exception {
        deadOrders();

        JsonNode ended = relay.ended(
                relay.post("/api/dead-letters/bulk", "{\"action\":\"retry\",\"filter\":{\"subscription\":\"orders\"}}")
                        .json());

        assertThat(ended.get("state").asText()).as(ended.toString()).isEqualTo("done");
        assertThat(ended.get("done").asInt()).isEqualTo(12);
        assertThat(relay.get("/api/bulk-retries")
                        .json()
                        .at("/items/0/delivered")
                        .asInt())
                .isEqualTo(12);
    }

    @Test
    void a_job_whose_connection_is_cut_says_that_relays_continue_its_bulk_retry() throws Exception {
        deadOrders();
        relay.database.execute("create function cut() returns trigger language plpgsql as"
                + " 'begin perform pg_terminate_backend(pg_backend_pid()); return new; end';"
                + " create trigger cut before insert on outbox_retry for each row execute function cut()");
        JsonNode ended;
        try {
            ended = relay.ended(relay.post(
                            "/api/dead-letters/bulk", "{\"action\":\"retry\",\"filter\":{\"subscription\":\"orders\"}}")
                    .json());
        } finally {
            relay.database.execute("drop function cut cascade");
        }

        assertThat(ended.get("state").asText()).as(ended.toString()).isEqualTo("failed");
        assertThat(ended.get("error").asText()).contains("Relays continue").doesNotContain("To continue, start");
        BulkRetry continued =
                new BulkRetries(relay.database.unpooled()).latest(1).get(0);
        assertThat(ended.get("error").asText()).contains("(" + continued.id() + ")");
        eventually(() -> assertThat(relay.get("/api/bulk-retries/" + continued.id())
                        .json()
                        .get("delivered")
                        .asInt())
                .isEqualTo(12));
    }

    @Test
    void a_pause_that_was_made_is_not_denied_when_its_result_cannot_be_read() throws Exception {
        try (var connection = relay.database.unpooled().getConnection();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("lock table outbox_dead_letter in access exclusive mode");
            var paused = CompletableFuture.supplyAsync(() -> post("/api/subscriptions/sms/pause"));
            eventually(() -> {
                relay.database.execute("do $$ begin perform pg_cancel_backend(pid) from pg_locks"
                        + " where not granted and relation = 'outbox_dead_letter'::regclass; end $$");
                assertThat(paused).isDone();
            });

            assertThat(paused.join().status()).isEqualTo(503);
            assertThat(paused.join().detail())
                    .contains("The change was made", "took too long")
                    .doesNotContain("Nothing was changed");
            assertThat(count("outbox_subscription", "name = 'sms' and paused")).isEqualTo(1);
        }
    }

    private static Answered post(String path) {
        try {
            return relay.post(path, "{}");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void deadOrders() throws Exception {
        relay.database.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, payload, created_at,"
                        + " attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select 'orders', 700000 + n, gen_random_uuid(), 'order', n::text, 'order.created', '{}', now(), 1, now(), now(), 'E', 'e', ''"
                        + " from generate_series(1, 12) n");
        BulkRetries retries = new BulkRetries(relay.database.unpooled());
        eventually(() -> assertThat(retries.isObserved("orders")).isTrue());
    }

    private static DeadLetterFilter ofOrders() {
        return new DeadLetterFilter(
                Optional.of("orders"),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    @Test
    void a_count_names_the_time_that_an_age_means() throws Exception {
        Answered counted = relay.post(
                "/api/dead-letters/bulk", "{\"action\":\"retry\",\"dryRun\":true,\"filter\":{\"until\":\"2h\"}}");

        assertThat(Instant.parse(counted.json().at("/times/until").asText()))
                .isBetween(Instant.now().minusSeconds(7_300), Instant.now().minusSeconds(7_100));
    }

    @Test
    void a_discard_without_a_reason_is_refused() throws Exception {
        assertThat(relay.post("/api/dead-letters/sms/2/discard", "{}").detail()).contains("reason is missing");
        assertThat(relay.post("/api/dead-letters/sms/2/discard", "{\"reason\":\"  \"}")
                        .status())
                .isEqualTo(400);
        assertThat(count("outbox_dead_letter", "id = 2")).isEqualTo(1);
    }

    @Test
    void an_edit_keeps_what_is_masked_and_shows_what_it_changes_first() throws Exception {
        String edit =
                "{\"edit\":{\"payload\":{\"n\":1.20,\"phone\":\"•••\",\"lines\":[{\"email\":\"b@example.com\",\"price\":1e2}]}},\"dryRun\":%s}";

        Answered shown = relay.post("/api/dead-letters/sms/2/retry", edit.formatted("true"));
        assertThat(count("outbox_dead_letter", "id = 2")).isEqualTo(1);
        Answered done = relay.post("/api/dead-letters/sms/2/retry", edit.formatted("false"));

        assertThat(shown.json().get("changed").asBoolean()).isFalse();
        assertThat(shown.json().get("changes")).hasSize(2);
        assertThat(shown.json().get("changes").toString())
                .contains("payload.n", "1.1", "1.2", "payload.lines[0].email", "•••")
                .doesNotContain("example.com");
        assertThat(done.json().get("changes")).isEqualTo(shown.json().get("changes"));
        assertThat(relay.database.text("select payload->>'phone' from outbox_retry where id = 2"))
                .isEqualTo("+49123");
        assertThat(relay.database.text("select payload::text from outbox_retry where id = 2"))
                .contains("1.20", "b@example.com");
        assertThat(relay.database.text("select headers->>'token' from outbox_retry where id = 2"))
                .isEqualTo("secret");
    }

    @Test
    void a_binary_payload_is_base64() throws Exception {
        relay.database.execute("update outbox_dead_letter set payload = null, payload_bytes = '\\x00ff' where id = 2");
        String edit = "{\"edit\":{\"payload\":null,\"payloadBase64\":\"AP4=\"},\"dryRun\":%s}";

        Answered shown = relay.get("/api/dead-letters/sms/2?payload=true");
        Answered refused = relay.post("/api/dead-letters/sms/2/retry", "{\"edit\":{\"payload\":{\"n\":1}}}");
        Answered dry = relay.post("/api/dead-letters/sms/2/retry", edit.formatted("true"));
        Answered done = relay.post("/api/dead-letters/sms/2/retry", edit.formatted("false"));

        assertThat(shown.json().get("payloadBase64").asText()).isEqualTo("AP8=");
        assertThat(shown.json().get("payload").isNull()).isTrue();
        assertThat(relay.get("/api/messages/2").json().toString()).doesNotContain("payloadBase64");
        assertThat(refused.detail()).contains("the payload is binary: give payloadBase64");
        assertThat(dry.json().get("changes").toString())
                .isEqualTo("[{\"path\":\"payloadBase64\",\"from\":\"AP8=\",\"to\":\"AP4=\"}]");
        assertThat(done.status()).isEqualTo(200);
        assertThat(relay.database.text("select payload_bytes from outbox_retry where id = 2 and payload is null"))
                .isEqualTo("\\x00fe");
    }

    @Test
    void an_edit_that_cannot_be_used_changes_nothing() throws Exception {
        assertThat(relay.post("/api/dead-letters/sms/2/retry", "{\"edit\":{\"payload\":{\"password\":\"•••\"}}}")
                        .detail())
                .contains("password holds the mask");
        assertThat(relay.post("/api/dead-letters/sms/2/retry", "{\"edit\":{\"headers\":{\"a\":[1]}}}")
                        .detail())
                .contains("headers.a must be a string, a number or a boolean");
        Answered same = relay.post(
                "/api/dead-letters/sms/2/retry", "{\"edit\":{\"headers\":{\"token\":\"•••\",\"trace\":\"t\"}}}");
        assertThat(same.status()).isEqualTo(409);
        assertThat(same.detail()).contains("does not change");
        assertThat(count("outbox_dead_letter", "true")).isEqualTo(5);
    }

    @Test
    void all_that_match_are_counted_first_and_then_changed_by_a_job() throws Exception {
        String filter = "\"filter\":{\"subscription\":\"sms\",\"error\":\"ioexception\"}";

        Answered counted =
                relay.post("/api/dead-letters/bulk", "{\"action\":\"discard\",\"dryRun\":true," + filter + "}");
        Answered begun = relay.post(
                "/api/dead-letters/bulk",
                "{\"action\":\"discard\",\"reason\":\"over\",\"by\":\"anna\"," + filter + "}");
        JsonNode ended = relay.ended(begun.json());

        assertThat(counted.json().get("messages").asInt()).isEqualTo(3);
        assertThat(begun.status()).isEqualTo(202);
        assertThat(ended.get("state").asText()).isEqualTo("done");
        assertThat(ended.get("total").asInt()).isEqualTo(3);
        assertThat(ended.get("done").asInt()).isEqualTo(3);
        assertThat(count("outbox_dead_letter", "true")).isEqualTo(2);
        assertThat(count("outbox_audit", "action = 'discard' and who = 'anna' and reason = 'over'"))
                .isEqualTo(3);
    }

    @Test
    void messages_that_were_selected_one_by_one_are_changed_and_no_others() throws Exception {
        String of = "\"filter\":{\"ids\":{\"sms\":[1,2,999],\"nobody\":[1]}}}";

        Answered counted = relay.post("/api/dead-letters/bulk", "{\"action\":\"retry\",\"dryRun\":true," + of);
        JsonNode ended = relay.ended(relay.post(
                        "/api/dead-letters/bulk", "{\"action\":\"discard\",\"reason\":\"over\",\"by\":\"anna\"," + of)
                .json());

        assertThat(counted.json().get("messages").asInt()).isEqualTo(2);
        assertThat(ended.get("done").asInt()).isEqualTo(2);
        assertThat(count("outbox_dead_letter", "id in (1, 2)")).isZero();
        assertThat(count("outbox_dead_letter", "true")).isEqualTo(3);
    }

    @Test
    void a_retry_of_selected_messages_leaves_the_others_dead_and_starts_no_bulk_retry() throws Exception {
        JsonNode ended = relay.ended(relay.post(
                        "/api/dead-letters/bulk",
                        "{\"action\":\"retry\",\"by\":\"anna\",\"filter\":{\"ids\":{\"sms\":[1]}}}")
                .json());

        assertThat(ended.get("state").asText()).isEqualTo("done");
        assertThat(count("outbox_dead_letter", "true")).isEqualTo(4);
        assertThat(count("outbox_dead_letter", "subscription = 'sms' and id = 1"))
                .isZero();
        assertThat(count("outbox_bulk_retry", "true")).isZero();
    }

    @Test
    void a_wrong_selection_is_refused() throws Exception {
        String many = "1,".repeat(1_000) + "1";
        for (String ids : List.of(
                "{\"ids\":[1]}",
                "{\"ids\":{\"sms\":1}}",
                "{\"ids\":{\"sms\":[\"1\"]}}",
                "{\"ids\":{\"sms\":[1]},\"error\":\"x\"}",
                "{\"ids\":{\"sms\":[" + many + "]}}")) {
            Answered refused = relay.post("/api/dead-letters/bulk", "{\"action\":\"retry\",\"filter\":" + ids + "}");

            assertThat(refused.status()).as(ids).isEqualTo(400);
            assertThat(refused.detail()).contains("filter.ids").contains("Nothing was changed");
        }
        assertThat(count("outbox_dead_letter", "true")).isEqualTo(5);
    }

    @Test
    void a_mistyped_filter_does_not_select_everything() throws Exception {
        Answered refused =
                relay.post("/api/dead-letters/bulk", "{\"action\":\"retry\",\"filter\":{\"subscripton\":\"sms\"}}");

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.detail()).contains("field in filter subscripton, did you mean subscription?");
        assertThat(relay.post("/api/dead-letters/bulk", "{\"action\":\"delete\"}")
                        .detail())
                .contains("retry or discard");
    }

    @Test
    void a_job_at_a_pace_is_not_begun_twice_and_ends_between_two_steps_when_it_is_cancelled() throws Exception {
        String slow = "{\"action\":\"retry\",\"rate\":1,\"filter\":{\"subscription\":\"sms\"}}";

        JsonNode begun = relay.post("/api/dead-letters/bulk", slow).json();
        Answered twice = relay.post("/api/dead-letters/bulk", slow);
        eventually(() -> assertThat(job(begun).get("done").asInt()).isPositive());
        relay.post("/api/jobs/" + begun.get("id") + "/cancel", "{}");
        JsonNode ended = relay.ended(begun);

        assertThat(twice.status()).isEqualTo(409);
        assertThat(twice.detail()).contains("Job " + begun.get("id") + " is already doing this");
        assertThat(ended.get("state").asText()).isEqualTo("cancelled");
        assertThat(ended.get("done").asInt()).isBetween(1, 4);
        assertThat(count("outbox_dead_letter", "true"))
                .isEqualTo(5 - ended.get("done").asLong());
        assertThat(relay.post("/api/jobs/" + begun.get("id") + "/cancel", "{}")
                        .json()
                        .get("state")
                        .asText())
                .isEqualTo("cancelled");
    }

    private static JsonNode job(JsonNode begun) throws Exception {
        return relay.get("/api/jobs/" + begun.get("id")).json();
    }

    @Test
    void a_message_that_waits_is_tried_now_or_given_up_and_a_blocked_one_is_not() throws Exception {
        assertThat(relay.post("/api/retries/sms/900101/retry", "{}").status()).isEqualTo(200);
        assertThat(relay.post("/api/retries/sms/900102/give-up", "{\"reason\":\"wrong\"}")
                        .status())
                .isEqualTo(200);
        Answered blocked = relay.post("/api/retries/sms/900103/retry", "{}");
        Answered gone = relay.post("/api/retries/sms/900102/give-up", "{\"reason\":\"wrong\"}");

        assertThat(count("outbox_retry", "id = 900101 and next_attempt_at <= clock_timestamp()"))
                .isEqualTo(1);
        assertThat(count("outbox_dead_letter", "id = 900102")).isEqualTo(1);
        assertThat(blocked.status()).isEqualTo(409);
        assertThat(blocked.detail()).contains("sms 900103 is blocked: it waits for message 900101");
        assertThat(gone.detail()).contains("it is a dead letter; last change: give-up");
    }

    @Test
    void what_was_delivered_is_counted_and_replayed() throws Exception {
        relay.database.insert(20);
        long last = relay.database.number("select max(id) from outbox");
        eventually(() -> assertThat(count(
                        "outbox_subscription",
                        "name = 'orders' and position >= " + last + " and isempty(gaps) and older_gaps is null"))
                .isEqualTo(1));
        String path = "/api/subscriptions/orders/replay";

        assertThat(relay.post(path, "{}").detail()).contains("Nothing is selected");
        int counted = relay.post(path, "{\"fromId\":" + (last - 9) + ",\"dryRun\":true}")
                .json()
                .get("messages")
                .asInt();
        JsonNode ended =
                relay.ended(relay.post(path, "{\"fromId\":" + (last - 9) + "}").json());

        assertThat(counted).isEqualTo(10);
        assertThat(ended.get("state").asText()).isEqualTo("done");
        assertThat(ended.get("done").asInt()).isEqualTo(10);
        assertThat(count("outbox_audit", "action = 'replay' and detail->>'messages' = '10'"))
                .isEqualTo(1);
    }

    @Test
    void lanes_are_changed_by_a_job_and_a_relay_that_goes_on_gives_a_cancelled_one_up() throws Exception {
        JsonNode done = relay.ended(
                relay.post("/api/subscriptions/sms/lanes", "{\"lanes\":4}").json());
        assertThat(done.get("state").asText()).isEqualTo("done");
        assertThat(count("outbox_subscription", "name = 'sms'")).isEqualTo(4);
        assertThat(relay.post("/api/subscriptions/sms/lanes", "{\"lanes\":65}").status())
                .isEqualTo(400);
        assertThat(relay.post("/api/subscriptions/sms/lanes", "{}").detail()).contains("lanes is missing");
    }

    @Test
    void a_list_is_read_part_by_part_without_gaps_or_repeats() throws Exception {
        relay.database.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select s, n, gen_random_uuid(), 'order', n::text, 'order.created', now(), 1, now(), date_trunc('hour', now()) - (n / 3) * interval '1 second', 'E', 't', ''"
                        + " from generate_series(1001, 1100) n, unnest('{a,b,sms}'::text[]) s");
        List<String> seen = new ArrayList<>();
        String next = null;
        do {
            JsonNode part = relay.get("/api/dead-letters?limit=37&error=t" + (next == null ? "" : "&after=" + next))
                    .json();
            part.get("items")
                    .forEach(letter -> seen.add(letter.get("subscription").asText() + letter.get("id")));
            next = part.get("next").isNull() ? null : part.get("next").asText();
        } while (next != null);

        assertThat(seen).doesNotHaveDuplicates().hasSize(305);
    }

    @Test
    void retries_are_read_part_by_part_too() throws Exception {
        for (String blocked : List.of("true", "false")) {
            List<Long> seen = new ArrayList<>();
            String next = null;
            do {
                JsonNode part = relay.get(
                                "/api/retries?limit=3&blocked=" + blocked + (next == null ? "" : "&after=" + next))
                        .json();
                part.get("items").forEach(letter -> seen.add(letter.get("id").asLong()));
                next = part.get("next").isNull() ? null : part.get("next").asText();
            } while (next != null);
            assertThat(seen).doesNotHaveDuplicates().hasSize(blocked.equals("true") ? 8 : 2);
        }
    }

    @Test
    void a_list_is_sorted_as_asked_and_only_as_an_index_can() throws Exception {
        JsonNode newest = relay.get("/api/dead-letters?limit=1").json();

        assertThat(ids("/api/dead-letters?subscription=sms&sort=id")).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(ids("/api/dead-letters?subscription=sms&sort=-id")).containsExactly(5L, 4L, 3L, 2L, 1L);
        assertThat(ids("/api/retries?blocked=true&sort=-id")).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(ids("/api/retries?sort=-nextAttemptAt"))
                .containsExactlyInAnyOrderElementsOf(ids("/api/retries?sort=nextAttemptAt"));
        assertThat(relay.get("/api/dead-letters?sort=-type").detail())
                .isEqualTo(
                        "This list can be sorted by lastFailedAt or id, with - before it for descending order; got -type");
        assertThat(relay.get("/api/retries?blocked=true&sort=nextAttemptAt").detail())
                .contains("sorted by id,");
        assertThat(relay.get("/api/dead-letters?sort=id&after="
                                + newest.get("next").asText())
                        .detail())
                .contains("of the same order");
    }

    private static List<Long> ids(String path) throws Exception {
        return StreamSupport.stream(relay.get(path).json().get("items").spliterator(), false)
                .map(item -> item.get("id").asLong())
                .toList();
    }

    @Test
    void a_group_keeps_a_note_and_is_a_filter() throws Exception {
        JsonNode before =
                relay.get("/api/dead-letters/groups").json().get("items").get(0);
        String group = before.get("group").asText();
        String address = "/api/dead-letters/groups/sms/" + group;

        Answered marked = relay.post(address, "{\"known\":true,\"note\":\"OPS-7\",\"by\":\"anna\"}");
        Answered missing = relay.post("/api/dead-letters/groups/sms/0000000000000000", "{\"known\":true}");
        Answered empty = relay.post(address, "{}");

        JsonNode after =
                relay.get("/api/dead-letters/groups?group=" + group).json().get("items");
        assertThat(marked.json().get("changed").asBoolean()).isTrue();
        assertThat(missing.status()).isEqualTo(404);
        assertThat(empty.status()).isEqualTo(400);
        assertThat(before.get("known").asBoolean()).isFalse();
        assertThat(after).hasSize(1);
        assertThat(after.get(0).get("known").asBoolean()).isTrue();
        assertThat(after.get(0).get("note").asText()).isEqualTo("OPS-7");
        assertThat(relay.get("/api/dead-letters?group=" + group).json().get("items"))
                .hasSize(3);
        relay.database.execute("delete from outbox_error_group");
    }

    @Test
    void a_time_may_be_an_age_or_a_date() throws Exception {
        relay.database.execute(
                "update outbox_dead_letter set last_failed_at = now() - interval '3 hours' where id = 2");

        JsonNode recent =
                relay.get("/api/dead-letters?subscription=sms&since=2h").json().get("items");
        JsonNode older = relay.get("/api/dead-letters?subscription=sms&until=2h%20ago&since=2020-01-01")
                .json()
                .get("items");
        Answered counted = relay.post(
                "/api/dead-letters/bulk",
                "{\"action\":\"retry\",\"dryRun\":true,\"filter\":{\"subscription\":\"sms\",\"until\":\"2h\"}}");
        Answered failing = relay.get("/api/retries?failingSince=1h");

        assertThat(recent).hasSize(4);
        assertThat(older).hasSize(1);
        assertThat(older.get(0).get("id").asInt()).isEqualTo(2);
        assertThat(counted.json().get("messages").asInt()).isEqualTo(1);
        assertThat(failing.status()).isEqualTo(200);
    }

    @Test
    void groups_count_what_fails_alike() throws Exception {
        JsonNode groups = relay.get("/api/dead-letters/groups").json();
        JsonNode searched = relay.get("/api/dead-letters/groups?type=order.*").json();

        assertThat(groups.get("complete").asBoolean()).isTrue();
        assertThat(groups.get("items")).hasSize(2);
        JsonNode largest = groups.get("items").get(0);
        assertThat(largest.get("count").asInt()).isEqualTo(3);
        assertThat(largest.get("errorClass").asText()).isEqualTo("java.io.IOException");
        assertThat(largest.get("error").asText()).isEqualTo("broken pipe");
        assertThat(largest.get("trend")).hasSize(12);
        assertThat(largest.get("trend").get(11).asInt()).isEqualTo(3);
        assertThat(searched).isEqualTo(groups);
    }

    @Test
    void keys_that_are_blocked_are_told_with_what_waits_behind_them() throws Exception {
        JsonNode keys = relay.get("/api/blocked-keys?subscription=sms").json().get("items");

        assertThat(keys).hasSize(2);
        assertThat(keys.get(0).get("key").asText()).isEqualTo("order/busy1");
        assertThat(keys.get(0).get("blockedMessages").get("atLeast").asInt()).isEqualTo(4);
        JsonNode detail = relay.get("/api/subscriptions/sms").json();
        assertThat(detail.get("longestBlockedKeys")).isEqualTo(keys);
        assertThat(detail.get("blockedKeys").get("atLeast").asInt()).isEqualTo(keys.size());
    }

    @Test
    void keys_that_a_dead_letter_blocks_are_a_problem_that_names_it() throws Exception {
        relay.database.execute("update outbox_dead_letter set first_failed_at = now() - interval '2 days' where id = 2;"
                + " insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at, blocked)"
                + " select 'sms', 900200 + n, gen_random_uuid(), 'order', (1 + n % 2)::text, 't', now(), true"
                + " from generate_series(1, 6) n");

        JsonNode keys = relay.get("/api/blocked-keys?subscription=sms").json().get("items");
        JsonNode all = relay.get("/api/blocked-keys").json().get("items");
        JsonNode detail = relay.get("/api/subscriptions/sms").json();
        JsonNode problems = relay.get("/api/overview").json().get("problems");

        assertThat(relay.get("/api/overview").json().at("/verdict/state").asText())
                .as("no relay works sms, which is critical")
                .isEqualTo("critical");
        assertThat(keys).hasSize(4).isEqualTo(all);
        assertThat(keys.get(0).get("key").asText()).isEqualTo("order/2");
        assertThat(keys.get(0).get("id").asInt()).isEqualTo(2);
        assertThat(keys.get(0).get("dead").asBoolean()).isTrue();
        assertThat(keys.get(0).get("nextAttemptAt").isNull()).isTrue();
        assertThat(keys.get(0).get("blockedMessages").get("atLeast").asInt()).isEqualTo(3);
        assertThat(detail.get("longestBlockedKeys")).isEqualTo(keys);
        assertThat(detail.get("keysBlockedByDeadLetters").get("atLeast").asInt())
                .isEqualTo(2);
        assertThat(detail.get("blockedKeyOldestSeconds").asDouble()).isGreaterThan(170_000);
        assertThat(StreamSupport.stream(problems.spliterator(), false)
                        .filter(problem -> problem.get("name").asText().equals("keys-blocked-by-dead-letters"))
                        .map(problem -> problem.get("text").asText()))
                .containsExactly("2 keys of sms are blocked by dead letters, 3 messages wait behind the oldest, 2");
    }

    @Test
    void a_message_is_found_by_its_key_and_told_with_its_state_everywhere() throws Exception {
        JsonNode found = relay.get("/api/messages?key=order/2&type=order.*").json();
        long id = found.get("items").get(0).get("id").asLong();
        JsonNode shown = relay.get("/api/messages/" + id).json();
        JsonNode states = shown.get("subscriptions");

        assertThat(found.get("more").asBoolean()).isFalse();
        assertThat(StreamSupport.stream(states.spliterator(), false)
                        .map(state -> state.get("subscription").asText()))
                .containsExactly("orders", "sms");
        JsonNode dead = relay.get("/api/messages/4").json().get("subscriptions").get(1);
        assertThat(dead.get("state").asText()).isEqualTo("dead");
        assertThat(Instant.parse(dead.get("firstFailedAt").asText()))
                .isBefore(Instant.parse(dead.get("lastFailedAt").asText()));
        assertThat(relay.get("/api/messages/999999999").status()).isEqualTo(404);
        assertThat(relay.get("/api/messages/900102")
                        .json()
                        .get("message")
                        .get("pruned")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void a_discarded_message_is_shown_after_it_was_pruned_and_its_discard_afterwards() throws Exception {
        relay.database.execute("update outbox_dead_letter set id = 800002 where id = 2;"
                + " update outbox_subscription set position = 900000 where name = 'sms'"); // its partition was pruned
        relay.post("/api/dead-letters/sms/800002/discard", "{\"reason\":\"over\",\"by\":\"anna\"}");

        JsonNode kept = relay.get("/api/messages/800002").json();
        relay.database.execute("delete from outbox_discarded");
        Answered gone = relay.get("/api/messages/800002");

        assertThat(kept.at("/message/pruned").asBoolean()).isTrue();
        assertThat(kept.at("/message/key").asText()).isEqualTo("order/2");
        assertThat(kept.at("/subscriptions/1/state").asText()).isEqualTo("discarded");
        assertThat(gone.status()).isEqualTo(404);
        assertThat(gone.detail())
                .startsWith("Message 800002 is no longer stored; last change: discard in sms by anna")
                .doesNotContain("rolled back");
    }
}
