package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.console.api.HttpRelay.Answered;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Intakes and their rejected rows over HTTP. No row of outbox_subscription has the name of a rejected row's subscription. */
class IntakesOverHttpIT extends SampleRelay {
    private static final String LETTER = "/api/dead-letters/intake:shop/900";

    @BeforeEach
    void insert() {
        relay.database.execute("insert into outbox_intake (intake, source, relay, lease_until, copied, rejected)"
                + " values ('shop', 'shopDb.outbox', 'relay-7', clock_timestamp() + interval '1 hour', 7, 2)");
        relay.database.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id,"
                        + " type, payload, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select 'intake:shop', n, md5(n::text)::uuid, 'intake', '[' || n || ']', 'intake.rejected',"
                        + " '{\"id\":1,\"type\":null}', now(), 1, now(), now(), 'NullValue', 'column type is null', ''"
                        + " from generate_series(900, 901) n");
    }

    @AfterEach
    void delete() {
        relay.database.execute("delete from outbox_intake; delete from outbox_error_group");
    }

    /** As its relay does when the row has become valid. */
    private static void copy() {
        relay.database.execute("delete from outbox_retry where subscription = 'intake:shop' and id = 900");
    }

    private static JsonNode json(String path) throws Exception {
        Answered answer = relay.get(path);
        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
        return answer.json();
    }

    private static Answered post(String path, String body) throws Exception {
        Answered answer = relay.post(path, body);
        assertThat(answer.status()).as(answer.toString()).isIn(200, 202);
        return answer;
    }

    @Test
    void an_intake_is_listed_and_shown_and_is_part_of_the_overview() throws Exception {
        JsonNode listed = json("/api/intakes").at("/items/0");

        assertThat(listed.get("intake").asText()).isEqualTo("shop");
        assertThat(listed.get("state").asText()).isEqualTo("running");
        assertThat(listed.at("/deadLetters/atLeast").asInt()).isEqualTo(2);
        assertThat(json("/api/intakes/shop").get("copied").asLong()).isEqualTo(7);
        assertThat(json("/api/overview").at("/intakes/0/relay").asText()).isEqualTo("relay-7");
    }

    @Test
    void an_unknown_intake_is_not_found_and_the_nearest_name_is_told() throws Exception {
        relay.get("/api/intakes/shopp").assertStatus(404);
        assertThat(relay.post("/api/intakes/shopp/pause", "{}").detail())
                .contains("did you mean shop?", "Nothing was changed");
    }

    @Test
    void a_pause_and_a_resume_are_made_once_each_and_recorded_in_the_audit() throws Exception {
        Answered paused = post("/api/intakes/shop/pause", "{\"reason\":\"moves house\"}");
        Answered again = post("/api/intakes/shop/pause", "{}");
        Answered resumed = post("/api/intakes/shop/resume", "{}");

        assertThat(paused.json().get("changed").asBoolean()).isTrue();
        assertThat(paused.text("/intake/state")).isEqualTo("paused");
        assertThat(again.json().get("changed").asBoolean()).isFalse();
        assertThat(resumed.text("/intake/state")).isEqualTo("running");
        JsonNode audit = json("/api/intakes/shop").get("audit");
        assertThat(audit.findValuesAsText("action")).containsExactly("resume", "pause");
        assertThat(json("/api/audit?subscription=intake:shop").get("items")).hasSize(2);
    }

    @Test
    void rejected_rows_are_listed_filtered_grouped_and_exported_like_other_dead_letters() throws Exception {
        assertThat(json("/api/dead-letters?subscription=intake:shop").get("items"))
                .hasSize(2);
        assertThat(json("/api/dead-letters?subscription=intake%3Ashop&error=is+null&type=intake.*")
                        .get("items"))
                .hasSize(2);
        assertThat(json("/api/dead-letters?key=intake/%5B900%5D").get("items")).hasSize(1);
        JsonNode group =
                json("/api/dead-letters/groups?subscription=intake:shop").at("/items/0");
        assertThat(group.get("count").asInt()).isEqualTo(2);
        post("/api/dead-letters/groups/intake:shop/" + group.get("group").asText(), "{\"note\":\"ticket 7\"}");
        assertThat(relay.get("/api/dead-letters?subscription=intake:shop&format=csv")
                        .response()
                        .body())
                .contains("\"intake:shop\",900,")
                .doesNotContain("sms");
    }

    @Test
    void the_name_is_a_filter_also_without_dead_letters() throws Exception {
        relay.database.execute("delete from outbox_dead_letter where subscription = 'intake:shop'");

        assertThat(json("/api/dead-letters?subscription=intake:shop").get("items"))
                .isEmpty();
        assertThat(json("/api/audit?subscription=intake:shop").get("items")).isEmpty();
        assertThat(relay.get("/api/dead-letters?subscription=intake:shopp").detail())
                .contains("did you mean intake:shop?");
    }

    @Test
    void a_rejected_row_is_found_by_id_message_id_key_and_error() throws Exception {
        String messageId = json(LETTER).get("messageId").asText();

        for (String text : new String[] {"900", messageId, "intake/%5B900%5D", "column+type"}) {
            assertThat(json("/api/find?text=" + text).get("items").findValuesAsText("subscription"))
                    .as(text)
                    .contains("intake:shop");
        }
    }

    @Test
    void a_rejected_row_is_shown_as_a_message_of_its_intake_alone() throws Exception {
        JsonNode message = json("/api/messages/900");

        assertThat(message.at("/message/pruned").asBoolean(message.at("/pruned").asBoolean()))
                .isFalse();
        assertThat(message.get("subscriptions").findValuesAsText("subscription"))
                .containsExactly("intake:shop");
        assertThat(message.at("/subscriptions/0/state").asText()).isEqualTo("dead");
    }

    @Test
    void why_names_the_intake_alone_with_what_a_person_can_do() throws Exception {
        JsonNode explanations = json("/api/why/900").get("explanations");

        assertThat(explanations).hasSize(1);
        assertThat(explanations.at("/0/subscription").asText()).isEqualTo("intake:shop");
        assertThat(explanations.at("/0/reasons/0/cause").asText()).isEqualTo("dead");
        assertThat(explanations.at("/0/reasons/0/remedies/0/command").asText())
                .isEqualTo("./caravan dead-letters retry intake:shop 900");
        assertThat(json("/api/why/intake%2F%5B900%5D")
                        .at("/explanations/0/subscription")
                        .asText())
                .isEqualTo("intake:shop");
    }

    /** The outcome of the message would be written into another row. */
    @Test
    void the_key_of_a_rejected_row_cannot_be_edited() throws Exception {
        Answered refused = relay.post(LETTER + "/retry", "{\"edit\":{\"headers\":{\"key\":\"[2]\"},\"payload\":[]}}");

        refused.assertStatus(400);
        assertThat(refused.detail()).contains("the headers of a rejected row name the row", "Nothing was changed");
        assertThat(relay.database.number("select count(*) from outbox_dead_letter where id = 900"))
                .isEqualTo(1);
        post(LETTER + "/retry", "{\"edit\":{\"payload\":[]},\"dryRun\":true}");
    }

    @Test
    void a_retried_row_waits_for_its_intake_and_is_copied_when_it_is_in_no_table() throws Exception {
        post(LETTER + "/retry", "{\"by\":\"anna\"}");
        assertThat(outcome().get("state").asText()).isEqualTo("waits-for-retry");
        assertThat(json("/api/retries?subscription=intake:shop")
                        .at("/items/0/id")
                        .asLong())
                .isEqualTo(900);
        assertThat(relay.post(LETTER + "/retry", "{}").detail())
                .contains("is not a dead letter; last change: retry by");

        relay.database.execute("update outbox_intake set failing_since = clock_timestamp(), error = 'refused'");
        assertThat(outcome().get("text").asText()).isEqualTo("The intake fails and is tried again: refused");
        post("/api/intakes/shop/pause", "{\"reason\":\"moves house\"}");
        assertThat(outcome().get("state").asText()).isEqualTo("paused");
        assertThat(json("/api/why/900")
                        .at("/explanations/0/reasons/0/remedies/0/command")
                        .asText())
                .isEqualTo("./caravan intake resume shop");
        assertThat(json("/api/retries?subscription=intake:shop")
                        .at("/items/0/obstacle/state")
                        .asText())
                .isEqualTo("paused");

        copy();

        assertThat(outcome().get("state").asText()).isEqualTo("copied");
        assertThat(outcome().get("text").asText()).startsWith("Copied within ").contains(" of the retry by ");
        assertThat(outcome().get("settled").asBoolean()).isTrue();
        assertThat(json("/api/why/900").at("/explanations/0/reasons/0/cause").asText())
                .isEqualTo("copied");
        assertThat(relay.get("/api/messages/900").detail())
                .contains("is no longer stored; last change: retry in intake:shop");
    }

    private static JsonNode outcome() throws Exception {
        return json("/api/outcomes/intake:shop/900");
    }

    @Test
    void a_row_that_is_dead_again_says_so() throws Exception {
        post(LETTER + "/retry", "{}");
        relay.database.execute("with gone as (delete from outbox_retry where id = 900 returning *)"
                + " insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, payload,"
                + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                + " select subscription, id, message_id, aggregate_type, aggregate_id, type, payload, created_at, 1,"
                + " first_failed_at, clock_timestamp(), error_class, error_text, '' from gone");

        assertThat(outcome().get("state").asText()).isEqualTo("dead");
        assertThat(outcome().get("text").asText()).startsWith("Dead again ");
    }

    @Test
    void a_row_is_edited_and_retried_and_the_audit_keeps_the_original() throws Exception {
        post(LETTER + "/retry", "{\"edit\":{\"payload\":{\"id\":1,\"type\":\"order.created\"}}}");

        assertThat(relay.database.text("select edited || ' ' || payload::text from outbox_retry where id = 900"))
                .contains("true {", "order.created");
        assertThat(relay.database.text("select detail #>> '{original,payload}' from outbox_audit where message = 900"))
                .isEqualTo("{\"id\":1,\"type\":null}");
    }

    @Test
    void a_row_is_discarded_and_the_discard_is_undone() throws Exception {
        post(LETTER + "/discard", "{\"reason\":\"over\"}");
        assertThat(outcome().get("state").asText()).isEqualTo("discarded");
        assertThat(json("/api/dead-letters/discarded?subscription=intake:shop").get("items"))
                .hasSize(1);
        assertThat(json("/api/messages/900").at("/subscriptions/0/state").asText())
                .isEqualTo("discarded");

        post("/api/dead-letters/discarded/intake:shop/900/undo", "{}");

        assertThat(count("outbox_dead_letter", "subscription = 'intake:shop' and lane = 0"))
                .isEqualTo(2);
    }

    @Test
    void a_waiting_row_is_retried_at_once_or_given_up() throws Exception {
        post(LETTER + "/retry", "{}");
        relay.database.execute("update outbox_retry set next_attempt_at = now() + interval '1 hour' where id = 900");

        post("/api/retries/intake:shop/900/retry", "{}");
        assertThat(count("outbox_retry", "id = 900 and next_attempt_at <= clock_timestamp()"))
                .isEqualTo(1);
        post("/api/retries/intake:shop/900/give-up", "{\"reason\":\"over\"}");

        assertThat(count("outbox_dead_letter", "id = 900")).isEqualTo(1);
    }

    @Test
    void a_bulk_retry_follows_what_becomes_of_the_rows_and_rows_of_one_key_do_not_wait_for_each_other()
            throws Exception {
        relay.database.execute("update outbox_dead_letter set aggregate_id = '[1]' where subscription = 'intake:shop'");

        JsonNode job = post(
                        "/api/dead-letters/bulk",
                        "{\"action\":\"retry\",\"filter\":{\"subscription\":\"intake:shop\"},\"rate\":100}")
                .json();
        eventually(() -> assertThat(count("outbox_retry", "subscription = 'intake:shop' and not blocked"))
                .isEqualTo(2));
        relay.database.execute("delete from outbox_retry where subscription = 'intake:shop'");

        JsonNode ended = relay.ended(job);
        assertThat(ended.get("state").asText()).as(ended.toString()).isEqualTo("done");
        assertThat(count("outbox_job", "delivered = 2")).isEqualTo(1);
    }

    @Test
    void a_change_of_a_row_waits_for_the_transaction_of_its_relay() throws Exception {
        try (var connection = relay.database.begin("update outbox_intake set copied = copied + 1")) {
            var retried = CompletableFuture.supplyAsync(() -> {
                try {
                    return relay.post(LETTER + "/retry", "{}").status();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            eventually(() -> assertThat(
                            relay.database.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                                    + " and datname = current_database()"))
                    .isEqualTo(1));
            assertThat(count("outbox_retry", "subscription = 'intake:shop'")).isZero();
            connection.commit();

            assertThat(retried.join()).isEqualTo(200);
        }
    }
}
