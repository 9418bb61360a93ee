package dev.caravan.relay;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An OpenTelemetry collector (OTLP over HTTP) in this process, which records what it receives. */
final class Collector implements AutoCloseable {
    /** One span, as it was sent. */
    record Sent(Span span, Map<String, String> resource) {
        String traceId() {
            return HexFormat.of().formatHex(span.getTraceId().toByteArray());
        }

        String spanId() {
            return HexFormat.of().formatHex(span.getSpanId().toByteArray());
        }

        /** Empty without a parent. */
        String parentId() {
            return HexFormat.of().formatHex(span.getParentSpanId().toByteArray());
        }

        /** The header with which a receiver makes its span a child of this one. */
        String traceparent() {
            return "00-%s-%s-%02x".formatted(traceId(), spanId(), span.getFlags() & 0xff);
        }

        Map<String, String> attributes() {
            return texts(span.getAttributesList());
        }

        long position() {
            return Long.parseLong(attributes().get("messaging.caravan.message.outbox_id"));
        }
    }

    private final List<Sent> spans = new ArrayList<>();
    private final HttpServer server;

    /** @param port 0 for a free one */
    Collector(int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/v1/traces", this::take);
        server.start();
    }

    /** The settings of a relay that sends its spans here soon and drops none. */
    Map<String, String> settings() {
        return Map.of(
                "caravan.tracing", "true",
                "otel.exporter.otlp.endpoint", endpoint(),
                "otel.bsp.schedule.delay", "50",
                "otel.bsp.max.queue.size", "100000");
    }

    String endpoint() {
        return endpoint(server.getAddress().getPort());
    }

    static String endpoint(int port) {
        return "http://localhost:" + port;
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            var request = ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
            synchronized (spans) {
                request.getResourceSpansList().forEach(resource -> resource.getScopeSpansList().stream()
                        .flatMap(scope -> scope.getSpansList().stream())
                        .map(span -> new Sent(span, texts(resource.getResource().getAttributesList())))
                        .forEach(spans::add));
            }
            exchange.sendResponseHeaders(200, -1);
        }
    }

    private static Map<String, String> texts(List<KeyValue> attributes) {
        Map<String, String> texts = new TreeMap<>();
        attributes.forEach(attribute -> texts.put(
                attribute.getKey(),
                attribute.getValue().hasIntValue()
                        ? Long.toString(attribute.getValue().getIntValue())
                        : attribute.getValue().getStringValue()));
        return texts;
    }

    /** What has been sent so far. */
    List<Sent> spans() {
        synchronized (spans) {
            return List.copyOf(spans);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
