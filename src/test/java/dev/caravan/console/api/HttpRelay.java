package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.relay.Relay;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A relay with one route, {@code orders}, and requests to its management server. */
final class HttpRelay implements AutoCloseable {
    static final String TOKEN = "operator-token-of-the-test";
    static final String READ_TOKEN = "reader-token-of-the-test";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** An answer. */
    record Answered(int status, JsonNode json, HttpResponse<String> response) {
        String detail() {
            return json.path("detail").asText();
        }

        /** The text at a place in the body, such as {@code /items/0/state}. */
        String text(String place) {
            return json.at(place).asText();
        }

        /** The number at a place in the body. */
        long number(String place) {
            JsonNode number = json.at(place);
            assertThat(number.isNumber()).as(place).isTrue();
            return number.asLong();
        }

        /** This status. */
        Answered assertStatus(int code) {
            assertThat(status).as("%s", json).isEqualTo(code);
            return this;
        }

        /** This status, and these texts in the detail. */
        Answered assertProblem(int code, String... texts) {
            assertStatus(code);
            assertThat(texts).allSatisfy(text -> assertThat(detail()).contains(text));
            return this;
        }
    }

    final TestOutbox database;
    final int port;
    final Relay relay;
    private final Path routes;
    private final HttpClient client = HttpClient.newBuilder().build();

    private HttpRelay(TestOutbox database, Path routes, int port, Relay relay) {
        this.database = database;
        this.routes = routes;
        this.port = port;
        this.relay = relay;
    }

    static HttpRelay start(Map<String, String> more) throws Exception {
        return start(TestOutbox.create(), more);
    }

    /** Returns after the relay has registered the subscription of its route. */
    static HttpRelay start(TestOutbox database, Map<String, String> more) throws Exception {
        Map<String, String> settings = new HashMap<>(database.connection());
        settings.putAll(more);
        HttpRelay started = started(database, settings);
        eventually(() -> assertThat(database.number("select count(*) from outbox_subscription"))
                .isPositive());
        return started;
    }

    /** A relay on the database of the test; it has no {@link #database}. */
    static HttpRelay on(Map<String, String> connection) throws Exception {
        return started(null, connection);
    }

    private static HttpRelay started(TestOutbox database, Map<String, String> given) throws Exception {
        Path routes = Files.createTempDirectory("api-routes");
        Files.writeString(routes.resolve("orders.camel.yaml"), """
                - route:
                    id: orders
                    from:
                      uri: outbox:orders
                      parameters:
                        types: "order.*"
                      steps:
                        - log: "${header.id}"
                """);
        int port = FreePorts.one();
        Map<String, String> settings = new HashMap<>(Map.of(
                "caravan.routes",
                routes.toString(),
                "camel.management.enabled",
                "true",
                "camel.management.port",
                Integer.toString(port),
                "camel.component.outbox.relay",
                "relay-of-the-test"));
        settings.putAll(given);
        Relay relay = Relay.start(Settings.load(Path.of("none.properties"), settings));
        return new HttpRelay(database, routes, port, relay);
    }

    static Map<String, String> tokens() {
        return Map.of("caravan.management.token", TOKEN, "caravan.management.readToken", READ_TOKEN);
    }

    Answered get(String path, String... headers) throws Exception {
        return send(request(path, headers).GET());
    }

    Answered post(String path, String body, String... headers) throws Exception {
        return send(request(path, headers)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
    }

    HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(Duration.ofSeconds(30));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request;
    }

    /** Sends a request, and repeats it while the relay answers 429. */
    Answered send(HttpRequest.Builder request) throws Exception {
        Answered[] answered = new Answered[1];
        eventually(() -> {
            answered[0] = sendOnce(request);
            assertThat(answered[0].status()).isNotEqualTo(429);
        });
        return answered[0];
    }

    /** Sends many requests at once; returns the answers with status 429. */
    List<HttpResponse<Void>> refusedOf(int count, HttpRequest.Builder request) {
        HttpClient many = // with HTTP/2 there is a limit for each connection
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        return IntStream.range(0, count)
                .mapToObj(any -> many.sendAsync(request.build(), BodyHandlers.discarding()))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .filter(response -> response.statusCode() == 429)
                .toList();
    }

    Answered sendOnce(HttpRequest.Builder request) throws Exception {
        HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
        boolean json = response.headers().firstValue("Content-Type").orElse("").contains("json");
        return new Answered(
                response.statusCode(),
                JSON.readTree(json && !response.body().isEmpty() ? response.body() : "null"),
                response);
    }

    /** Waits for the end of a job; returns it. */
    JsonNode ended(JsonNode job) throws Exception {
        JsonNode[] now = new JsonNode[1];
        eventually(() -> {
            now[0] = get("/api/jobs/" + job.get("id").asLong()).json();
            assertThat(now[0].get("state").asText()).isNotEqualTo("running");
        });
        return now[0];
    }

    @Override
    public void close() {
        relay.close();
        try (Stream<Path> files = Files.walk(routes)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
