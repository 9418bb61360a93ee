package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the charts of the console need: samples of a range of time, and marks. */
class HistoryIT extends SampleRelay {
    @AfterEach
    void deleteHistory() throws Exception {
        relay.database.execute("delete from outbox_history");
    }

    @Test
    void what_people_did_and_the_start_of_the_relay_are_marks_of_the_range() throws Exception {
        relay.post("/api/subscriptions/orders/pause", "{\"by\": \"anna\", \"reason\": \"gateway moves\"}");
        relay.post("/api/subscriptions/orders/resume", "{\"by\": \"ben\"}");

        List<JsonNode> marks = marks("minutes=1440&subscription=orders");

        assertThat(marks)
                .extracting(mark ->
                        mark.get("what").asText() + " " + mark.get("who").asText())
                .contains("start relay-of-the-test")
                .endsWith("pause anna", "resume ben");
        JsonNode pause = marks.get(marks.size() - 2);
        assertThat(pause.get("person").asBoolean()).isTrue();
        assertThat(pause.get("subscriptions").get(0).asText()).isEqualTo("orders");
        assertThat(pause.get("note").asText()).isEqualTo("gateway moves");
        assertThat(pause.get("audit").asLong())
                .isEqualTo(relay.database.number("select max(id) - 1 from outbox_audit"));
        assertThat(marks("minutes=1440&subscription=sms"))
                .noneMatch(mark -> mark.get("what").asText().equals("pause"));
        assertThat(marks("from=2h&to=1h")).isEmpty();
        assertThat(marks("from=7d")).containsAll(marks); // all that is kept
    }

    @Tag("long")
    @Test
    void a_takeover_of_a_lane_is_a_mark_with_both_relays() throws Exception {
        eventually(() -> assertThat(
                        history("minutes=15").at("/subscriptions/orders").isObject())
                .isTrue()); // a sample with the owner
        relay.database.execute(
                "update outbox_subscription set owner = 'other-relay', epoch = epoch + 1, presence = null,"
                        + " presence_server = null, lease_until = now() + interval '8 seconds' where name = 'orders'");

        eventually(() -> assertThat(marks("minutes=15&subscription=orders"))
                .filteredOn(mark -> mark.get("what").asText().equals("takeover"))
                .extracting(mark ->
                        mark.get("from").asText() + " -> " + mark.get("who").asText())
                .containsExactly("relay-of-the-test -> other-relay", "other-relay -> relay-of-the-test"));
    }

    @Test
    void what_was_before_the_first_sample_of_the_relay_comes_from_what_all_relays_have_stored() throws Exception {
        eventually(() -> assertThat(history("minutes=15").get("at").size()).isPositive());
        relay.database.execute("insert into outbox_history (at, subscription, delivered, lag_seconds, backlog, last_id)"
                + " select date_bin('5 minutes', now(), '2000-01-01Z') - n * interval '5 minutes', 'orders', 0, n, 0, 0"
                + " from generate_series(0, 20) n on conflict do nothing");

        JsonNode hour = history("minutes=60");

        assertThat(hour.get("intervalSeconds").asInt()).isEqualTo(10);
        assertThat(Duration.between(time(hour, "from"), time(hour, "to"))).isEqualTo(Duration.ofHours(1));
        assertThat(Duration.between(
                        time(hour, "from"), Instant.parse(hour.at("/at/0").asText())))
                .isLessThan(Duration.ofMinutes(5));
        assertThat(hour.at("/subscriptions/orders/lagSeconds/0").asDouble()).isGreaterThan(10);
        assertThat(hour.at("/subscriptions/orders/lagSeconds/" + (hour.get("at").size() - 1))
                        .asDouble())
                .isLessThan(10); // of the relay itself
        assertThat(hour.get("at").size()).isLessThanOrEqualTo(400);
    }

    @Test
    void a_range_between_two_times_is_the_same_whenever_it_is_asked_for() throws Exception {
        Instant from =
                Instant.parse(Instant.now().minusSeconds(7_200).toString().substring(0, 16) + ":00Z");
        relay.database.execute("insert into outbox_history (at, subscription, delivered, lag_seconds, backlog, last_id)"
                + " select '" + from + "'::timestamptz + n * interval '5 minutes', name, 300 * n, 1, 0, 0"
                + " from generate_series(0, 20) n, (values ('orders'), ('sms')) names (name)");

        JsonNode found = history("from=" + from + "&to=" + from.plusSeconds(1_800) + "&subscription=sms");

        assertThat(time(found, "from")).isEqualTo(from);
        assertThat(time(found, "to")).isEqualTo(from.plusSeconds(1_800));
        assertThat(found.get("at").size()).isEqualTo(6);
        assertThat(found.get("subscriptions").size()).isEqualTo(1);
        assertThat(found.at("/subscriptions/sms/ratePerSecond/1").asDouble()).isEqualTo(1.0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "minutes=60&from=2h | 400 | minutes, and from and to, exclude each other",
                "to=1h | 400 | from is missing",
                "from=1h&to=2h | 400 | must be at least 10 s before to (20",
                "from=2000-01-01 | 400 | samples are kept for 7 days. Use a time after 20",
                "from=2999-01-01 | 400 | is in the future",
                "from=1h&to=2999-01-01 | 400 | is longer than 7 days",
                "from=yesterday | 400 | from must be a time",
                "minutes=10081 | 400 | minutes must be a number between 1 and 10080",
                "subscription=ordres | 404 | There is no subscription ordres, did you mean orders?"
            })
    void a_range_or_a_name_that_cannot_be_meant_is_refused(String query, int status, String detail) throws Exception {
        var refused = relay.get("/api/history?" + query);

        assertThat(refused.status()).isEqualTo(status);
        assertThat(refused.detail()).contains(detail);
    }

    private static Instant time(JsonNode history, String name) {
        return Instant.parse(history.get(name).asText());
    }

    private static JsonNode history(String query) throws Exception {
        var found = relay.get("/api/history?" + query);
        found.assertStatus(200);
        return found.json();
    }

    private static List<JsonNode> marks(String query) throws Exception {
        return StreamSupport.stream(history(query).get("marks").spliterator(), false)
                .toList();
    }
}
