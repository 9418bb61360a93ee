package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.caravan.TestKafka;
import io.cloudevents.CloudEvent;
import io.cloudevents.http.HttpMessageFactory;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The step {@code cloud-event}, as Kafka and HTTP receivers read it, also with the SDK of CloudEvents. */
class CloudEventIT {
    private static final String KEY = "ü😀 100% \"x\"";
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String STRUCTURED = "application/cloudevents+json; charset=UTF-8";

    private record Request(Map<String, List<String>> headers, byte[] body) {
        private String header(String name) {
            List<String> values = headers.get(name);
            return values == null ? null : String.join("|", values);
        }
    }

    private final List<Request> binaryRequests = new CopyOnWriteArrayList<>();
    private final List<Request> structuredRequests = new CopyOnWriteArrayList<>();
    private final String binaryTopic = TestKafka.newTopic(1);
    private final String structuredTopic = TestKafka.newTopic(1);
    private final TestOutbox outbox = TestOutbox.create();
    private HttpServer server;

    @BeforeEach
    void create() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/binary", exchange -> take(exchange, binaryRequests));
        server.createContext("/structured", exchange -> take(exchange, structuredRequests));
        server.start();
    }

    private static void take(HttpExchange exchange, List<Request> requests) throws IOException {
        assertThat(exchange.getRequestMethod()).isEqualTo("POST");
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(exchange.getRequestHeaders());
        requests.add(new Request(headers, exchange.getRequestBody().readAllBytes()));
        exchange.sendResponseHeaders(204, -1);
        exchange.close();
    }

    @AfterEach
    void close() throws Exception {
        server.stop(0);
        TestKafka.delete(binaryTopic);
        TestKafka.delete(structuredTopic);
    }

    @Test
    void receivers_read_the_events_of_both_modes_and_what_is_no_event_is_a_dead_letter() throws Exception {
        insert(1, KEY, "{\"price\": 1.50,\n \"big\": 12345678901234567890123, \"name\": \"ü😀\"}", null, """
                {"traceparent": "%s", "tenant-id": "a b", "ce_id": "forged", "ce-source": "forged", "CE_Extra": "x"}
                """.formatted(
                        TRACE));
        insert(2, "deleted", null, null, null);
        insert(3, "bytes", null, "\\x00ff", null);
        insert(4, "xml", null, "\\x3c612f3e", "{\"Content-Type\": \"application/xml\"}");
        insert(5, "json bytes", null, "\\x7b2261223a317d", "{\"content-type\": \"application/order+json; v=1\"}");
        insert(6, "not json", null, "\\x7b7d7d", "{\"content-type\": \"application/json\"}");
        insert(7, "bell \u0007", "{}", null, null);
        insert(8, "null", "null", null, null);
        insert(9, "no bytes", null, "\\x", null);
        insert(10, "large", "\"" + "x".repeat(1_500_000) + "\"", null, null);
        insert(11, "nested", "[".repeat(5_000) + "]".repeat(5_000), null, null);
        insert(12, "last", "{}", null, null);
        String uri = "http://localhost:" + server.getAddress().getPort();
        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            String event = "?source=https://shop.example/orders&extensions=traceparent,tenant-id";
            String kafka = "?maxRequestSize=2000000&brokers=" + TestKafka.brokers();
            routes.from("outbox:binary?concurrency=1")
                    .to("cloud-event:binary" + event)
                    .to("kafka:" + binaryTopic + kafka)
                    .to(uri + "/binary");
            routes.from("outbox:structured?concurrency=1")
                    .to("cloud-event:structured" + event)
                    .to("kafka:" + structuredTopic + kafka)
                    .to(uri + "/structured");
        })) {
            eventually(() -> assertThat(binaryRequests).hasSize(11));
            eventually(() -> assertThat(structuredRequests).hasSize(10));
        }
        assertThat(outbox.text(
                        "select string_agg(subscription || ' ' || right(message_id::text, 2) || ' ' || error_text, '; '"
                                + " order by subscription, message_id) from outbox_dead_letter"))
                .isEqualTo(
                        "binary 07 the attribute subject of the event contains the character U+0007, which CloudEvents does not"
                                + " allow; structured 06 the body of the event is not JSON, but its content type is application/json:"
                                + " correct the header Content-Type, or use cloud-event:binary; structured 07 the attribute subject of"
                                + " the event contains the character U+0007, which CloudEvents does not allow");
        checkBinaryKafka(TestKafka.binaryRecords(binaryTopic));
        checkStructuredKafka(TestKafka.binaryRecords(structuredTopic));
        checkBinaryHttp();
        checkStructuredHttp();
    }

    private static void checkBinaryKafka(List<ConsumerRecord<byte[], byte[]>> records) {
        assertThat(records).hasSize(11);
        ConsumerRecord<byte[], byte[]> first = records.get(0);
        assertThat(new String(first.key(), StandardCharsets.UTF_8)).isEqualTo(KEY);
        assertThat(new String(first.value(), StandardCharsets.UTF_8))
                .isEqualTo("{\"price\": 1.50,\n \"big\": 12345678901234567890123, \"name\": \"ü😀\"}");
        Map<String, String> headers = headers(first);
        assertThat(headers).containsEntry("content-type", "application/json");
        assertThat(headers.keySet()).noneMatch(name -> name.startsWith("ce-")).doesNotContain("Content-Type");
        headers.keySet().removeIf(name -> !name.toLowerCase(Locale.ROOT).startsWith("ce_"));
        assertThat(headers)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "ce_specversion", "1.0",
                        "ce_id", "00000000-0000-0000-0000-000000000001",
                        "ce_source", "https://shop.example/orders",
                        "ce_type", "order.created",
                        "ce_subject", KEY,
                        "ce_time", "2026-01-31T12:00:00.500Z",
                        "ce_partitionkey", KEY,
                        "ce_traceparent", TRACE,
                        "ce_tenantid", "a b"));
        CloudEvent read = KafkaMessageFactory.createReader(first).toEvent();
        checkFirst(read);
        assertThat(read.getData().toBytes()).isEqualTo(first.value());
        ConsumerRecord<byte[], byte[]> tombstone = records.get(1);
        assertThat(tombstone.value()).isNull();
        assertThat(headers(tombstone)).containsEntry("ce_type", "order.created").doesNotContainKey("content-type");
        assertThat(KafkaMessageFactory.createReader(tombstone).toEvent().getData())
                .isNull();
        assertThat(records.get(2).value()).containsExactly(0, 0xff);
        assertThat(headers(records.get(2))).containsEntry("content-type", "application/octet-stream");
        assertThat(headers(records.get(3))).containsEntry("content-type", "application/xml");
        assertThat(records.get(5).value())
                .as("not checked in binary mode")
                .asString()
                .isEqualTo("{}}");
        assertThat(records.get(6).value()).asString().isEqualTo("null");
        assertThat(records.get(7).value()).as("no tombstone").isEmpty();
    }

    private static void checkFirst(CloudEvent event) {
        assertThat(event.getSpecVersion().toString()).isEqualTo("1.0");
        assertThat(event.getId()).isEqualTo("00000000-0000-0000-0000-000000000001");
        assertThat(event.getSource()).isEqualTo(URI.create("https://shop.example/orders"));
        assertThat(event.getType()).isEqualTo("order.created");
        assertThat(event.getSubject()).isEqualTo(KEY);
        assertThat(event.getTime()).isEqualTo(OffsetDateTime.parse("2026-01-31T12:00:00.5Z"));
        assertThat(event.getDataContentType()).isEqualTo("application/json");
        assertThat(event.getExtensionNames()).containsExactlyInAnyOrder("partitionkey", "traceparent", "tenantid");
        assertThat(event.getExtension("partitionkey")).isEqualTo(KEY);
        assertThat(event.getExtension("traceparent")).isEqualTo(TRACE);
    }

    private static void checkStructuredKafka(List<ConsumerRecord<byte[], byte[]>> records) {
        assertThat(records).hasSize(10);
        for (ConsumerRecord<byte[], byte[]> each : records) {
            assertThat(headers(each)).containsEntry("content-type", STRUCTURED);
            assertThat(headers(each).keySet())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("ce_") || name.startsWith("ce-"));
        }
        ConsumerRecord<byte[], byte[]> first = records.get(0);
        assertThat(new String(first.key(), StandardCharsets.UTF_8)).isEqualTo(KEY);
        assertThat(new String(first.value(), StandardCharsets.UTF_8))
                .isEqualTo("{\"specversion\":\"1.0\",\"id\":\"00000000-0000-0000-0000-000000000001\","
                        + "\"source\":\"https://shop.example/orders\",\"type\":\"order.created\","
                        + "\"subject\":\"ü😀 100% \\\"x\\\"\",\"time\":\"2026-01-31T12:00:00.500Z\","
                        + "\"partitionkey\":\"ü😀 100% \\\"x\\\"\",\"traceparent\":\"" + TRACE
                        + "\",\"tenantid\":\"a b\","
                        + "\"datacontenttype\":\"application/json\","
                        + "\"data\":{\"price\": 1.50,\n \"big\": 12345678901234567890123, \"name\": \"ü😀\"}}");
        checkFirst(KafkaMessageFactory.createReader(first).toEvent());
        String deleted = new String(records.get(1).value(), StandardCharsets.UTF_8);
        assertThat(deleted).contains("\"subject\":\"deleted\"").doesNotContain("data");
        assertThat(records.get(2).value())
                .asString()
                .contains("\"datacontenttype\":\"application/octet-stream\"")
                .endsWith(",\"data_base64\":\"AP8=\"}");
        assertThat(records.get(3).value()).asString().endsWith("\"data_base64\":\"PGEvPg==\"}");
        assertThat(records.get(4).value())
                .asString()
                .endsWith("\"datacontenttype\":\"application/order+json; v=1\",\"data\":{\"a\":1}}");
        assertThat(records.get(5).value()).asString().endsWith(",\"data\":null}");
        assertThat(records.get(6).value()).asString().endsWith(",\"data_base64\":\"\"}");
        CloudEvent bytes = KafkaMessageFactory.createReader(records.get(2)).toEvent();
        assertThat(bytes.getData().toBytes()).containsExactly(0, 0xff);
        CloudEvent large = KafkaMessageFactory.createReader(records.get(7)).toEvent();
        assertThat(large.getData().toBytes()).hasSize(1_500_002);
    }

    private void checkBinaryHttp() {
        Request first = binaryRequests.get(0);
        assertThat(first.header("ce-id")).isEqualTo("00000000-0000-0000-0000-000000000001");
        assertThat(first.header("ce-source")).isEqualTo("https://shop.example/orders");
        assertThat(first.header("ce-subject")).isEqualTo("%C3%BC%F0%9F%98%80%20100%25%20%22x%22");
        assertThat(first.header("ce-tenantid")).as("a space is encoded").isEqualTo("a%20b");
        assertThat(first.header("ce-time")).isEqualTo("2026-01-31T12:00:00.500Z");
        assertThat(first.header("ce-extra")).isNull();
        assertThat(first.headers().keySet())
                .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("ce_"));
        assertThat(first.header("Content-Type")).isEqualTo("application/json");
        CloudEvent read =
                HttpMessageFactory.createReader(single(first), first.body()).toEvent();
        assertThat(read.getId()).isEqualTo("00000000-0000-0000-0000-000000000001");
        assertThat(read.getType()).isEqualTo("order.created");
        assertThat(read.getData().toBytes()).isEqualTo(first.body());
        Request deleted = binaryRequests.get(1);
        assertThat(deleted.body()).isEmpty();
        assertThat(deleted.header("Content-Type")).isNull();
        assertThat(deleted.header("ce-subject")).isEqualTo("deleted");
        assertThat(binaryRequests.get(2).header("Content-Type")).isEqualTo("application/octet-stream");
        assertThat(binaryRequests.get(3).header("Content-Type")).isEqualTo("application/xml");
    }

    private void checkStructuredHttp() {
        for (Request each : structuredRequests) {
            assertThat(each.header("Content-Type")).isEqualTo(STRUCTURED);
            assertThat(each.headers().keySet())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("ce"));
        }
        Request first = structuredRequests.get(0);
        checkFirst(HttpMessageFactory.createReader(single(first), first.body()).toEvent());
    }

    private static Map<String, String> single(Request request) {
        Map<String, String> headers = new TreeMap<>();
        request.headers().forEach((name, values) -> headers.put(name, values.get(0)));
        return headers;
    }

    private static Map<String, String> headers(ConsumerRecord<byte[], byte[]> each) {
        Map<String, String> headers = new TreeMap<>();
        for (Header header : each.headers()) {
            headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
        }
        return headers;
    }

    private void insert(int id, String key, String json, String bytes, String headers) {
        outbox.execute(
                "insert into outbox (message_id, aggregate_type, aggregate_id, type, payload, payload_bytes, headers, created_at)"
                        + " values (('00000000-0000-0000-0000-' || lpad(?::text, 12, '0'))::uuid, 'order', ?, 'order.created',"
                        + " ?::json, ?::bytea, ?::jsonb, '2026-01-31 12:00:00.5Z')",
                id,
                key,
                json,
                bytes,
                headers);
    }
}
