package dev.caravan.console.identity;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.relay.Relay;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sign-in at relays of an outbox. */
class SignInIT {
    private static final String SESSION = "caravan";

    @TempDir
    private Path routes;

    private final Browser browser = new Browser();
    private final int port;

    SignInIT() throws IOException {
        port = FreePorts.one();
    }

    @Test
    void a_session_that_ended_is_refused_by_every_relay_of_the_outbox_and_after_a_restart() throws Exception {
        TestOutbox database = TestOutbox.create();
        String role = database.roleWithGrants();
        database.execute("insert into outbox_ended_session values (gen_random_uuid(), now() - interval '2 hours'),"
                + " (gen_random_uuid(), now() - interval '10 minutes')");
        int other = FreePorts.one();
        try (TestProvider provider = new TestProvider()) {
            Map<String, String> settings = settings(database, provider.issuer());
            settings.put("caravan.db.user", role);
            settings.put("caravan.db.password", TestOutbox.PASSWORD_OF_ROLES);
            String copy;
            try (Relay first = relay(settings, port);
                    Relay second = relay(settings, other)) {
                assertThat(signIn().body()).contains("permission", "outbox_ended_session");
                database.execute("grant select, insert, delete on outbox_ended_session to " + role);
                assertThat(signIn().statusCode()).isEqualTo(302);
                copy = browser.cookies.get(SESSION);
                eventually(() -> assertThat(status(port, copy)).isEqualTo(200));
                assertThat(status(other, copy)).isEqualTo(200);

                assertThat(browser.post(at(port, "/auth/logout"), "Content-Type", "application/json")
                                .statusCode())
                        .isEqualTo(200);

                assertThat(status(port, copy)).isEqualTo(401);
                eventually(() -> assertThat(status(other, copy)).isEqualTo(401));
            }
            try (Relay restarted = relay(settings, port)) {
                assertThat(status(port, copy)).isEqualTo(401);
            }
            assertThat(database.number("select count(*) from outbox_ended_session"))
                    .isEqualTo(3); // with the sign-in
        }
    }

    private HttpResponse<String> signIn() throws Exception {
        HttpResponse<String> begun = browser.get(at(port, "/auth/login"));
        return browser.get(Browser.location(browser.get(Browser.location(begun))));
    }

    @Test
    void health_metrics_and_the_api_answer_while_many_wait_for_a_provider_that_does_not() throws Exception {
        TestOutbox database = TestOutbox.create();
        HttpClient client = HttpClient.newHttpClient();
        try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
                Relay relay = relay(settings(database, "http://127.0.0.1:" + silent.getLocalPort()), port)) {
            eventually( // a relay is not ready before its first read
                    () -> assertThat(browser.get(at(port, "/observe/health")).statusCode())
                            .isEqualTo(200));
            HttpRequest login =
                    HttpRequest.newBuilder(URI.create(at(port, "/auth/login"))).build();
            List<CompletableFuture<HttpResponse<String>>> waiting = IntStream.range(0, 60)
                    .mapToObj(any -> client.sendAsync(login, HttpResponse.BodyHandlers.ofString()))
                    .toList();
            silent.accept(); // the relay has asked

            for (String path : List.of("/observe/health", "/observe/metrics", "/api/me")) {
                assertThat(browser.get(at(port, path), "Authorization", "Bearer " + GuardedServer.TOKEN)
                                .statusCode())
                        .as(path)
                        .isEqualTo(200);
            }
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
        }
    }

    private Map<String, String> settings(TestOutbox database, String issuer) throws Exception {
        Files.writeString(routes.resolve("orders.camel.yaml"), """
            - route:
                id: orders
                from:
                  uri: outbox:orders
                  steps:
                    - log: "${header.id}"
            """);
        Map<String, String> settings = new HashMap<>(database.connection());
        settings.putAll(TestProvider.settings(issuer, "http://127.0.0.1:" + port, "read: staff"));
        settings.putAll(Map.of("caravan.routes", routes.toString(), "camel.management.enabled", "true"));
        return settings;
    }

    private static Relay relay(Map<String, String> given, int port) throws Exception {
        Map<String, String> settings = new HashMap<>(given);
        settings.put("camel.management.port", Integer.toString(port));
        settings.put("camel.component.outbox.relay", "relay-" + port);
        return Relay.start(Settings.load(Path.of("none.properties"), settings));
    }

    private static String at(int port, String path) {
        return "http://127.0.0.1:" + port + path;
    }

    private static int status(int port, String session) throws Exception {
        Browser thief = new Browser();
        thief.cookies.put(SESSION, session);
        return thief.get(at(port, "/api/me")).statusCode();
    }
}
