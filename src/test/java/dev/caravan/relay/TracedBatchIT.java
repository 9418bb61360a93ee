package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.relay.Collector.Sent;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A relay that traces and delivers batches: each message has spans of its own in the trace of its own writer. */
class TracedBatchIT {
    private static final int COUNT = 8;
    private static final long SHAKY = 3;
    private static final String ROUTE = """
            - route:
                id: orders
                from:
                  uri: outbox:orders
                  parameters:
                    batching: true
                    batchMaxMessages: 8
                    backoff: 1ms
                    maxBackoff: 1ms
                  steps:
            """;
    private static final String WHOLE = """
                    - process:
                        ref: "#class:dev.caravan.relay.TracedBatches"
            """;
    private static final String PARTS = """
                    - split:
                        expression:
                          simple:
                            expression: "${body}"
                        steps:
                          - process:
                              ref: "#class:dev.caravan.relay.TracedArrivals"
            """;

    @TempDir
    private Path routes;

    private final TestOutbox database = TestOutbox.create();
    private Collector collector;

    @BeforeEach
    void create() throws Exception {
        collector = new Collector(0);
        database.jdbc()
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type, headers, payload)"
                                + " select 'order', n::text, case when n = ? then 'order.shaky' else 'order.created' end,"
                                + " jsonb_build_object('traceparent', '00-' || lpad(to_hex(n), 32, '0') || '-' || lpad(to_hex(n), 16, '0') || '-01'),"
                                + " '{}' from generate_series(1, ?) n",
                        SHAKY,
                        COUNT);
    }

    @AfterEach
    void close() throws Exception {
        collector.close();
        TracedBatches.forget();
        TracedArrivals.forget();
    }

    @Tag("long")
    @Test
    void a_message_has_a_span_for_each_batch_that_contained_it() throws Exception {
        try (Relay relay = start(WHOLE)) {
            eventually(() -> assertThat(database.passed("orders", COUNT)).isTrue());
        }

        List<TracedBatches.Arrival> arrivals = TracedBatches.arrivals();
        assertThat(arrivals.get(0).traces()).as("the first batch").hasSize(COUNT);
        assertThat(collector.spans())
                .hasSize(arrivals.stream()
                        .mapToInt(arrival -> arrival.traces().size())
                        .sum())
                .allSatisfy(this::isInTheTraceOfItsWriter);
        for (TracedBatches.Arrival arrival : arrivals) {
            assertThat(arrival.own()).doesNotContainKeys("traceparent", "tracestate");
            arrival.traces().forEach((id, traceparent) -> {
                assertThat(span(traceparent).position()).isEqualTo(id);
                assertThat(isFailed(span(traceparent))).isEqualTo(arrival.isFailed());
            });
        }
        assertThat(arrivals.stream()
                        .filter(arrival -> arrival.traces().containsKey(SHAKY))
                        .map(arrival -> span(arrival.traces().get(SHAKY)).attributes())
                        .map(attributes -> attributes.get("messaging.caravan.attempt")))
                .as("in batches of 8, 4 and 2, and alone")
                .containsExactly("1", "2", "3", "4");
    }

    @Test
    void a_message_that_fails_alone_has_the_only_span_with_an_error() throws Exception {
        try (Relay relay = start(PARTS)) {
            eventually(() -> assertThat(TracedArrivals.at(SHAKY)).hasSize(2));
            eventually(() -> assertThat(database.passed("orders", COUNT)).isTrue());
        }

        assertThat(collector.spans()).hasSize(COUNT + 1).allSatisfy(this::isInTheTraceOfItsWriter);
        assertThat(collector.spans().stream().filter(this::isFailed))
                .singleElement()
                .satisfies(sent -> {
                    assertThat(sent.position()).isEqualTo(SHAKY);
                    assertThat(sent.attributes())
                            .contains(entry("messaging.caravan.attempt", "1"))
                            .contains(entry("messaging.caravan.failure.kind", "message"));
                });
        for (long id = 1; id <= COUNT; id++) {
            long position = id;
            assertThat(TracedArrivals.at(id)).allSatisfy(headers -> assertThat(
                            span(headers.get("traceparent").toString()).position())
                    .isEqualTo(position));
        }
    }

    private void isInTheTraceOfItsWriter(Sent sent) {
        assertThat(sent.traceId()).isEqualTo("%032x".formatted(sent.position()));
        assertThat(sent.parentId()).isEqualTo("%016x".formatted(sent.position()));
    }

    private boolean isFailed(Sent sent) {
        return sent.span().getStatus().getCode() == StatusCode.STATUS_CODE_ERROR;
    }

    /** The span that is the parent of the span of a receiver. */
    private Sent span(String traceparent) {
        return collector.spans().stream()
                .filter(sent -> sent.traceparent().equals(traceparent))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no span has the traceparent " + traceparent));
    }

    /** A relay sends all its spans before its stop ends. */
    private Relay start(String steps) throws Exception {
        Files.writeString(routes.resolve("orders.camel.yaml"), ROUTE + steps);
        return Relay.start(database.settingsWithRoutes(routes, collector.settings()));
    }
}
