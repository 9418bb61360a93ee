package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever one client does: health is answered within a second, and the relay stops within ten. */
@Timeout(180)
class HostileClientsIT {
    private static final String[] OPERATOR = {"Authorization", "Bearer " + HttpRelay.TOKEN};
    private static final String FILE = "/console/lib/uPlot.esm.js";

    private final List<Socket> sockets = new ArrayList<>();
    private HttpRelay relay;

    @BeforeEach
    void start() throws Exception {
        relay = HttpRelay.start(HttpRelay.tokens());
        isUsable(); // everything is loaded
    }

    @AfterEach
    void stop() throws IOException {
        stopsInTime();
        relay.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private void stopsInTime() {
        long begin = System.nanoTime();
        relay.relay.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void pipelined_requests_whose_answers_are_not_read() throws Exception {
        long before = directMemory();
        for (int i = 0; i < 4; i++) {
            String requests = request("GET", FILE, "").repeat(20_000);
            Socket socket = connect();
            CompletableFuture.runAsync(() -> send(socket, requests)); // may block
        }

        isUsable();
        assertThat(directMemory() - before).isLessThan(20_000_000);
    }

    @Test
    void answers_on_many_connections_that_are_not_read() throws Exception {
        long before = directMemory();
        for (int i = 0; i < 400; i++) {
            send(connect(), request("GET", FILE, "").repeat(50));
        }

        isUsable();
        assertThat(directMemory() - before).isLessThan(20_000_000);
    }

    @Test
    void connections_that_send_nothing() throws Exception {
        for (int i = 0; i < 1_000; i++) {
            connect();
        }

        isUsable();
    }

    @Test
    void bodies_and_headers_that_do_not_end() throws Exception {
        for (int i = 0; i < 100; i++) {
            send(
                    connect(),
                    request(
                                    "POST",
                                    "/api/jobs/1/cancel",
                                    "Content-Type: application/json\r\n" + "Authorization: Bearer " + HttpRelay.TOKEN
                                            + "\r\nContent-Length: 100000\r\n")
                            + "{");
            send(
                    connect(),
                    request("GET", FILE, "Transfer-Encoding: chunked\r\n") + "5;extension=" + "x".repeat(3_000));
            send(connect(), "GET / HTTP/1.1\r\nHost: a\r\n" + "X: y\r\n".repeat(1_000));
            send(connect(), "GET /" + "x".repeat(3_000));
        }

        isUsable();
    }

    /** A body that no operation will read takes no memory: it is refused at its head. */
    @Test
    void bodies_of_a_reader_are_not_received() throws Exception {
        List<Socket> readers = new ArrayList<>();
        for (int i = 0; i < 90; i++) {
            Socket socket = connect();
            readers.add(socket);
            send(socket, change(HttpRelay.READ_TOKEN) + "{".repeat(500_000));
        }

        for (Socket reader : readers) {
            reader.setSoTimeout(5_000);
            assertThat(new String(reader.getInputStream().readNBytes(12), StandardCharsets.UTF_8))
                    .isIn("HTTP/1.1 403", "HTTP/1.1 429");
        }
        isUsable();
    }

    @Test
    void the_bodies_of_a_role_share_a_limited_memory() throws Exception {
        List<Socket> operators = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Socket socket = connect();
            operators.add(socket);
            send(socket, change(HttpRelay.TOKEN) + "{".repeat(500_000));
        }

        List<String> refused = new ArrayList<>();
        for (Socket operator : operators.subList(16, operators.size())) {
            operator.setSoTimeout(5_000);
            refused.add(new String(operator.getInputStream().readNBytes(12), StandardCharsets.UTF_8));
        }
        assertThat(refused).containsOnly("HTTP/1.1 429");
        operators.forEach(HostileClientsIT::close);
        eventually(() -> assertThat(
                        relay.post("/api/jobs/1/cancel", "{}", OPERATOR).status())
                .isEqualTo(404));
        isUsable();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The head of a request whose body never ends. */
    private static String change(String token) {
        return request(
                "POST",
                "/api/jobs/1/cancel",
                "Content-Type: application/json\r\nAuthorization: Bearer " + token + "\r\nContent-Length: 1048576\r\n");
    }

    @Test
    void metrics_that_are_requested_without_a_pause() throws Exception {
        for (int i = 0; i < 100; i++) {
            send(connect(), request("GET", "/observe/metrics", "").repeat(20));
        }

        isUsable();
    }

    @Test
    void searches_of_a_reader_that_wait_for_the_database() throws Exception {
        try (var other = relay.database.begin("lock table outbox_dead_letter in access exclusive mode")) {
            for (int i = 0; i < 120; i++) {
                send(
                        connect(),
                        request(
                                "GET",
                                "/api/find?text=order",
                                "Authorization: Bearer " + HttpRelay.READ_TOKEN + "\r\n"));
            }

            isUsable("/api/me");
            stopsInTime();
        }
    }

    @Test
    void tasks_that_block_the_threads_of_the_server() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Vertx vertx = relay.relay.context().getRegistry().findSingleByType(Vertx.class);
        try {
            for (int i = 0; i < 60; i++) {
                vertx.executeBlocking(() -> end.await(1, TimeUnit.MINUTES), false);
            }

            isUsable();
        } finally {
            end.countDown();
        }
    }

    private static long directMemory() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    /** Health is answered within a second. It is tried again, because the machine of a test may be busy. */
    private void isUsable() throws Exception {
        isUsable("/api/overview");
    }

    private void isUsable(String operation) throws Exception {
        eventually(() -> {
            long begin = System.nanoTime();
            assertThat(answer(request("GET", "/observe/health", "Connection: close\r\n")))
                    .startsWith("HTTP/1.1 200 ");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(1));
        });
        eventually(() -> assertThat(answer(request("GET", "/observe/metrics", "Connection: close\r\n")))
                .startsWith("HTTP/1.1 200 "));
        eventually(() -> assertThat(
                        relay.sendOnce(relay.request(operation, OPERATOR).GET()).status())
                .isEqualTo(200));
    }

    private String answer(String request) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", relay.port)) {
            socket.setSoTimeout(5_000);
            send(socket, request);
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String request(String method, String path, String headers) {
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket("127.0.0.1", relay.port);
        sockets.add(socket);
        return socket;
    }

    private static void send(Socket socket, String text) {
        try {
            OutputStream out = socket.getOutputStream();
            out.write(text.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // the relay has closed the connection
        }
    }
}
