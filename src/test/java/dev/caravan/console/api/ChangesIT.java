package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.console.api.HttpRelay.Answered;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Changes that people make over HTTP, one after the other and concurrently, and their effect on the tables and the audit. */
class ChangesIT extends SampleRelay {
    @Test
    void a_pause_is_made_once_and_recorded_in_the_audit() throws Exception {
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
    void a_halted_subscription_is_resumed_after_an_id() throws Exception {
        relay.database.execute("update outbox_subscription set halted_at = now(), halted_reason = 'it was truncated'"
                + " where name = 'sms'; delete from outbox_dead_letter; delete from outbox_retry");

        JsonNode shown = relay.get("/api/subscriptions/sms").json();
        Answered refused = relay.post("/api/subscriptions/sms/resume", "{}");
        Answered resumed = relay.post("/api/subscriptions/sms/resume", "{\"after\":1,\"by\":\"anna\"}");

        assertThat(shown.get("state").asText()).isEqualTo("halted");
        assertThat(shown.get("halted").get("reason").asText()).isEqualTo("it was truncated");
        refused.assertStatus(409);
        assertThat(resumed.json().get("subscription").get("halted").isNull()).isTrue();
        assertThat(count("outbox_subscription", "name = 'sms' and position = 1"))
                .isEqualTo(1);
    }

    @Test
    void a_dead_letter_is_retried_once_and_a_second_request_learns_by_whom() throws Exception {
        Answered first = relay.post("/api/dead-letters/sms/2/retry", "{\"by\":\"anna\"}");
        Answered second = relay.post("/api/dead-letters/sms/2/retry", "{\"by\":\"ben\"}");

        assertThat(first.json().get("changed").asBoolean()).isTrue();
        second.assertProblem(409, "sms 2 is not a dead letter; last change: retry by anna", "Nothing was changed");
        Answered read = relay.get("/api/dead-letters/sms/2");
        read.assertStatus(404);
        assertThat(read.detail()).contains("last change: retry by anna").doesNotContain("Nothing was changed");
        assertThat(count("outbox_retry", "id = 2")).isEqualTo(1);
    }

    @Test
    void of_two_people_who_make_a_change_at_once_one_succeeds() throws Exception {
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
                        .text("/discard"))
                .isNotEmpty();
        assertThat(relay.get("/api/dead-letters/discarded").text("/items/0/discardedBy"))
                .isEqualTo("console (admin)");
        relay.post("/api/dead-letters/discarded/sms/2/undo", "{}").assertStatus(200);
        assertThat(count("outbox_dead_letter", "subscription = 'sms' and id = 2"))
                .isEqualTo(1);
        relay.post("/api/dead-letters/discarded/sms/2/undo", "{}").assertStatus(409);
        long dead = count("outbox_dead_letter", "true");

        JsonNode job = relay.ended(
                relay.post("/api/dead-letters/bulk", "{\"action\":\"discard\",\"all\":true,\"reason\":\"over\"}")
                        .json());
        assertThat(count("outbox_dead_letter", "true")).isZero();
        String filter = "\"filter\":{\"discard\":" + job.get("discard") + "}";
        assertThat(relay.post("/api/dead-letters/discarded/undo", "{\"dryRun\":true," + filter + "}")
                        .number("/messages"))
                .isEqualTo(dead);
        relay.ended(relay.post("/api/dead-letters/discarded/undo", "{" + filter + "}")
                .json());
        assertThat(count("outbox_dead_letter", "true")).isEqualTo(dead);
    }

    @Test
    void a_pause_that_was_made_is_reported_as_made_when_its_result_cannot_be_read() throws Exception {
        try (var connection = relay.database.begin("lock table outbox_dead_letter in access exclusive mode")) {
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

    @Test
    void a_discard_without_a_reason_is_refused() throws Exception {
        assertThat(relay.post("/api/dead-letters/sms/2/discard", "{}").detail()).contains("reason is missing");
        relay.post("/api/dead-letters/sms/2/discard", "{\"reason\":\"  \"}").assertStatus(400);
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
                .contains("payload.n", "1.1", "1.2")
                .contains("{\"path\":\"payload.lines[0].email\",\"from\":\"•••\",\"to\":\"b@example.com\"}")
                .doesNotContain("a@example.com", "+49");
        assertThat(done.json().get("changes")).isEqualTo(shown.json().get("changes"));
        assertThat(relay.database.text("select payload->>'phone' from outbox_retry where id = 2"))
                .isEqualTo("+49123");
        assertThat(relay.database.text("select payload::text from outbox_retry where id = 2"))
                .contains("1.20", "b@example.com");
        assertThat(relay.database.text("select headers->>'token' from outbox_retry where id = 2"))
                .isEqualTo("secret");
    }

    @Test
    void an_edit_shows_what_a_person_has_typed_and_never_what_was_left_masked() throws Exception {
        relay.database.execute("update outbox_dead_letter set payload = '{\"phone\": {\"home\": \"+49123\"}, \"raw\":"
                + " \"{\\\"phone\\\": \\\"+49456\\\", \\\"n\\\": 1}\", \"name\": \"+49789\"}' where id = 2");
        String edit = "{\"edit\":{\"payload\":%s},\"dryRun\":true}";

        String replaced = changes(edit.formatted(
                "{\"phone\":\"+0\",\"raw\":\"{\\\"phone\\\": \\\"•••\\\", \\\"n\\\": 2}\",\"name\":\"+49789\"}"));
        String moved = changes(edit.formatted("{\"phone\":\"•••\",\"raw\":\"{}\",\"name\":{\"phone\":\"+1\"}}"));
        String removed = changes(edit.formatted("{\"phone\":null,\"name\":\"+49789\"}"));

        assertThat(replaced)
                .contains("{\"path\":\"payload.phone\",\"from\":\"•••\",\"to\":\"+0\"}")
                .contains("\"to\":\"{\\\"phone\\\": \\\"•••\\\", \\\"n\\\": 2}\"")
                .doesNotContain("+49123", "+49456");
        assertThat(moved)
                .contains("\"to\":{\"phone\":\"+1\"}", "\"from\":\"+49789\"")
                .doesNotContain("+49123", "+49456");
        assertThat(removed)
                .contains("{\"path\":\"payload.phone\",\"from\":\"•••\",\"to\":null}", "payload.raw")
                .doesNotContain("+49123", "+49456");
    }

    @Test
    void a_right_guess_of_a_masked_value_is_answered_like_a_wrong_one() throws Exception {
        String edit =
                "{\"edit\":{\"payload\":{\"n\":1.1,\"phone\":\"%s\",\"lines\":[{\"email\":\"•••\",\"price\":1e2}]}},\"dryRun\":true}";

        for (String guess : List.of("+49123", "+49124")) {
            assertThat(changes(edit.formatted(guess)))
                    .isEqualTo("[{\"path\":\"payload.phone\",\"from\":\"•••\",\"to\":\"" + guess + "\"}]");
        }
        relay.post("/api/dead-letters/sms/2/retry", edit.formatted("•••")).assertStatus(409);
    }

    private static String changes(String edit) throws Exception {
        return relay.post("/api/dead-letters/sms/2/retry", edit)
                .json()
                .get("changes")
                .toString();
    }

    @Test
    void a_change_is_followed_to_its_outcome() throws Exception {
        relay.post("/api/dead-letters/sms/2/retry", "{\"by\":\"anna\"}");
        JsonNode retried = relay.get("/api/outcomes/sms/2").json();
        relay.database.execute("delete from outbox_retry where id = 2");
        JsonNode delivered = relay.get("/api/outcomes/sms/2").json();
        relay.post("/api/dead-letters/sms/4/discard", "{\"reason\":\"over\",\"by\":\"anna\"}");

        assertThat(retried.get("state").asText()).isEqualTo("no-relay");
        assertThat(retried.get("settled").asBoolean()).isFalse();
        assertThat(retried.at("/history/0/action").asText()).isEqualTo("retry");
        assertThat(delivered.get("text").asText()).matches("Delivered within .* of the retry by anna");
        assertThat(delivered.get("settled").asBoolean()).isTrue();
        assertThat(relay.get("/api/outcomes/sms/4").text("/text")).matches("Discarded by anna .* ago: over");
        assertThat(relay.get("/api/outcomes/sms/1").json().toString())
                .as("the original of an edited message")
                .doesNotContain("+49123");
        relay.get("/api/outcomes/nope/2").assertStatus(404);
    }

    @Test
    void a_binary_payload_is_base64() throws Exception {
        relay.database.execute("update outbox_dead_letter set payload = null, payload_bytes = '\\x00ff' where id = 2");
        String edit = "{\"edit\":{\"payload\":null,\"payloadBase64\":\"AP4=\"},\"dryRun\":%s}";

        Answered shown = relay.get("/api/dead-letters/sms/2?payload=true");
        Answered refused = relay.post("/api/dead-letters/sms/2/retry", "{\"edit\":{\"payload\":{\"n\":1}}}");
        Answered dry = relay.post("/api/dead-letters/sms/2/retry", edit.formatted("true"));
        Answered done = relay.post("/api/dead-letters/sms/2/retry", edit.formatted("false"));

        assertThat(shown.text("/payloadBase64")).isEqualTo("AP8=");
        assertThat(shown.json().get("payload").isNull()).isTrue();
        assertThat(relay.get("/api/messages/2").json().toString()).doesNotContain("payloadBase64");
        assertThat(refused.detail()).contains("the payload is binary: give payloadBase64");
        assertThat(dry.json().get("changes").toString())
                .isEqualTo("[{\"path\":\"payloadBase64\",\"from\":\"AP8=\",\"to\":\"AP4=\"}]");
        done.assertStatus(200);
        assertThat(relay.database.text("select payload_bytes from outbox_retry where id = 2 and payload is null"))
                .isEqualTo("\\x00fe");
    }

    @Test
    void an_edit_that_cannot_be_used_changes_nothing() throws Exception {
        assertThat(relay.post("/api/dead-letters/sms/2/retry", "{\"edit\":{\"payload\":{\"password\":\"•••\"}}}")
                        .detail())
                .contains("password contains the mask");
        assertThat(relay.post("/api/dead-letters/sms/2/retry", "{\"edit\":{\"payload\":{\"phone\":[\"•••\",\"+1\"]}}}")
                        .detail())
                .contains("phone[0] contains the mask");
        assertThat(relay.post(
                                "/api/dead-letters/sms/2/retry",
                                "{\"edit\":{\"payload\":{\"lines\":[{\"email\":\"•••\",\"price\":7}]}}}")
                        .detail())
                .contains("lines[0].email contains the mask", "the array that it is in has changed");
        assertThat(relay.post("/api/dead-letters/sms/2/retry", "{\"edit\":{\"headers\":{\"trace\":\"•••\"}}}")
                        .detail())
                .contains("trace contains the mask");
        assertThat(relay.post("/api/dead-letters/sms/2/retry", "{\"edit\":{\"headers\":{\"a\":[1]}}}")
                        .detail())
                .contains("headers.a must be a string, a number or a boolean");
        relay.post("/api/dead-letters/sms/2/retry", "{\"edit\":{\"headers\":{\"token\":\"•••\",\"trace\":\"t\"}}}")
                .assertProblem(409, "does not change");
        assertThat(count("outbox_dead_letter", "true")).isEqualTo(5);
    }

    @Test
    void a_message_that_waits_is_tried_now_or_given_up_and_a_blocked_one_is_not() throws Exception {
        relay.post("/api/retries/sms/900101/retry", "{}").assertStatus(200);
        relay.post("/api/retries/sms/900102/give-up", "{\"reason\":\"wrong\"}").assertStatus(200);
        Answered blocked = relay.post("/api/retries/sms/900103/retry", "{}");
        Answered gone = relay.post("/api/retries/sms/900102/give-up", "{\"reason\":\"wrong\"}");

        assertThat(count("outbox_retry", "id = 900101 and next_attempt_at <= clock_timestamp()"))
                .isEqualTo(1);
        assertThat(count("outbox_dead_letter", "id = 900102")).isEqualTo(1);
        blocked.assertProblem(409, "sms 900103 is blocked: it waits for message 900101");
        assertThat(gone.detail()).contains("it is a dead letter; last change: give-up");
    }
}
