package dev.caravan.console.http;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExportsTest {
    private static final String PART = "x".repeat(64 * 1024);
    private static final String END = "\r\n0\r\n\r\n";

    private final Vertx vertx = new TimedConnections(
            0,
            () -> true,
            new RequestTurns.Limits(
                    Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofMillis(300)),
            10);
    private final Exports exports = new Exports();
    private final AtomicInteger parts = new AtomicInteger();
    private volatile Callable<Optional<String>> rest;
    private int port;

    @BeforeEach
    void listen() {
        Router router = Router.router(vertx);
        router.route().handler(this::send);
        port = vertx.createHttpServer(new HttpServerOptions())
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    private void send(RoutingContext context) {
        try {
            exports.send(
                    context,
                    Role.valueOf(context.request().getParam("role", "READ")),
                    new Export("text/csv", "a.csv", "first", () -> {
                        parts.incrementAndGet();
                        return rest.call();
                    }),
                    "GET /");
        } catch (HttpProblem e) {
            ApiHandler.refuse(context, e);
        }
    }

    @AfterEach
    void close() {
        exports.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private Socket request() throws IOException {
        return request(Role.READ);
    }

    private Socket request(Role role) throws IOException {
        Socket client = new Socket("127.0.0.1", port);
        client.setSoTimeout(30_000);
        client.getOutputStream()
                .write(("GET /?role=" + role.name() + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                        .getBytes(StandardCharsets.UTF_8));
        return client;
    }

    private static String received(Socket client) throws IOException {
        return new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void nothing_is_read_while_the_client_takes_nothing_and_then_it_is_disconnected() throws Exception {
        rest = () -> Optional.of(PART);
        try (Socket slow = request()) {
            assertThat(status(slow)).isEqualTo("200");
            int[] before = {-1};
            eventually(() -> {
                int now = parts.get();
                boolean rests = now == before[0];
                before[0] = now;
                assertThat(rests).isTrue();
            });
            assertThat(before[0])
                    .as("parts of 64 KiB in the buffers of the connection")
                    .isLessThan(500);
            for (int i = 0; i < 4; i++) { // with the slow one, more than may run at once
                eventually(() -> {
                    try (Socket next = request()) {
                        assertThat(status(next)).isEqualTo("200");
                    }
                });
            }
            eventually(() -> assertThat(exports.running()).isZero());
            assertThat(received(slow)).doesNotContain(END);
        }
    }

    private static String status(Socket client) throws IOException {
        return new String(client.getInputStream().readNBytes(12), StandardCharsets.UTF_8).substring(9);
    }

    @Test
    void each_role_has_places_of_its_own() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        rest = () -> {
            end.await();
            return Optional.empty();
        };
        List<Socket> clients = new ArrayList<>();
        try {
            for (int i = 0; i <= 4; i++) {
                clients.add(request(Role.READ));
                assertThat(status(clients.get(i))).isEqualTo(i < 4 ? "200" : "429");
            }
            clients.add(request(Role.ADMIN));
            assertThat(status(clients.get(5))).isEqualTo("200");
        } finally {
            end.countDown();
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void a_complete_export_ends_with_an_empty_chunk() throws Exception {
        rest = () -> parts.get() < 3 ? Optional.of(parts.get() == 2 ? "" : "next") : Optional.empty();
        try (Socket client = request()) {
            assertThat(received(client)).contains("5\r\nfirst\r\n4\r\nnext").endsWith(END);
        }
    }

    @Test
    void one_that_fails_ends_without_it_and_frees_its_place() throws Exception {
        rest = () -> {
            if (parts.get() % 2 == 0) {
                throw new IllegalStateException("gone");
            }
            return Optional.of("next");
        };
        for (int i = 0; i < 6; i++) {
            try (Socket client = request()) {
                assertThat(received(client)).contains("200 OK", "next").doesNotContain(END);
            }
        }
    }
}
