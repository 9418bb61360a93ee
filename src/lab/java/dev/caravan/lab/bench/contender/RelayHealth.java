package dev.caravan.lab.bench.contender;

import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.servers.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The health page of a relay. */
public final class RelayHealth {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private RelayHealth() {}

    /** Waits until a relay is ready, as the readiness probe of Kubernetes does. Its routes have started then. */
    public static void awaitReady(Program relay, String name, String port) throws Exception {
        URI health = URI.create("http://localhost:" + port + "/observe/health/ready");
        HttpClient client = HttpClient.newHttpClient();
        Await.until(name + " is ready", LIMIT, () -> {
            relay.requireAlive();
            return isReady(client, health);
        });
    }

    private static boolean isReady(HttpClient client, URI health) throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(health).build();
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false; // it does not listen yet
        }
    }
}
