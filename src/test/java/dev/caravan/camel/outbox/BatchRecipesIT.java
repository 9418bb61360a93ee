package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.caravan.TestKafka;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.kafka.KafkaComponent;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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

    /** The requests that the server has accepted. */
    private final List<String> accepted = new CopyOnWriteArrayList<>();

    private final List<String> contentTypes = new CopyOnWriteArrayList<>();

    private TestOutbox outbox;
    private HttpServer server;

    @BeforeEach
    void create() throws Exception {
        outbox = TestOutbox.create();
    }

    @AfterEach
    void close() throws Exception {
        if (server != null) {
            server.stop(0);
        }
        outbox.close();
    }

    @Test
    void kafka() throws Exception {
        write(30);
        TestKafka.create("orders", 1);
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " values ('booking', 'b', 'booking.made', '{}')");

        try (TestRelay relay = start("batch-kafka", Map.of())) {
            eventually(() -> assertThat(outbox.passed("events-to-kafka", 31)).isTrue());
        }

        assertThat(keysOf("orders")).hasSizeGreaterThanOrEqualTo(30).contains("k0", "k9");
        assertThat(keysOf("bookings")).contains("b");
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
        String url = serve(body -> body.contains("\"n\":17}") ? "400" : "200");

        try (TestRelay relay = start("batch-http", Map.of("partner.url", url))) {
            eventually(() -> assertThat(outbox.dead("orders-to-partner")).containsExactly(17L));
            eventually(() -> assertThat(outbox.passed("orders-to-partner", 250)).isTrue());
        }

        List<JsonNode> lines = accepted.stream()
                .flatMap(String::lines)
                .map(BatchRecipesIT::json)
                .toList();
        assertThat(lines).hasSize(249);
        assertThat(lines.get(0).get("id").asText())
                .isEqualTo(outbox.text("select message_id from outbox where id = 1"));
    }

    @Test
    void a_header_of_a_row_does_not_replace_a_column_of_the_table() throws Exception {
        outbox.execute("create table order_event (id uuid primary key, order_id text, type text, payload jsonb)");
        outbox.execute(
                "insert into outbox (aggregate_type, aggregate_id, type, headers, payload) values ('order', 'a', 'order.created',"
                        + " '{\"aggregate_id\": \"evil\", \"Aggregate_Id\": \"evil\", \"body\": \"\\\"evil\\\"\", \"tenant\": \"x\"}', '{}')");

        try (TestRelay relay = start("batch-sql", Map.of())) {
            eventually(() -> assertThat(outbox.passed("orders-to-table", 1)).isTrue());
        }

        assertThat(outbox.text("select order_id || payload from order_event")).isEqualTo("a{}");
    }

    @Test
    void a_type_does_not_add_a_field_to_a_line() throws Exception {
        outbox.jdbc()
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                                + " values ('order', 'a', ?, '{\"n\":\n 1.50}')",
                        "order.a\",\"id\":\"evil\",\"x\":\"\n");

        try (TestRelay relay = start("batch-http", Map.of("partner.url", serve(body -> "200")))) {
            eventually(() -> assertThat(outbox.passed("orders-to-partner", 1)).isTrue());
        }

        List<String> lines = accepted.stream().flatMap(String::lines).toList();
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
                "{\"items\": [{\"index\": 201}]}"
            })
    void an_answer_to_another_request_delivers_nothing(String answer) throws Exception {
        outbox.insert("a");

        try (TestRelay relay = start("batch-elasticsearch", Map.of("search.url", serve(body -> answer)))) {
            eventually(() -> assertThat(accepted).isNotEmpty());
            eventually(() -> assertThat(outbox.waiting("orders-to-search").size()
                            + outbox.dead("orders-to-search").size())
                    .isEqualTo(1));
        }
    }

    @Test
    void files(@TempDir Path folder) throws Exception {
        write(40);

        try (TestRelay relay = start("batch-files", Map.of("orders.folder", folder.toString()), "1m", "200ms")) {
            eventually(() -> assertThat(outbox.passed("orders-to-files", 40)).isTrue());
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
        String url = serve(body -> bulk(body, versions, documents));

        try (TestRelay relay = start("batch-elasticsearch", Map.of("search.url", url))) {
            eventually(() -> assertThat(outbox.dead("orders-to-search")).containsExactly(17L));
            eventually(() -> assertThat(outbox.passed("orders-to-search", 61)).isTrue());
            eventually(() -> assertThat(outbox.waiting("orders-to-search")).isEmpty());
        }

        assertThat(outbox.text("select error_text from outbox_dead_letter"))
                .isEqualTo("400 mapper_parsing_exception: failed to parse");
        assertThat(contentTypes).containsOnly("application/x-ndjson");
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
                    + ",\"error\":{\"type\":\"mapper_parsing_exception\",\"reason\":\"failed to parse\"}}}");
        }
        return "{\"errors\":true,\"items\":[" + String.join(",", items) + "]}";
    }

    private void write(int messages) {
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload) "
                + KEYS_AND_TYPES.formatted(messages));
    }

    /** @param answer a status, or the body of an answer with the status 200 */
    private String serve(Function<String, String> answer) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                contentTypes.add(exchange.getRequestHeaders().getFirst("Content-Type"));
                String answered = answer.apply(body);
                int status = answered.length() == 3 ? Integer.parseInt(answered) : 200;
                if (status == 200) {
                    accepted.add(body);
                }
                byte[] bytes = answered.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(status, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        });
        server.start();
        return "http://localhost:" + server.getAddress().getPort();
    }

    private TestRelay start(String page, Map<String, String> settings, String... replaced) throws Exception {
        var match = YAML.matcher(Files.readString(Path.of("docs/recipes/" + page + ".md")));
        assertThat(match.find()).isTrue();
        String yaml = replaced.length == 0 ? match.group(1) : match.group(1).replace(replaced[0], replaced[1]);
        RouteBuilder routes = new RouteBuilder() {
            @Override
            public void configure() throws Exception {
                getContext().getRegistry().bind("dataSource", outbox.dataSource());
                getContext()
                        .getComponent("kafka", KafkaComponent.class)
                        .getConfiguration()
                        .setBrokers(TestKafka.brokers());
                ShippedPolicy.load(getContext());
                PluginHelper.getRoutesLoader(getContext())
                        .loadRoutes(ResourceHelper.fromString(page + ".camel.yaml", yaml));
            }
        };
        return TestRelay.startWith(outbox.pool(), new TreeMap<>(settings), routes);
    }

    private static List<String> keysOf(String topic) throws Exception {
        List<String> keys = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of(
                        "bootstrap.servers",
                        TestKafka.brokers(),
                        "group.id",
                        "recipes-" + topic,
                        "auto.offset.reset",
                        "earliest"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            eventually(() -> {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> keys.add(record.key()));
                assertThat(keys).isNotEmpty();
            });
        }
        return keys;
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
