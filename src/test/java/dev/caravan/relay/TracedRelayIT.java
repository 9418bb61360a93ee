package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestHttp;
import dev.caravan.TestHttp.Answer;
import dev.caravan.WrittenLog;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.TcpProxy;
import dev.caravan.relay.Collector.Sent;
import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A whole relay that traces, and the collector that it sends its spans to. */
class TracedRelayIT {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String WRITER = "00f067aa0ba902b7";
    private static final String TRACEPARENT = "00-" + TRACE + "-" + WRITER + "-01";

    private static final String ORDERS = """
            - route:
                id: orders
                from:
                  uri: outbox:orders
                  parameters:
                    pipelined: true
                    backoff: 1ms
                  steps:
                    - process:
                        ref: "#class:dev.caravan.relay.TracedArrivals"
            """;
    private static final String WEBHOOK = """
            - route:
                id: webhook
                from:
                  uri: outbox:webhook
                  steps:
                    - to:
                        uri: "http://localhost:%d/"
            """;

    @TempDir
    private Path routes;

    private final TestOutbox database = TestOutbox.create();
    private Collector collector;

    @BeforeEach
    void create() throws Exception {
        collector = new Collector(0);
        Files.writeString(routes.resolve("orders.camel.yaml"), ORDERS);
    }

    @AfterEach
    void close() throws Exception {
        collector.close();
        TracedArrivals.forget();
    }

    @Test
    void an_attempt_is_a_span_below_that_of_the_writer_and_above_that_of_the_receiver() throws Exception {
        try (Relay relay = start()) {
            long id = insert("order.created", "{\"traceparent\": \"" + TRACEPARENT + "\", \"tracestate\": \"shop=1\"}");

            Sent sent = onlySpan();
            assertThat(sent.traceId()).isEqualTo(TRACE);
            assertThat(sent.parentId()).isEqualTo(WRITER);
            assertThat(sent.span().getName()).isEqualTo("deliver orders");
            assertThat(sent.span().getKind()).isEqualTo(SpanKind.SPAN_KIND_PRODUCER);
            assertThat(sent.span().getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_UNSET);
            assertThat(sent.resource()).containsEntry("service.name", "caravan").containsKey("service.version");
            assertThat(sent.attributes())
                    .isEqualTo(Map.of(
                            "messaging.system", "caravan",
                            "messaging.operation.name", "deliver",
                            "messaging.operation.type", "send",
                            "messaging.destination.subscription.name", "orders",
                            "messaging.message.id", messageId(id),
                            "messaging.caravan.message.type", "order.created",
                            "messaging.caravan.message.outbox_id", Long.toString(id),
                            "messaging.caravan.attempt", "1"));
            assertThat(TracedArrivals.at(id).get(0))
                    .containsEntry("traceparent", sent.traceparent())
                    .containsEntry("tracestate", "shop=1");
        }
    }

    @Test
    void each_attempt_is_a_span_of_its_own_and_nothing_of_the_message_is_in_it() throws Exception {
        try (Relay relay = start()) {
            long id = insert(
                    "order.shaky", "{\"traceparent\": \"" + TRACEPARENT + "\", \"email\": \"guest@example.com\"}");

            eventually(() -> assertThat(collector.spans()).hasSize(2));
            List<Sent> spans = collector.spans().stream()
                    .sorted(Comparator.comparing(sent -> sent.attributes().get("messaging.caravan.attempt")))
                    .toList();
            assertThat(spans).extracting(Sent::traceId).containsOnly(TRACE);
            assertThat(spans).extracting(Sent::parentId).containsOnly(WRITER);
            assertThat(spans.get(0).span().getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_ERROR);
            assertThat(spans.get(0).span().getStatus().getMessage()).isEqualTo("IllegalStateException");
            assertThat(spans.get(0).attributes())
                    .containsEntry("error.type", "java.lang.IllegalStateException")
                    .containsEntry("messaging.caravan.failure.kind", "message")
                    .containsEntry("messaging.caravan.attempt", "1");
            assertThat(spans.get(1).span().getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_UNSET);
            assertThat(spans.get(1).attributes()).containsEntry("messaging.caravan.attempt", "2");
            assertThat(TracedArrivals.at(id))
                    .extracting(headers -> headers.get("traceparent"))
                    .containsExactly(spans.get(0).traceparent(), spans.get(1).traceparent());
            assertThat(spans).allSatisfy(sent -> assertThat(sent.toString())
                    .doesNotContain(TracedArrivals.PHONE, "guest@example.com", "customer-77", "the payload"));
        }
    }

    @Tag("long")
    @Test
    void many_messages_in_flight_at_once_each_keep_their_own_parent() throws Exception {
        int count = 1_500;
        try (Relay relay = start()) {
            database.jdbc()
                    .update(
                            "insert into outbox (aggregate_type, aggregate_id, type, headers)"
                                    + " select 'order', (n % 50)::text, case when n % 97 = 0 then 'order.shaky' else 'order.created' end,"
                                    + " jsonb_build_object('traceparent', '00-' || lpad(to_hex(n), 32, '0') || '-' || lpad(to_hex(n), 16, '0') || '-01')"
                                    + " from generate_series(1, ?) n",
                            count);

            eventually(Duration.ofSeconds(30), () -> {
                assertThat(database.passed("orders", count)).isTrue();
                assertThat(database.jdbc().queryForObject("select count(*) from outbox_retry", Long.class))
                        .isZero();
                assertThat(collector.spans().size()).isEqualTo(arrivals(count));
            });
            Map<Long, List<String>> received = new HashMap<>();
            for (Sent sent : collector.spans()) {
                long id = sent.position();
                assertThat(sent.traceId()).isEqualTo("%032x".formatted(id));
                assertThat(sent.parentId()).isEqualTo("%016x".formatted(id));
                received.computeIfAbsent(id, none -> new CopyOnWriteArrayList<>())
                        .add(sent.traceparent());
            }
            for (long id = 1; id <= count; id++) {
                assertThat(TracedArrivals.at(id))
                        .extracting(headers -> headers.get("traceparent"))
                        .containsExactlyInAnyOrderElementsOf(received.get(id).stream()
                                .map(Object.class::cast)
                                .toList());
            }
        }
    }

    private static int arrivals(int count) {
        int arrivals = 0;
        for (long id = 1; id <= count; id++) {
            arrivals += TracedArrivals.at(id).size();
        }
        return arrivals;
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"traceparent\": \"broken\", \"tracestate\": \"shop=1\"}"})
    void a_message_without_a_traceparent_or_with_a_broken_one_begins_a_trace(String headers) throws Exception {
        beginsATrace(headers);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"traceparent\": \"00-00000000000000000000000000000000-00f067aa0ba902b7-01\"}",
                "{\"traceparent\": [1, 2]}",
                "{\"traceparent\": null}",
                "{\"Traceparent\": \"00-zz\"}",
            })
    void a_message_without_a_usable_traceparent_begins_a_trace(String headers) throws Exception {
        beginsATrace(headers);
    }

    private void beginsATrace(String headers) throws Exception {
        try (Relay relay = start()) {
            long id = insert("order.created", headers);

            Sent sent = onlySpan();
            assertThat(sent.parentId()).isEmpty();
            assertThat(TracedArrivals.at(id).get(0))
                    .containsEntry("traceparent", sent.traceparent())
                    .doesNotContainKeys("tracestate", "Traceparent");
            eventually(() -> assertThat(database.passed("orders", id)).isTrue());
        }
    }

    @Tag("long")
    @Test
    void a_trace_that_its_writer_does_not_sample_continues_unsampled() throws Exception {
        try (Relay relay = start()) {
            long unsampled = insert("order.created", "{\"traceparent\": \"00-" + TRACE + "-" + WRITER + "-00\"}");
            long sampled = insert("order.created", "{}");

            assertThat(onlySpan().position()).isEqualTo(sampled);
            assertThat(TracedArrivals.at(unsampled).get(0).get("traceparent").toString())
                    .startsWith("00-" + TRACE + "-")
                    .endsWith("-00")
                    .doesNotContain(WRITER);
        }
    }

    @Test
    void an_http_request_carries_its_span_and_a_refusal_is_told_by_its_status() throws Exception {
        refuses(422, "poison");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"503, destination", "500, message"})
    void each_kind_of_refusal_is_told_by_its_status(int status, String kind) throws Exception {
        refuses(status, kind);
    }

    private void refuses(int status, String kind) throws Exception {
        var asked = new AtomicInteger();
        var partner = new TestHttp(request -> Answer.of(asked.getAndIncrement() == 0 ? 200 : status));
        Files.writeString(routes.resolve("orders.camel.yaml"), WEBHOOK.formatted(partner.port()));
        try (Relay relay = start()) {
            insert("order.created", "{}");
            eventually(() -> assertThat(collector.spans()).hasSize(1));
            insert("order.created", "{\"traceparent\": \"" + TRACEPARENT + "\"}");

            eventually(() -> assertThat(collector.spans()).hasSizeGreaterThanOrEqualTo(2));
            Sent refused = collector.spans().get(1);
            assertThat(refused.parentId()).isEqualTo(WRITER);
            assertThat(refused.span().getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_ERROR);
            assertThat(refused.span().getStatus().getMessage()).isEqualTo("the destination answered " + status);
            assertThat(refused.attributes()).containsEntry("messaging.caravan.failure.kind", kind);
            assertThat(partner.requests())
                    .extracting(each -> each.header("traceparent"))
                    .startsWith(collector.spans().get(0).traceparent(), refused.traceparent());
        }
    }

    @Tag("long")
    @Test
    void a_relay_that_stops_sends_its_last_spans() throws Exception {
        try (Relay relay = start(Map.of("otel.bsp.schedule.delay", "600000"))) {
            long id = insert("order.created", "{}");
            eventually(() -> assertThat(database.passed("orders", id)).isTrue());
        }

        assertThat(collector.spans()).hasSize(1);
    }

    @Test
    void an_unavailable_collector_is_reported_once_and_delays_nothing() throws Exception {
        TcpProxy way = TcpProxy.to(URI.create(collector.endpoint()).getPort());
        way.refuse();
        WrittenLog log = WrittenLog.of("dev.caravan.relay.tracing");
        try (Relay relay = start(Map.of(
                "otel.exporter.otlp.endpoint", Collector.endpoint(way.port()),
                "otel.bsp.max.queue.size", "20",
                "otel.bsp.max.export.batch.size", "10",
                "otel.java.exporter.otlp.retry.disabled", "true"))) {
            database.insertMany(500, 10);
            eventually(() -> assertThat(database.passed("orders", 500)).isTrue());
            eventually(() -> assertThat(log.lines()).isNotEmpty());
            database.insertMany(500, 10);
            eventually(() -> assertThat(database.passed("orders", 1_000)).isTrue());

            way.pass();
            eventually(() -> {
                insert("order.created", "{}");
                assertThat(collector.spans()).isNotEmpty();
            });
            eventually(() -> assertThat(log.lines()).hasSize(2));
            assertThat(log.lines().get(0))
                    .startsWith("Could not send traces: ")
                    .contains("Messages are delivered as usual");
            assertThat(log.lines().get(1)).isEqualTo("Traces are sent again");
        } finally {
            way.close();
        }
    }

    @Test
    void a_setting_of_opentelemetry_that_cannot_be_used_is_reported_at_start() {
        assertThatThrownBy(() -> start(Map.of("otel.traces.sampler", "sometimes")))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("caravan.tracing is true, but OpenTelemetry cannot be set up: ")
                .hasMessageContaining("sometimes");
    }

    /** The SDK quotes values in its errors. */
    @ParameterizedTest
    @CsvSource({
        "otel.exporter.otlp.headers, Bearer tOkenOfTheCollector",
        "otel.exporter.otlp.traces.headers, tOkenOfTheCollector",
        "otel.exporter.otlp.endpoint, http://collector.example:4318?key=tOkenOfTheCollector",
        "otel.exporter.otlp.endpoint, ftp://anna:tOkenOfTheCollector@collector.example",
        "otel.exporter.otlp.endpoint, anna:tOkenOfTheCollector@collector.example"
    })
    void no_secret_of_the_collector_is_in_what_is_reported(String setting, String value) {
        assertThatThrownBy(() -> start(Map.of(setting, value)))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("OpenTelemetry cannot be set up: ")
                .hasMessageNotContaining("tOken");
    }

    private Relay start() {
        return start(Map.of());
    }

    private Relay start(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(collector.settings());
        settings.putAll(more);
        return Relay.start(database.settingsWithRoutes(routes, settings));
    }

    private long insert(String type, String headers) {
        return database.jdbc()
                .queryForObject(
                        "insert into outbox (aggregate_type, aggregate_id, type, headers, payload)"
                                + " values ('customer', 'customer-77', ?, ?::jsonb, '\"the payload\"') returning id",
                        Long.class,
                        type,
                        headers);
    }

    private String messageId(long id) {
        return database.jdbc().queryForObject("select message_id::text from outbox where id = ?", String.class, id);
    }

    private Sent onlySpan() throws Exception {
        eventually(() -> assertThat(collector.spans()).hasSize(1));
        return collector.spans().get(0);
    }
}
