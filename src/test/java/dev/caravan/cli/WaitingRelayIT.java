package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.lab.servers.TcpProxy;
import dev.caravan.relay.Running;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A relay that starts while nothing listens on the port of its database. */
class WaitingRelayIT extends RoutesFixture {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final String READY = "/observe/health/ready";

    private final HttpClient http = HttpClient.newHttpClient();

    private int port;

    @Test
    void it_is_live_and_not_ready_and_delivers_when_the_database_has_started() throws Exception {
        TestOutbox database = TestOutbox.create();
        try (var proxy = TcpProxy.to(
                URI.create(database.url().substring("jdbc:".length())).getPort())) {
            proxy.refuse();
            String config = config(database, proxy.port());
            var started = new CompletableFuture<Running>();
            var command = CompletableFuture.supplyAsync(() -> run(config, started));

            eventually(LIMIT, () -> {
                assertThat(get("/observe/health/live")).startsWith("200 ");
                assertThat(get(READY))
                        .startsWith("503 ")
                        .contains("Database unavailable since 20", "Could not connect", "The routes have not started");
            });
            database.insertMany(3, 1);
            proxy.pass();

            eventually(LIMIT, () -> assertThat(database.text("select position from outbox_subscription"))
                    .isEqualTo("3"));
            eventually(LIMIT, () -> assertThat(get(READY)).startsWith("200 "));
            started.get().close();
            command.get().assertDone();
        }
    }

    private static CommandRun run(String config, CompletableFuture<Running> started) {
        return CommandRun.of(
                (settings, beforeRoutes) -> {
                    Running relay = RelayStart.REAL.start(settings, beforeRoutes);
                    started.complete(relay);
                    return relay;
                },
                "run",
                "--config",
                config);
    }

    private String config(TestOutbox database, int databasePort) throws IOException {
        port = FreePorts.one();
        route("orders", "outbox:orders", "log:orders");
        return CommandRun.config(
                folder,
                database.url().replaceFirst(":\\d+/", ":" + databasePort + "/"),
                "postgres",
                "caravan.routes=routes",
                "camel.management.enabled=true",
                "camel.management.port=" + port);
    }

    /** The status, a space and the body; empty while nothing listens. */
    private String get(String path) throws InterruptedException {
        URI uri = URI.create("http://localhost:" + port + path);
        try {
            var answer = http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (IOException e) {
            return "";
        }
    }
}
