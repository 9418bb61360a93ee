package dev.caravan.console.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.settings.Settings;
import dev.caravan.console.api.HttpRelay.Answered;
import dev.caravan.console.http.ManagementSettings;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.partition.Retention;
import dev.caravan.operate.watch.OutboxSurvey;
import dev.caravan.routes.context.FilesNotLoaded;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The document describes all operations of the server correctly. */
class OpenApiIT {
    private static HttpRelay relay;
    private static JsonNode document;

    @BeforeAll
    static void start() throws Exception {
        relay = HttpRelay.start(Map.of());
        document = relay.get("/api/openapi.json").json();
        Samples.fill(relay.database);
        relay.database.execute("insert into outbox_intake (intake, source) values ('shop', 'shopDb.outbox')");
        relay.database.execute(
                "insert into outbox_job (id, action, details, who, via, state) overriding system value values"
                        + " (1000001, 'discard', '{\"of\": \"dead letters\"}', 'anna', 'token', 'done')");
        relay.database.execute("insert into outbox_job (action, subscription, details, first, total, who, via, state)"
                + " values ('retry', 'other', '{\"of\": \"dead letters\"}', 5, 1, 'anna', 'token', 'paused')");
        relay.database.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " payload, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text,"
                        + " error_stack) select 'orders', id, message_id, aggregate_type, aggregate_id, type, payload,"
                        + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack"
                        + " from outbox_dead_letter where id = 1");
    }

    @AfterAll
    static void stop() {
        relay.close();
    }

    @Test
    void every_operation_of_the_server_is_described_and_no_other() {
        Map<String, Set<String>> served = new TreeMap<>();
        try (Operations operations = new Operations(
                relay.database.dataSource(),
                settings(),
                ManagementSettings.from(settings()),
                ServedBy.relay(relay.relay.context()),
                Observed.own(relay.relay.sampler(), new RecentSamples(), new FilesNotLoaded()),
                new OutboxSurvey(relay.database.dataSource(), Optional::empty, new RecentSamples(), Clock.SYSTEM),
                Retention.UNLIMITED)) {
            operations.all().forEach(operation -> served.put(operation.toString(), new TreeSet<>(operation.names())));
        }
        Map<String, Set<String>> described = new TreeMap<>();
        document.get("paths").properties().forEach(path -> path.getValue()
                .properties()
                .forEach(method ->
                        described.put(method.getKey().toUpperCase() + " " + path.getKey(), names(method.getValue()))));

        assertThat(described).isEqualTo(served);
    }

    private static Settings settings() {
        return Settings.load(Path.of("none.properties"), Map.of());
    }

    /** The query parameters of a read, or the fields of the body of a change. */
    private static Set<String> names(JsonNode operation) {
        Set<String> names = new TreeSet<>();
        operation.path("parameters").forEach(parameter -> {
            if (parameter.get("in").asText().equals("query")) {
                names.add(parameter.get("name").asText());
            }
        });
        body(operation).path("properties").fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static JsonNode body(JsonNode operation) {
        return operation
                .path("requestBody")
                .path("content")
                .path("application/json")
                .path("schema");
    }

    /** The request for each operation, in an order in which no change affects a later request. */
    private static Map<String, String> requests() {
        Map<String, String> requests = new LinkedHashMap<>();
        document.get("paths").fieldNames().forEachRemaining(path -> {
            if (document.get("paths").get(path).has("get") && !path.contains("{")) {
                requests.put("GET " + path, path);
            }
        });
        requests.put("GET /api/intakes/{name}", "/api/intakes/shop");
        requests.put("POST /api/intakes/{name}/pause", "/api/intakes/shop/pause {\"reason\":\"test\"}");
        requests.put("POST /api/intakes/{name}/resume", "/api/intakes/shop/resume {}");
        requests.put("GET /api/subscriptions/{name}", "/api/subscriptions/orders");
        requests.put("GET /api/find", "/api/find?text=order/1");
        requests.put("GET /api/dead-letters/{subscription}/{id}", "/api/dead-letters/sms/1?payload=true");
        requests.put("GET /api/retries/{subscription}/{id}", "/api/retries/sms/900101?payload=true");
        requests.put("GET /api/messages/{id}", "/api/messages/1?payload=true");
        requests.put("GET /api/outcomes/{subscription}/{id}", "/api/outcomes/sms/1");
        requests.put("GET /api/why/{subject}", "/api/why/order%2F1");
        requests.put("POST /api/dead-letters/{subscription}/{id}/try", "/api/dead-letters/orders/1/try {}");
        requests.put("POST /api/subscriptions/{name}/replay", "/api/subscriptions/orders/replay {\"all\":true}");
        requests.put("GET /api/jobs/{id}", "/api/jobs/1000001");
        requests.put("POST /api/jobs/{id}/cancel", "/api/jobs/1000001/cancel {}");
        requests.put("POST /api/subscriptions/{name}/lanes", "/api/subscriptions/sms/lanes {\"lanes\":2}");
        requests.put("POST /api/subscriptions/{name}/pause", "/api/subscriptions/sms/pause {\"reason\":\"test\"}");
        requests.put("POST /api/subscriptions/{name}/resume", "/api/subscriptions/sms/resume {}");
        requests.put(
                "POST /api/dead-letters/{subscription}/{id}/retry",
                "/api/dead-letters/sms/1/retry {\"edit\":{\"payload\":{\"n\":2}},\"dryRun\":true}");
        requests.put(
                "POST /api/dead-letters/{subscription}/{id}/discard",
                "/api/dead-letters/sms/1/discard {\"reason\":\"test\"}");
        requests.put("POST /api/retries/{subscription}/{id}/retry", "/api/retries/sms/900101/retry {}");
        requests.put(
                "POST /api/retries/{subscription}/{id}/give-up",
                "/api/retries/sms/900101/give-up {\"reason\":\"test\"}");
        requests.put("GET /api/bulk-retries", "/api/bulk-retries");
        requests.put("GET /api/bulk-retries/{id}", "/api/bulk-retries/1");
        requests.put("POST /api/bulk-retries/{id}/resume", "/api/bulk-retries/1/resume {}");
        requests.put("POST /api/bulk-retries/{id}/pause", "/api/bulk-retries/1/pause {}");
        requests.put("POST /api/bulk-retries/{id}/cancel", "/api/bulk-retries/1/cancel {\"reason\":\"test\"}");
        requests.put("GET /api/dead-letters/discarded", "/api/dead-letters/discarded?since=1d");
        requests.put(
                "POST /api/dead-letters/discarded/{subscription}/{id}/undo",
                "/api/dead-letters/discarded/sms/1/undo {\"by\":\"anna\"}");
        requests.put(
                "POST /api/dead-letters/discarded/undo",
                "/api/dead-letters/discarded/undo {\"all\":true,\"dryRun\":true}");
        requests.put(
                "POST /api/dead-letters/groups/{subscription}/{group}",
                "/api/dead-letters/groups/sms/fb73de48ba899626 {\"note\":\"OPS-7\"}");
        requests.put(
                "POST /api/dead-letters/bulk",
                "/api/dead-letters/bulk {\"action\":\"retry\",\"all\":true,\"dryRun\":true}");
        requests.put("POST /api/retries/bulk", "/api/retries/bulk {\"action\":\"retry\",\"all\":true}");
        return requests;
    }

    @Test
    void every_operation_answers_as_it_is_described() throws Exception {
        Map<String, String> requests = requests();
        Set<String> asked = new TreeSet<>();
        for (var request : requests.entrySet()) {
            String[] parts = request.getValue().split(" ", 2);
            Answered answered = parts.length == 1 ? relay.get(parts[0]) : relay.post(parts[0], parts[1]);

            assertThat(answered.status())
                    .as(request.getValue() + " " + answered.json())
                    .isIn(200, 202);
            assertDescribed(request.getKey(), answered);
            asked.add(request.getKey());
        }
        Set<String> described = new TreeSet<>();
        document.get("paths").properties().forEach(path -> path.getValue()
                .fieldNames()
                .forEachRemaining(method -> described.add(method.toUpperCase() + " " + path.getKey())));
        assertThat(asked).isEqualTo(described);
    }

    @Test
    void every_operation_names_its_refusals() {
        document.get("paths")
                .properties()
                .forEach(path -> path.getValue().properties().forEach(operation -> {
                    JsonNode responses = operation.getValue().get("responses");
                    assertThat(responses.has("400")
                                    && responses.has("401")
                                    && responses.has("403")
                                    && responses.has("429"))
                            .as(path.getKey())
                            .isTrue();
                    assertThat(responses.has("404"))
                            .as(path.getKey())
                            .isEqualTo(path.getKey().contains("{"));
                    assertThat(responses.has("409"))
                            .as(path.getKey())
                            .isEqualTo(operation.getKey().equals("post"));
                }));
    }

    /** Otherwise an answer with a field that is not described would be accepted. */
    @Test
    void every_object_names_all_its_fields() {
        assertThat(document.findParents("properties").stream()
                        .filter(object -> !object.path("additionalProperties").isBoolean()))
                .isEmpty();
    }

    @Test
    void a_problem_is_as_it_is_described() throws Exception {
        assertDescribed("GET /api/jobs/{id}", relay.get("/api/jobs/77"));
        assertDescribed("GET /api/me", relay.get("/api/me?x=1"));
    }

    @Test
    void the_other_retries_and_dead_letters_are_as_described() throws Exception {
        assertDescribed("GET /api/retries", relay.get("/api/retries?blocked=true"));
        assertDescribed("GET /api/retries/{subscription}/{id}", relay.get("/api/retries/sms/900102"));
        assertDescribed("GET /api/messages/{id}", relay.get("/api/messages/3"));
        for (String subject : new String[] {
            "1", "3", "900101", "900103", "99999999", UUID.randomUUID().toString()
        }) {
            assertDescribed("GET /api/why/{subject}", relay.get("/api/why/" + subject));
        }
        assertDescribed("GET /api/why/{subject}", relay.get("/api/why/nonsense"));
    }

    @Test
    void binary_messages_are_as_described() throws Exception {
        relay.database.execute(
                "insert into outbox (aggregate_type, aggregate_id, type, payload_bytes) values ('a', 'b', 'c',"
                        + " '\\x00')");
        relay.database.execute("update outbox_dead_letter set payload = null, payload_bytes = '\\x00' where id = 5");
        relay.database.execute("update outbox_retry set payload = null, payload_bytes = '\\x00' where id = 900103");
        long id = relay.database.number("select max(id) from outbox");
        for (String payload : new String[] {"", "?payload=true"}) {
            assertDescribed("GET /api/messages/{id}", relay.get("/api/messages/" + id + payload));
            assertDescribed(
                    "GET /api/dead-letters/{subscription}/{id}", relay.get("/api/dead-letters/sms/5" + payload));
            assertDescribed("GET /api/retries/{subscription}/{id}", relay.get("/api/retries/sms/900103" + payload));
        }
        assertThat(relay.get("/api/messages/" + id + "?payload=true").text("/message/payloadBase64"))
                .isEqualTo("AA==");
    }

    private static void assertDescribed(String operation, Answered answered) {
        String[] parts = operation.split(" ");
        JsonNode responses =
                document.get("paths").get(parts[1]).get(parts[0].toLowerCase()).get("responses");
        JsonNode named = responses.path("" + answered.status());
        JsonNode response = answered.status() < 300
                ? named
                : document.at(named.path("$ref").asText().substring(1));
        String type = answered.response().headers().firstValue("Content-Type").orElseThrow();
        JsonNode described = response.get("content").get(type);
        assertThat(described).as(operation + " answers " + type).isNotNull();
        ObjectNode schema = described.get("schema").deepCopy();
        schema.set("components", document.get("components"));
        var errors = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(schema)
                .validate(answered.json());
        assertThat(errors).as(operation + ": " + answered.json()).isEmpty();
    }

    @Test
    void the_document_is_json_without_anything_of_this_machine() throws Exception {
        assertThat(new ObjectMapper().writeValueAsString(document))
                .doesNotContain("localhost", System.getProperty("user.dir"));
    }
}
