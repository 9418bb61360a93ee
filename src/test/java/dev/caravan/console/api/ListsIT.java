package dev.caravan.console.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.console.api.HttpRelay.Answered;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The lists, groups and messages that people read over HTTP. */
class ListsIT extends SampleRelay {
    @Test
    void a_list_is_read_part_by_part_without_gaps_or_repeats() throws Exception {
        relay.database.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select s, n, gen_random_uuid(), 'order', n::text, 'order.created', now(), 1, now(),"
                        + " date_trunc('hour', now()) - (n / 3) * interval '1 second', 'E', 't', '' from"
                        + " generate_series(1001, 1100) n, unnest('{a,b,sms}'::text[]) s");

        assertThat(readInParts("/api/dead-letters?limit=37&error=t"))
                .doesNotHaveDuplicates()
                .hasSize(305);
    }

    @Test
    void retries_are_read_part_by_part_too() throws Exception {
        assertThat(readInParts("/api/retries?limit=3&blocked=true"))
                .doesNotHaveDuplicates()
                .hasSize(8);
        assertThat(readInParts("/api/retries?limit=3&blocked=false"))
                .doesNotHaveDuplicates()
                .hasSize(2);
    }

    private List<String> readInParts(String path) throws Exception {
        List<String> seen = new ArrayList<>();
        String next = "";
        do {
            JsonNode part = relay.get(path + next).json();
            part.get("items")
                    .forEach(message -> seen.add(message.get("subscription").asText() + message.get("id")));
            next = part.get("next").isNull() ? "" : "&after=" + part.get("next").asText();
        } while (!next.isEmpty());
        return seen;
    }

    @Test
    void a_waiting_message_says_what_stops_its_lane() throws Exception {
        assertThat(obstacle("/api/retries/sms/900101", "")).isEqualTo("no relay");
        relay.database.execute(
                "update outbox_subscription set owner = 'r', lease_until = now() + interval '1 hour' where name ="
                        + " 'sms'; update outbox_retry set next_attempt_at = now() - interval '1 minute' where id ="
                        + " 900101");
        assertThat(obstacle("/api/retries/sms/900101", "")).isEmpty();

        relay.database.execute(
                "update outbox_subscription set destination_unavailable_since = now(), destination_error = 'refused',"
                        + " next_probe_at = now() + interval '30 seconds' where name = 'sms'");
        for (String path : List.of("/api/retries?key=order/busy1", "/api/retries?key=order/busy0")) {
            boolean isDue = path.endsWith("1");
            assertThat(obstacle(path, "/items/0")).as(path).isEqualTo(isDue ? "destination unavailable" : "");
            assertThat(relay.get(path)
                            .json()
                            .at("/items/0/obstacle/nextProbeAt")
                            .isMissingNode())
                    .isEqualTo(!isDue);
        }
        assertThat(obstacle("/api/blocked-keys?subscription=sms&limit=1", "/items/0"))
                .isEqualTo("destination unavailable");
        relay.database.execute("update outbox_subscription set paused = true where name = 'sms'");
        assertThat(obstacle("/api/retries/sms/900102", "")).isEqualTo("paused");
        assertThat(obstacle("/api/retries/sms/900103", ""))
                .as("a blocked one waits for another message")
                .isEmpty();
    }

    private static String obstacle(String path, String at) throws Exception {
        return relay.get(path).json().at(at + "/obstacle/state").asText();
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
                .isEqualTo("This list can be sorted by lastFailedAt or id, with - before it for descending order; got"
                        + " -type");
        assertThat(relay.get("/api/retries?blocked=true&sort=nextAttemptAt").detail())
                .contains("sorted by id,");
        assertThat(relay.get("/api/dead-letters?sort=id&after="
                                + newest.get("next").asText())
                        .detail())
                .contains("with the same order");
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
        Answered empty = relay.post(address, "{\"known\":null,\"note\":null}");
        relay.post(address, "{\"known\":null,\"note\":\"OPS-8\"}");

        JsonNode after =
                relay.get("/api/dead-letters/groups?group=" + group).json().get("items");
        assertThat(marked.json().get("changed").asBoolean()).isTrue();
        missing.assertStatus(404);
        empty.assertStatus(400);
        assertThat(before.get("known").asBoolean()).isFalse();
        assertThat(after).hasSize(1);
        assertThat(after.get(0).get("known").asBoolean()).isTrue();
        assertThat(after.get(0).get("note").asText()).isEqualTo("OPS-8");
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
        assertThat(counted.number("/messages")).isEqualTo(1);
        failing.assertStatus(200);
    }

    @Test
    void an_unknown_subscription_and_a_range_without_a_time_are_errors() throws Exception {
        for (String list : List.of(
                "/api/dead-letters",
                "/api/dead-letters/groups",
                "/api/dead-letters/discarded",
                "/api/retries",
                "/api/audit",
                "/api/blocked-keys")) {
            Answered unknown = relay.get(list + "?subscription=smss");

            assertThat(unknown.status()).as(list).isEqualTo(404);
            assertThat(unknown.detail()).startsWith("There is no subscription smss, did you mean sms?");
        }
        for (String list : List.of("/api/dead-letters", "/api/dead-letters/groups", "/api/dead-letters/discarded")) {
            Answered empty = relay.get(list + "?since=1h&until=2h");

            assertThat(empty.status()).as(list).isEqualTo(400);
            assertThat(empty.detail()).startsWith("since must be before until: no time is between 20");
            relay.get(list + "?since=2026-01-01&until=2026-01-01").assertStatus(400);
        }
        assertThat(relay.post(
                                "/api/dead-letters/bulk",
                                "{\"action\":\"retry\",\"filter\":{\"since\":\"1h\",\"until\":\"2h\"}}")
                        .detail())
                .startsWith("filter.since must be before filter.until");
        relay.post("/api/subscriptions/orders/replay", "{\"since\":\"1h\",\"until\":\"2h\"}")
                .assertStatus(400);
        assertThat(relay.post("/api/subscriptions/orders/replay", "{\"fromId\":2,\"toId\":1}")
                        .detail())
                .contains("fromId must not be higher than toId");
    }

    @Test
    void a_deleted_subscription_is_listed_while_something_of_it_is_stored() throws Exception {
        relay.database.execute(
                "delete from outbox_subscription where name = 'sms'; delete from outbox_retry; delete from"
                        + " outbox_audit");

        assertThat(relay.get("/api/dead-letters?subscription=sms").json().get("items"))
                .hasSize(5);
        assertThat(relay.get("/api/retries?subscription=sms").json().get("items"))
                .isEmpty();
        assertThat(relay.post(
                                "/api/dead-letters/bulk",
                                "{\"action\":\"discard\",\"reason\":\"over\",\"dryRun\":true,\"filter\":{\"subscription\":\"sms\"}}")
                        .number("/messages"))
                .isEqualTo(5);

        relay.database.execute("delete from outbox_dead_letter");
        relay.get("/api/dead-letters?subscription=sms").assertStatus(404);
    }

    @Test
    void groups_count_messages_that_fail_with_the_same_error() throws Exception {
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
    void blocked_keys_are_listed_with_what_waits_behind_them() throws Exception {
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
        relay.database.execute("update outbox_dead_letter set first_failed_at = now() - interval '2 days' where id ="
                + " 2; insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                + " created_at, blocked) select 'sms', 900200 + n, gen_random_uuid(), 'order', (1 + n % 2)::text, 't',"
                + " now(), true from generate_series(1, 6) n");

        JsonNode keys = relay.get("/api/blocked-keys?subscription=sms").json().get("items");
        JsonNode all = relay.get("/api/blocked-keys").json().get("items");
        JsonNode detail = relay.get("/api/subscriptions/sms").json();
        JsonNode problems = relay.get("/api/overview").json().get("problems");

        assertThat(relay.get("/api/overview").text("/verdict/state"))
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
    void a_message_is_found_by_its_key_with_its_state_in_each_subscription() throws Exception {
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
        relay.get("/api/messages/999999999").assertStatus(404);
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
        gone.assertStatus(404);
        assertThat(gone.detail())
                .startsWith("Message 800002 is no longer stored; last change: discard in sms by anna")
                .doesNotContain("rolled back");
    }
}
