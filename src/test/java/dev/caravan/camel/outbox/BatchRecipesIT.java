package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.TestHttp;
import dev.caravan.TestHttp.Answer;
import dev.caravan.TestKafka;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.component.kafka.KafkaComponent;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The routes on the pages docs/recipes/batch-*.md, with real servers. */
class BatchRecipesIT {
    private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String KEYS_AND_TYPES =
            "select 'order', 'k' || n %% 10, 'order.created', json_build_object('n', n) from generate_series(1, %d) n";

    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void kafka() throws Exception {
        write(30);
        TestKafka.create("orders", 1);
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " values ('booking', 'b', 'booking.made', '{}')");

        try (TestRelay relay = start("batch-kafka", Map.of())) {
            outbox.awaitPassed("events-to-kafka", 31);
        }

        assertThat(TestKafka.records("orders"))
                .extracting(ConsumerRecord::key)
                .hasSizeGreaterThanOrEqualTo(30)
                .contains("k0", "k9");
        assertThat(TestKafka.records("bookings"))
                .extracting(ConsumerRecord::key)
                .contains("b");
    }

    @Test
    void sql() throws Exception {
        write(300);
        outbox.execute("create table order_event (id uuid primary key, order_id text, type text, payload jsonb"
                + " constraint not_17 check (payload ->> 'n' <> '17'))");

        try (TestRelay relay = start("batch-sql", Map.of())) {
            eventually(() -> assertThat(outbox.number("select count(*) from order_event where order_id <> 'k7'"))
                    .isEqualTo(270));
            eventually(() -> assertThat(outbox.waiting("orders-to-table")).isNotEmpty());
        }

        assertThat(outbox.waiting("orders-to-table").get(0).id()).isEqualTo(17);
        assertThat(
                        outbox.text(
                                "select e.payload ->> 'n' from order_event e join outbox o on o.message_id = e.id where o.id = 12"))
                .isEqualTo("12");
    }

    @Test
    void http() throws Exception {
        write(250);
        var server = new TestHttp(request -> Answer.of(isRefused(request.text()) ? 400 : 200));

        try (TestRelay relay = start("batch-http", Map.of("partner.url", server.url()))) {
            eventually(() -> assertThat(outbox.dead("orders-to-partner")).containsExactly(17L));
            outbox.awaitPassed("orders-to-partner", 250);
        }

        List<JsonNode> lines = server.requests().stream()
                .map(TestHttp.Request::text)
                .filter(body -> !isRefused(body))
                .flatMap(String::lines)
                .map(BatchRecipesIT::json)
                .toList();
        assertThat(lines).hasSize(249);
        assertThat(lines.get(0).get("id").asText())
                .isEqualTo(outbox.text("select message_id from outbox where id = 1"));
    }

    private static boolean isRefused(String body) {
        return body.contains("\"n\":17}");
    }

    @Test
    void a_header_of_a_row_does_not_replace_a_column_of_the_table() throws Exception {
        outbox.execute("create table order_event (id uuid primary key, order_id text, type text, payload jsonb)");
        outbox.execute(
                "insert into outbox (aggregate_type, aggregate_id, type, headers, payload) values ('order', 'a', 'order.created',"
                        + " '{\"aggregate_id\": \"evil\", \"Aggregate_Id\": \"evil\", \"body\": \"\\\"evil\\\"\", \"tenant\": \"x\"}', '{}')");

        try (TestRelay relay = start("batch-sql", Map.of())) {
            outbox.awaitPassed("orders-to-table", 1);
        }

        assertThat(outbox.text("select order_id || payload from order_event")).isEqualTo("a{}");
    }

    @Test
    void a_type_does_not_add_a_field_to_a_line() throws Exception {
        outbox.execute(
                "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                        + " values ('order', 'a', ?, '{\"n\":\n 1.50}')",
                "order.a\",\"id\":\"evil\",\"x\":\"\n");

        var server = new TestHttp(200);

        try (TestRelay relay = start("batch-http", Map.of("partner.url", server.url()))) {
            outbox.awaitPassed("orders-to-partner", 1);
        }

        List<String> lines = server.requests().get(0).text().lines().toList();
        assertThat(lines).hasSize(1);
        assertThat(json(lines.get(0)).get("id").asText())
                .isEqualTo(outbox.text("select message_id from outbox where id = 1"));
        assertThat(lines.get(0)).endsWith("\"data\":{\"n\":1.50}}");
    }

    /** A message would count as delivered although its document is not stored. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"items\": [{\"index\": {\"_id\": \"other\", \"status\": 201}}]}",
                "{\"items\": [{\"delete\": {\"_id\": \"a\", \"status\": 404}}]}",
                "{\"items\": [{\"index\": {\"_id\": \"a\", \"status\": 404}, \"delete\": {\"status\": 200}}]}",
                "{\"items\": [{\"delete\": {\"status\": 200}, \"index\": {\"_id\": \"a\", \"status\": 404}}]}",
                "{\"items\": [{\"index\": 201}]}"
            })
    void an_answer_to_another_request_delivers_nothing(String answer) throws Exception {
        outbox.insert("a");
        var server = new TestHttp(request -> new Answer(200, Map.of(), answer));

        try (TestRelay relay = start("batch-elasticsearch", Map.of("search.url", server.url()))) {
            eventually(() -> assertThat(outbox.waiting("orders-to-search").size()
                            + outbox.dead("orders-to-search").size())
                    .isEqualTo(1));
        }
    }

    /** For example because the disk is full. */
    @Test
    void an_index_that_is_blocked_makes_no_dead_letters() throws Exception {
        long id = outbox.insert("a");
        String answer = "{\"items\": [{\"index\": {\"_id\": \"a\", \"status\": %d}}]}";
        AtomicInteger requests = new AtomicInteger();
        var server = new TestHttp(request ->
                new Answer(200, Map.of(), String.format(answer, requests.incrementAndGet() == 1 ? 403 : 201)));

        try (TestRelay relay = start("batch-elasticsearch", Map.of("search.url", server.url()))) {
            outbox.awaitPassed("orders-to-search", id);
        }

        assertThat(requests).hasValue(2);
        assertThat(outbox.dead("orders-to-search")).isEmpty();
    }

    /** As with {@code action.auto_create_index: false} while an alias is missing. */
    @Test
    void a_delete_waits_for_an_index_that_does_not_exist() throws Exception {
        outbox.execute(
                "insert into outbox (aggregate_type, aggregate_id, type) values ('order', 'a', 'order.deleted')");
        String absent = "{\"items\": [{\"delete\": {\"_id\": \"a\", \"status\": 404,"
                + " \"error\": {\"type\": \"index_not_found_exception\", \"reason\": \"no such index\"}}}]}";
        String deleted = "{\"items\": [{\"delete\": {\"_id\": \"a\", \"status\": 200}}]}";
        AtomicInteger requests = new AtomicInteger();
        var server =
                new TestHttp(request -> new Answer(200, Map.of(), requests.incrementAndGet() == 1 ? absent : deleted));

        try (TestRelay relay = start("batch-elasticsearch", Map.of("search.url", server.url()))) {
            outbox.awaitPassed("orders-to-search", 1);
        }

        assertThat(requests).hasValue(2);
        assertThat(outbox.dead("orders-to-search")).isEmpty();
    }

    @Test
    void files(@TempDir Path folder) throws Exception {
        write(40);

        try (TestRelay relay = start("batch-files", Map.of("orders.folder", folder.toString()), "1m", "200ms")) {
            outbox.awaitPassed("orders-to-files", 40);
        }

        try (Stream<Path> files = Files.list(folder)) {
            List<Path> all = files.sorted().toList();
            assertThat(all.get(0).getFileName()).hasToString("orders-1.ndjson");
            assertThat(all.stream().mapToLong(BatchRecipesIT::lines).sum()).isEqualTo(40);
        }
    }

    @Test
    void elasticsearch() throws Exception {
        write(60);
        outbox.execute(
                "insert into outbox (aggregate_type, aggregate_id, type) values ('order', 'gone', 'order.deleted')");
        Map<String, Long> versions = new HashMap<>();
        Map<String, String> documents = new HashMap<>();
        var server = new TestHttp(request -> new Answer(200, Map.of(), bulk(request.text(), versions, documents)));

        try (TestRelay relay = start("batch-elasticsearch", Map.of("search.url", server.url()))) {
            eventually(() -> assertThat(outbox.dead("orders-to-search")).containsExactly(17L));
            outbox.awaitPassed("orders-to-search", 61);
            eventually(() -> assertThat(outbox.waiting("orders-to-search")).isEmpty());
        }

        assertThat(outbox.text("select error_text from outbox_dead_letter"))
                .isEqualTo("400 mapper_parsing_exception: failed to parse");
        assertThat(server.requests())
                .extracting(each -> each.header("Content-Type"))
                .containsOnly("application/x-ndjson");
        assertThat(documents).hasSize(10).containsEntry("k7", "{\"n\" : 57}");
    }

    /** Answers as Elasticsearch does: refuses one document, one at first, and old versions. */
    private static synchronized String bulk(String body, Map<String, Long> versions, Map<String, String> documents) {
        List<String> lines = body.lines().toList();
        List<String> items = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            JsonNode action = json(lines.get(i));
            String name = action.fieldNames().next();
            String id = action.get(name).get("_id").asText();
            long version = action.get(name).get("version").asLong();
            String document = name.equals("delete") ? null : lines.get(++i);
            int status = 200;
            if (version == 17) {
                status = 400;
            } else if (name.equals("delete")) {
                status = 404;
            } else if (version == 23 && versions.put("refused once", 1L) == null) {
                status = 500;
            } else if (versions.getOrDefault(id, 0L) >= version) {
                status = 409;
            } else {
                versions.put(id, version);
                documents.put(id, document);
            }
            items.add("{\"" + name + "\":{\"_id\":\"" + id + "\",\"status\":" + status
                    + (status == 404
                            ? ",\"result\":\"not_found\"}}"
                            : ",\"error\":{\"type\":\"mapper_parsing_exception\",\"reason\":\"failed to parse\"}}}"));
        }
        return "{\"errors\":true,\"items\":[" + String.join(",", items) + "]}";
    }

    private void write(int messages) {
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload) "
                + KEYS_AND_TYPES.formatted(messages));
    }

    private TestRelay start(String page, Map<String, String> settings, String... replaced) throws Exception {
        var match = YAML.matcher(Files.readString(Path.of("docs/recipes/" + page + ".md")));
        assertThat(match.find()).isTrue();
        String yaml = replaced.length == 0 ? match.group(1) : match.group(1).replace(replaced[0], replaced[1]);
        return TestRelay.startAsShipped(outbox.pool(), routes -> {
            settings.forEach(routes.getContext().getPropertiesComponent()::addInitialProperty);
            routes.getContext().getRegistry().bind("dataSource", outbox.dataSource());
            routes.getContext()
                    .getComponent("kafka", KafkaComponent.class)
                    .getConfiguration()
                    .setBrokers(TestKafka.brokers());
            PluginHelper.getRoutesLoader(routes.getContext())
                    .loadRoutes(ResourceHelper.fromString(page + ".camel.yaml", yaml));
        });
    }

    private static JsonNode json(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long lines(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
