package dev.caravan.relay.monitoring;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.relay.Arrivals;
import dev.caravan.relay.Relay;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole relay, and HTTP requests to it as from Prometheus, Kubernetes and people. */
class MonitoredRelayIT {
    private static final Duration SOME_SAMPLES = Duration.ofSeconds(90);
    private static final String ROUTES = """
            - route:
                id: orders
                from:
                  uri: outbox:orders
                  steps:
                    - process:
                        ref: "#class:dev.caravan.relay.Arrivals"
            - route:
                id: webhook
                from:
                  uri: outbox:webhook
                  steps:
                    - to:
                        uri: "http://localhost:%d/"
            """;

    private final HttpClient http = HttpClient.newHttpClient();
    /** Has a port and does not listen on it: whoever connects is refused. */
    private final Socket closed = new Socket();

    @TempDir
    private Path routes;

    private final TestOutbox database = TestOutbox.create();
    private Relay relay;
    private int port;

    @BeforeEach
    void start() throws Exception {
        port = FreePorts.one();
        closed.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Files.writeString(routes.resolve("orders.camel.yaml"), ROUTES.formatted(closed.getLocalPort()));
        relay = Relay.start(database.settingsWithRoutes(
                routes,
                Map.of(
                        "camel.management.enabled",
                        "true",
                        "camel.management.port",
                        Integer.toString(port),
                        "camel.component.outbox.leaseDuration",
                        "5000",
                        "caravan.db.url",
                        database.url() + "?connectTimeout=1")));
    }

    @AfterEach
    void stop() throws Exception {
        relay.close();
        closed.close();
        Arrivals.forget();
    }

    @Test
    void what_was_delivered_and_what_waits_is_served_with_metrics_of_java_and_camel() throws Exception {
        database.insertMany(40, 10);

        eventually(SOME_SAMPLES, () -> {
            String metrics = get("/observe/metrics").body();
            assertThat(value(metrics, "caravan_delivered_messages_total{lane=\"0\",subscription=\"orders\"}"))
                    .isEqualTo(40);
            assertThat(value(metrics, "caravan_delivery_latency_seconds_count{lane=\"0\",subscription=\"orders\"}"))
                    .isEqualTo(40);
            assertThat(value(metrics, "caravan_backlog_messages{subscription=\"webhook\"}"))
                    .isEqualTo(40);
            assertThat(value(metrics, "caravan_lag_seconds{subscription=\"webhook\"}"))
                    .isPositive();
            assertThat(value(metrics, "caravan_destination_available{lane=\"0\",subscription=\"orders\"}"))
                    .isEqualTo(1);
            assertThat(value(metrics, "caravan_destination_available{lane=\"0\",subscription=\"webhook\"}"))
                    .isZero();
            assertThat(value(metrics, "caravan_sample_age_seconds")).isLessThan(10);
            assertThat(metrics).contains("jvm_memory_used_bytes", "jvm_threads_live_threads", "process_uptime_seconds");
        });
    }

    @Test
    void an_unavailable_destination_degrades_its_subscription_and_neither_liveness_nor_readiness() throws Exception {
        database.insertMany(1, 10);

        eventually(SOME_SAMPLES, () -> assertThat(message("subscription-webhook"))
                .startsWith("degraded: destination unavailable for ")
                .contains("next probe in "));
        eventually(SOME_SAMPLES, () -> {
            assertThat(message("subscription-orders")).startsWith("owned by ");
            assertThat(get("/observe/health").statusCode()).isEqualTo(200);
            assertThat(get("/observe/health/live").statusCode()).isEqualTo(200);
            assertThat(get("/observe/health/ready").statusCode()).isEqualTo(200);
        });
    }

    @Tag("long")
    @Test
    void while_the_database_is_unavailable_the_relay_is_live_and_not_ready_and_metrics_are_stale() throws Exception {
        eventually(SOME_SAMPLES, () -> {
            assertThat(get("/observe/health/ready").statusCode()).isEqualTo(200);
            assertThat(get("/observe/metrics").body()).contains("caravan_lag_seconds{");
        });
        database.refuseConnections();

        eventually(SOME_SAMPLES, () -> {
            assertThat(get("/observe/health/ready").statusCode()).isEqualTo(503);
            assertThat(value(get("/observe/metrics").body(), "caravan_sample_age_seconds"))
                    .isGreaterThan(8);
        });
        assertThat(get("/observe/metrics").body()).contains("caravan_lag_seconds{subscription=\"orders\"}");
        eventually(() -> assertThat(get("/observe/health/live").statusCode()).isEqualTo(200));

        database.acceptConnections();
        eventually(SOME_SAMPLES, () -> {
            assertThat(get("/observe/health/ready").statusCode()).isEqualTo(200);
            assertThat(value(get("/observe/metrics").body(), "caravan_sample_age_seconds"))
                    .isLessThan(8);
        });
    }

    @Tag("long")
    @Test
    void a_changed_route_file_that_cannot_be_loaded_is_counted_and_named_until_it_is_corrected() throws Exception {
        Path file = routes.resolve("orders.camel.yaml");
        String correct = Files.readString(file);
        String series = "caravan_route_files_not_loaded";
        assertThat(value(get("/observe/metrics").body(), series)).isZero();

        Files.writeString(file, correct.replace("outbox:webhook", "outbox:webhook?tipes=a"));
        eventually(SOME_SAMPLES, () -> assertThat(value(get("/observe/metrics").body(), series))
                .isEqualTo(1));
        assertThat(message("route-files")).startsWith("degraded: could not load orders.camel.yaml");
        assertThat(get("/observe/health").statusCode()).isEqualTo(200);
        assertThat(get("/observe/health/ready").statusCode()).isEqualTo(200);

        Files.writeString(file, correct);
        eventually(SOME_SAMPLES, () -> assertThat(value(get("/observe/metrics").body(), series))
                .isZero());
        assertThat(message("route-files")).isEqualTo("all changes are loaded");
    }

    private HttpResponse<String> get(String path) throws Exception {
        URI uri = URI.create("http://localhost:" + port + path);
        return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private String message(String check) throws Exception {
        JsonNode checks =
                new ObjectMapper().readTree(get("/observe/health").body()).get("checks");
        return StreamSupport.stream(checks.spliterator(), false)
                .filter(each -> each.get("name").asText().equals(check))
                .map(each -> each.get("message").asText())
                .findFirst()
                .orElse("");
    }

    private static double value(String metrics, String series) {
        return metrics.lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(Double.NaN);
    }
}
