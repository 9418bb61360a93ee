package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.camel.outbox.TestOutbox.AUDITED;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.console.api.HttpRelay.Answered;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.job.Job;
import dev.caravan.operate.job.Jobs;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Changes of many messages and long changes, which are jobs of a relay. */
class BulkJobsIT extends SampleRelay {
    @Tag("long")
    @Test
    void relays_continue_a_bulk_retry_that_another_process_started() throws Exception {
        deadOrders();
        Jobs retries = new Jobs(relay.database.dataSource());

        long id = retries.startBulkRetry(
                        ofOrders(), "orders", 12, OptionalInt.empty(), new Actor("anna", Optional.empty()))
                .id();

        eventually(() -> assertThat(retries.find(id).orElseThrow().state()).isEqualTo(Job.State.DONE));
        assertThat(retries.find(id).orElseThrow().delivered()).isEqualTo(12);
        assertThat(relay.get("/api/bulk-retries/" + id).number("/left")).isZero();
    }

    @Test
    void a_job_follows_the_bulk_retry_that_it_started() throws Exception {
        deadOrders();

        JsonNode ended = relay.ended(
                relay.post("/api/dead-letters/bulk", "{\"action\":\"retry\",\"filter\":{\"subscription\":\"orders\"}}")
                        .json());

        assertThat(ended.get("state").asText()).as(ended.toString()).isEqualTo("done");
        assertThat(ended.get("done").asInt()).isEqualTo(12);
        assertThat(relay.get("/api/bulk-retries").number("/items/0/delivered")).isEqualTo(12);
        assertThat(relay.get("/api/bulk-retries").json().at("/items/0/id")).isEqualTo(ended.at("/bulkRetries/0"));
    }

    @Test
    void a_job_whose_connection_is_cut_continues() throws Exception {
        deadOrders();
        relay.database.execute("create sequence cuts; create function cut() returns trigger language plpgsql as"
                + " 'begin perform nextval(''cuts''), pg_terminate_backend(pg_backend_pid()); return new; end';"
                + " create trigger cut before insert on outbox_retry for each row execute function cut()");
        JsonNode begun;
        try {
            begun = relay.post(
                            "/api/dead-letters/bulk", "{\"action\":\"retry\",\"filter\":{\"subscription\":\"orders\"}}")
                    .json();
            eventually(() -> assertThat(relay.database.number("select last_value from cuts"))
                    .isGreaterThan(1)); // rolled back, and again
            assertThat(job(begun).get("state").asText()).isEqualTo("running");
        } finally {
            relay.database.execute("drop function cut cascade; drop sequence cuts");
        }

        JsonNode ended = relay.ended(begun);
        assertThat(ended.get("state").asText()).as(ended.toString()).isEqualTo("done");
        assertThat(ended.get("done").asInt()).isEqualTo(12);
    }

    @Test
    void a_job_that_nobody_can_continue_says_what_a_person_must_do_and_can_be_cancelled() throws Exception {
        relay.database.execute("alter table outbox_discarded add constraint none check (false)");
        try {
            JsonNode begun = relay.post(
                            "/api/dead-letters/bulk", "{\"action\":\"discard\",\"reason\":\"over\",\"all\":true}")
                    .json();
            eventually(() -> assertThat(job(begun).get("waitsFor").asText())
                    .startsWith("a person: ")
                    .contains("none"));
            relay.post("/api/jobs/" + begun.get("id") + "/cancel", "{\"by\":\"anna\",\"reason\":\"no room\"}");

            assertThat(job(begun).get("state").asText()).isEqualTo("cancelled");
            assertThat(count("outbox_dead_letter", "true")).isEqualTo(5);
            assertThat(relay.database.text(
                            "select concat_ws(' ', who, action, subscription, detail ->> 'change', detail ->> 'job', reason)"
                                    + " from outbox_audit where detail ->> 'job' is not null"))
                    .isEqualTo("anna discard * cancel " + begun.get("id") + " no room");
        } finally {
            relay.database.execute("alter table outbox_discarded drop constraint none");
        }
    }

    private static void deadOrders() throws Exception {
        dead("orders", 12);
        Jobs retries = new Jobs(relay.database.dataSource());
        eventually(() -> assertThat(retries.isObserved("orders")).isTrue());
    }

    private static void dead(String subscription, int count) {
        relay.database.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " payload, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,"
                        + " error_stack) select '" + subscription
                        + "', 700000 + n, gen_random_uuid(), 'order', n::text, 'order.created', '{}', now(), 1, now(),"
                        + " now(), 'E', 'e', '' from generate_series(1, " + count + ") n");
    }

    private static MessageFilter ofOrders() {
        return MessageFilter.of(Optional.of("orders"), Optional.empty(), Optional.empty(), Optional.empty());
    }

    @Test
    void a_count_names_the_time_that_an_age_means() throws Exception {
        Answered counted = relay.post(
                "/api/dead-letters/bulk", "{\"action\":\"retry\",\"dryRun\":true,\"filter\":{\"until\":\"2h\"}}");

        assertThat(Instant.parse(counted.text("/times/until")))
                .isBetween(Instant.now().minusSeconds(7_300), Instant.now().minusSeconds(7_100));
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

        assertThat(counted.number("/messages")).isEqualTo(3);
        begun.assertStatus(202);
        assertThat(ended.get("state").asText()).isEqualTo("done");
        assertThat(ended.get("total").asInt()).isEqualTo(3);
        assertThat(ended.get("done").asInt()).isEqualTo(3);
        assertThat(count("outbox_dead_letter", "true")).isEqualTo(2);
        assertThat(count(AUDITED, "action = 'discard' and who = 'anna' and reason = 'over'"))
                .isEqualTo(3);
    }

    @Test
    void messages_that_were_selected_one_by_one_are_changed_and_no_others() throws Exception {
        String of = "\"filter\":{\"ids\":{\"sms\":[1,2,999],\"nobody\":[1]}}}";

        Answered counted = relay.post("/api/dead-letters/bulk", "{\"action\":\"retry\",\"dryRun\":true," + of);
        JsonNode ended = relay.ended(relay.post(
                        "/api/dead-letters/bulk", "{\"action\":\"discard\",\"reason\":\"over\",\"by\":\"anna\"," + of)
                .json());

        assertThat(counted.number("/messages")).isEqualTo(2);
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
        assertThat(count("outbox_job", "first is not null")).isZero();
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
    void a_change_of_all_is_refused_unless_it_says_so() throws Exception {
        for (String[] change : new String[][] {
            {"/api/dead-letters/bulk", "\"action\":\"retry\""},
            {"/api/dead-letters/bulk", "\"action\":\"discard\",\"reason\":\"over\""},
            {"/api/retries/bulk", "\"action\":\"retry\""},
            {"/api/retries/bulk", "\"action\":\"give-up\",\"reason\":\"over\""},
            {"/api/dead-letters/discarded/undo", "\"by\":\"anna\""},
            {"/api/subscriptions/orders/replay", "\"by\":\"anna\""}
        }) {
            for (String nothing :
                    List.of("", ",\"filter\":{}", ",\"filter\":{\"subscription\":\"\"}", ",\"all\":false")) {
                if (nothing.contains("filter") && change[0].endsWith("replay")) {
                    continue; // its filters are fields of the body
                }
                Answered refused = relay.post(change[0], "{" + change[1] + nothing + "}");

                assertThat(refused.status()).as(change[0] + nothing).isEqualTo(400);
                assertThat(refused.detail())
                        .startsWith("Nothing is selected. Use ")
                        .contains("key", "or \"all\": true")
                        .endsWith("Nothing was changed.");
            }
            String key = change[0].endsWith("replay") ? "\"key\":\"order/1\"" : "\"filter\":{\"key\":\"order/1\"}";
            assertThat(relay.post(change[0], "{" + change[1] + ",\"all\":true," + key + "}")
                            .detail())
                    .isEqualTo("Use all or filters, not both. Nothing was changed.");
        }
        assertThat(count("outbox_dead_letter", "true")).isEqualTo(5);
        assertThat(count("outbox_job", "true")).isZero();
        assertThat(relay.post("/api/dead-letters/bulk", "{\"action\":\"retry\",\"all\":true,\"dryRun\":true}")
                        .number("/messages"))
                .isEqualTo(5);
    }

    @Test
    void a_mistyped_filter_does_not_select_everything() throws Exception {
        relay.post("/api/dead-letters/bulk", "{\"action\":\"retry\",\"filter\":{\"subscripton\":\"sms\"}}")
                .assertProblem(400, "field in filter subscripton, did you mean subscription?");
        assertThat(relay.post("/api/dead-letters/bulk", "{\"action\":\"delete\"}")
                        .detail())
                .contains("retry or discard");
    }

    @Test
    void a_job_at_a_pace_is_not_begun_twice_and_ends_between_two_steps_when_it_is_cancelled() throws Exception {
        dead("sms", 95); // and 5 of each test: work for more than a minute
        String slow = "{\"action\":\"retry\",\"rate\":1,\"filter\":{\"subscription\":\"sms\"}}";

        JsonNode begun = relay.post("/api/dead-letters/bulk", slow).json();
        Answered twice = relay.post("/api/dead-letters/bulk", slow);
        eventually(() -> assertThat(job(begun).get("done").asInt()).isPositive());
        relay.post("/api/jobs/" + begun.get("id") + "/cancel", "{}");
        JsonNode ended = relay.ended(begun);

        twice.assertProblem(409, "Job " + begun.get("id") + " is already doing this");
        assertThat(ended.get("state").asText()).isEqualTo("cancelled");
        assertThat(ended.get("done").asInt()).isBetween(1, 99);
        assertThat(count("outbox_dead_letter", "true"))
                .isEqualTo(100 - ended.get("done").asLong());
        assertThat(relay.post("/api/jobs/" + begun.get("id") + "/cancel", "{}").text("/state"))
                .isEqualTo("cancelled");
    }

    @Test
    void a_cancelled_job_cancels_its_bulk_retries_also_while_it_retries_other_messages() throws Exception {
        deadOrders();

        JsonNode begun = relay.post("/api/dead-letters/bulk", "{\"action\":\"retry\",\"rate\":1,\"all\":true}")
                .json();
        eventually(() -> assertThat(job(begun).get("done").asInt()).isPositive());
        relay.post("/api/jobs/" + begun.get("id") + "/cancel", "{}");

        assertThat(relay.ended(begun).get("state").asText()).isEqualTo("cancelled");
        assertThat(new Jobs(relay.database.dataSource())
                        .latestBulkRetries(1)
                        .get(0)
                        .state())
                .isEqualTo(Job.State.CANCELLED);
    }

    @Tag("long")
    @Test
    void a_job_whose_bulk_retry_no_longer_exists_has_failed() throws Exception {
        deadOrders();

        JsonNode begun = relay.post(
                        "/api/dead-letters/bulk",
                        "{\"action\":\"retry\",\"rate\":1,\"filter\":{\"subscription\":\"orders\"}}")
                .json();
        eventually(() -> assertThat(job(begun).get("done").asInt()).isPositive());
        relay.database.execute("delete from outbox_job where first is not null");
        JsonNode ended = relay.ended(begun);

        assertThat(ended.get("state").asText()).as(ended.toString()).isEqualTo("failed");
        assertThat(ended.get("error").asText()).contains("no longer exists");
    }

    @Test
    void a_job_that_another_process_started_is_shown_and_continued() throws Exception {
        Jobs jobs = new Jobs(relay.database.dataSource());
        Job started = jobs.start(
                new Jobs.Task(
                        "retry",
                        Optional.of("sms"),
                        Map.of("of", "dead letters", "filter", Map.of("subscription", "sms"))),
                OptionalInt.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                new Actor("anna", Optional.empty()));

        eventually(
                () -> assertThat(jobs.find(started.id()).orElseThrow().state()).isEqualTo(Job.State.DONE));
        assertThat(count("outbox_dead_letter", "subscription = 'sms'")).isZero();
        assertThat(relay.get("/api/jobs").number("/items/0/id")).isEqualTo(started.id());
    }

    private static JsonNode job(JsonNode begun) throws Exception {
        return relay.get("/api/jobs/" + begun.get("id")).json();
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
        relay.database.execute("update outbox_subscription set delivered = 7 where name = 'orders';"
                + " insert into outbox_audit (who, action, subscription, message, detail)"
                + " values ('anna', 'retry', 'orders', " + last + ", '{\"original\": {}}')");
        JsonNode counted = relay.post(path, "{\"fromId\":" + (last - 9) + ",\"dryRun\":true}")
                .json();
        JsonNode ended =
                relay.ended(relay.post(path, "{\"fromId\":" + (last - 9) + "}").json());

        assertThat(counted.get("messages").asInt()).isEqualTo(10);
        assertThat(counted.get("neverDeliveredAtLeast").asInt()).isEqualTo(3);
        assertThat(counted.get("edited").asInt()).isEqualTo(1);
        assertThat(ended.get("state").asText()).isEqualTo("done");
        assertThat(ended.get("done").asInt()).isEqualTo(10);
        assertThat(count("outbox_audit", "action = 'replay' and detail->>'messages' = '10'"))
                .isEqualTo(1);
    }

    @Test
    void lanes_are_changed_by_a_job_and_a_wrong_number_is_refused() throws Exception {
        JsonNode done = relay.ended(
                relay.post("/api/subscriptions/sms/lanes", "{\"lanes\":4}").json());
        assertThat(done.get("state").asText()).isEqualTo("done");
        assertThat(count("outbox_subscription", "name = 'sms'")).isEqualTo(4);
        relay.post("/api/subscriptions/sms/lanes", "{\"lanes\":65}").assertStatus(400);
        assertThat(relay.post("/api/subscriptions/sms/lanes", "{}").detail()).contains("lanes is missing");
    }
}
