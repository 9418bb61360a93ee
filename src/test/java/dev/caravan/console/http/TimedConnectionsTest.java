package dev.caravan.console.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.FreePorts;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimedConnectionsTest {
    private static final String REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final int LIMIT_MILLIS = 30_000;
    private static final Buffer LARGE = Buffer.buffer(new byte[20_000_000]);

    private static final int MAX_OPEN = 20;

    private volatile boolean admits = true;
    private final TimedConnections connections = new TimedConnections(
            0,
            () -> admits,
            new RequestTurns.Limits(
                    Duration.ofMillis(200), Duration.ofMillis(400), Duration.ofMillis(300), Duration.ofMillis(500)),
            MAX_OPEN);
    private final BlockingQueue<RoutingContext> received = new LinkedBlockingQueue<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private Router router;
    private HttpServer server;

    @BeforeEach
    void start() {
        router = Router.router(connections);
        router.route("/metrics").handler(TimedConnections::longer).blockingHandler(request -> awaitEnd());
        router.route("/health").blockingHandler(RoutingContext::end);
        router.route().handler(received::add);
        server = listen(connections.createHttpServer(new HttpServerOptions()).requestHandler(router), 0);
    }

    private static HttpServer listen(HttpServer server, int port) {
        return server.listen(port, "localhost")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    @AfterEach
    void close() {
        connections.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void a_connection_that_sends_nothing_is_closed() throws Exception {
        try (Socket socket = connect()) {
            assertThat(isClosed(socket)).isTrue();
        }
    }

    @Test
    void a_connection_that_sends_its_header_byte_by_byte_is_closed() throws Exception {
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            long end = System.nanoTime() + Duration.ofMillis(LIMIT_MILLIS).toNanos();
            boolean closed = false;
            send(socket, "GET / HTTP/1.1\r\nX: ");
            while (!closed && System.nanoTime() < end) {
                closed = refuses(out, "x") || hasEnded(socket);
            }
            assertThat(closed).isTrue();
            assertThat(received).isEmpty();
        }
    }

    @Test
    void a_connection_waits_for_a_late_answer_and_is_closed_when_no_request_follows() throws Exception {
        try (Socket socket = connect()) {
            send(socket, REQUEST);
            RoutingContext request = received.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
            socket.setSoTimeout(1_000); // longer than both limits
            assertThat(hasTimedOut(socket)).isTrue();

            connections.runOnContext(answer -> request.response().end("late"));

            socket.setSoTimeout(LIMIT_MILLIS);
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200 OK")
                    .endsWith("late");
        }
    }

    @Test
    void a_client_that_reads_no_answers_gets_one_at_a_time_and_is_closed() throws Exception {
        try (Socket socket = connect()) {
            for (int i = 0; i < 2_000; i++) {
                send(socket, REQUEST);
            }
            int answers = 0;
            for (RoutingContext request = next(); request != null; request = next()) {
                request.end(LARGE);
                answers++;
                assertThat(answers).as("answers that nobody reads").isLessThan(5); // the operating system may take some
            }

            assertThat(rest(socket)).isLessThan((long) answers * LARGE.length());
        }
    }

    @Test
    void a_client_that_reads_slowly_but_steadily_gets_the_whole_answer() throws Exception {
        byte[] large = new byte[600_000];
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(8_192);
            socket.connect(new InetSocketAddress("localhost", server.actualPort()));
            send(socket, "GET / HTTP/1.0\r\n\r\n");
            received.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS).end(Buffer.buffer(large));
            long read = 0;
            for (byte[] part = part(socket); part.length > 0; part = part(socket)) {
                read += part.length;
                Thread.sleep(50); // the time of a slow network
            }
            assertThat(read).isGreaterThan(large.length);
        }
    }

    /** Camel listens before the handlers that check requests are there. */
    @Test
    void until_requests_are_checked_none_reaches_a_handler() throws Exception {
        admits = false;
        try (Socket socket = connect()) {
            send(socket, REQUEST);
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 503");
        }
        assertThat(received).isEmpty();

        admits = true;
        try (Socket socket = connect()) {
            send(socket, REQUEST);
            assertThat(received.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS)).isNotNull();
        }
    }

    @Test
    void of_too_much_that_is_not_read_the_oldest_answer_is_given_up() throws Exception {
        Duration never = Duration.ofHours(1);
        var patient =
                new TimedConnections(0, () -> true, new RequestTurns.Limits(never, never, never, never), MAX_OPEN);
        server = listen(patient.createHttpServer(new HttpServerOptions()).requestHandler(router), 0);
        try (Socket first = connect();
                Socket last = connect()) {
            for (Socket socket : List.of(first, last)) {
                send(socket, "GET / HTTP/1.0\r\n\r\n");
                received.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS).end(LARGE);
            }

            assertThat(rest(first)).isLessThan(LARGE.length());
            assertThat(rest(last)).isGreaterThan(LARGE.length());
        } finally {
            patient.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private static byte[] part(Socket socket) throws IOException {
        return socket.getInputStream().readNBytes(6_000);
    }

    /** The next request; null if there is none for a while. */
    private RoutingContext next() throws InterruptedException {
        return received.poll(2, TimeUnit.SECONDS);
    }

    @Test
    void pipelined_requests_are_answered_in_order_whatever_the_thread() throws Exception {
        try (Socket socket = connect()) {
            for (int i = 0; i < 300; i++) {
                send(socket, "POST /" + i + " HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
            }
            send(socket, "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            for (int i = 0; i <= 300; i++) {
                RoutingContext request = received.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
                String path = request.normalizedPath();
                if (i % 2 == 0) {
                    request.end(path);
                } else {
                    connections.runOnContext(later -> request.end(path));
                }
            }

            String answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answers.split("\r\n\r\n/")).hasSize(302);
            assertThat(answers).contains("\r\n\r\n/299", "\r\n\r\n/last");
        }
    }

    @Test
    void a_body_that_does_not_end_after_its_answer_is_not_read_for_long() throws Exception {
        try (Socket socket = connect()) {
            send(socket, "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            received.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS).end("early");

            assertThat(isClosedWhileItSends(socket, "1;extension\r\na\r\n")).isTrue();
        }
    }

    @Test
    void of_too_many_connections_the_one_that_was_unused_for_the_longest_time_is_closed() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < MAX_OPEN; i++) {
                sockets.add(connect());
                send(sockets.get(i), REQUEST); // so that it is not closed for its silence
                assertThat(received.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS)).isNotNull();
            }
            try (Socket another = connect()) {
                send(another, REQUEST);
                assertThat(received.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS)).isNotNull();
            }

            assertThat(isClosed(sockets.get(0))).isTrue();
            assertThat(hasEnded(sockets.get(1))).isFalse();
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void a_server_on_another_port_has_no_limits() throws Exception {
        HttpServer own = listen(
                connections
                        .createHttpServer(new HttpServerOptions())
                        .webSocketHandler(socket -> socket.textMessageHandler(socket::writeTextMessage)),
                FreePorts.one());
        List<WebSocket> sockets = new ArrayList<>();
        try {
            BlockingQueue<String> echoes = new LinkedBlockingQueue<>();
            for (int i = 0; i < 2 * MAX_OPEN; i++) {
                sockets.add(HttpClient.newHttpClient()
                        .newWebSocketBuilder()
                        .buildAsync(URI.create("ws://localhost:" + own.actualPort()), new Echoes(echoes))
                        .join());
            }
            for (WebSocket socket : sockets) {
                socket.sendText("a", true).join();
                assertThat(echoes.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("a");
            }
        } finally {
            sockets.forEach(WebSocket::abort);
        }
    }

    private record Echoes(BlockingQueue<String> received) implements WebSocket.Listener {
        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
            received.add(text.toString());
            return WebSocket.Listener.super.onText(socket, text, last);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: a|Content-Length: 3|Transfer-Encoding: chunked",
                "Host: a|Transfer-Encoding: chunked|Content-Length: 3",
                "Host: a|Transfer-Encoding: chunked, identity",
                "Host: a|Transfer-Encoding: identity|Content-Length: 3",
                "Host: a|Transfer-Encoding: chunked|Transfer-Encoding: chunked",
                "Host: a|Transfer-Encoding: \u000bchunked",
                "Host: a|Content-Length: 3|Content-Length: 4",
                "Host: a|Content-Length: 3, 4",
                "Host: a|Content-Length: +3",
                "Host: a|Content-Length : 3",
                "Host: a|Host: b",
                "Host: a|Host: a",
                "Host: a b",
                "Accept: */*"
            })
    void an_ambiguous_request_is_refused_and_its_connection_closed(String headers) throws Exception {
        for (String method : List.of("GET", "POST")) {
            try (Socket socket = connect()) {
                send(socket, method + " / HTTP/1.1\r\n" + headers.replace("|", "\r\n") + "\r\n\r\n0\r\n\r\n" + REQUEST);

                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(answer).startsWith("HTTP/1.1 400 ").doesNotContain("200");
                assertThat(received).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/%", "/a%2", "/%zz"})
    void a_path_that_cannot_be_decoded_is_refused(String path) throws Exception {
        try (Socket socket = connect()) {
            send(socket, "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 400 ");
        }
    }

    @ParameterizedTest
    @CsvSource({"/, X, 431", "/long, , 414"})
    void a_request_whose_header_is_too_large_is_refused(String path, String header, int status) throws Exception {
        try (Socket socket = connect()) {
            String more = header == null ? "" : (header + ": y\r\n").repeat(5_000);
            send(socket, "GET " + path.repeat(header == null ? 1_000 : 1) + " HTTP/1.1\r\n" + more + "\r\n");
            assertThat(start(socket)).endsWith(" " + status);
        }
    }

    /** The version and the status of an answer. */
    private static String start(Socket socket) throws IOException {
        return new String(socket.getInputStream().readNBytes(12), StandardCharsets.UTF_8);
    }

    @Test
    void a_request_of_http_1_0_needs_no_host_and_cannot_be_chunked() throws Exception {
        try (Socket socket = connect()) {
            send(socket, "GET / HTTP/1.0\r\n\r\n");
            received.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS).end();
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.0 200 ");
        }
        try (Socket socket = connect()) {
            send(socket, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.0 400 ");
        }
    }

    @Test
    void metrics_that_take_long_do_not_delay_health() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 5; i++) {
                Socket metrics = connect();
                sockets.add(metrics);
                send(metrics, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
            }
            try (Socket health = connect()) {
                send(health, "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
                assertThat(new String(health.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .startsWith("HTTP/1.1 200 ");
            }
        } finally {
            end.countDown();
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_server_closes_although_a_client_does_not_read(boolean ofManagement) throws Exception {
        if (!ofManagement) {
            server = listen(
                    connections.createHttpServer(new HttpServerOptions()).requestHandler(router), FreePorts.one());
        }
        try (Socket socket = connect()) {
            send(socket, REQUEST);
            received.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS).end(LARGE);

            server.close().toCompletionStage().toCompletableFuture().get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);

            assertThat(isClosedWhileItSends(socket, "x")).isTrue();
            assertThat(rest(socket)).isLessThan(LARGE.length());
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket("localhost", server.actualPort());
        socket.setSoTimeout(LIMIT_MILLIS);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static boolean isClosed(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    /** The number of bytes that the client still gets. */
    private static long rest(Socket socket) throws IOException {
        try {
            return socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (SocketException e) {
            return 0;
        }
    }

    private static boolean isClosedWhileItSends(Socket socket, String text) throws IOException {
        long end = System.nanoTime() + Duration.ofMillis(LIMIT_MILLIS).toNanos();
        boolean closed = false;
        while (!closed && System.nanoTime() < end) {
            closed = refuses(socket.getOutputStream(), text);
        }
        return closed;
    }

    private static boolean refuses(OutputStream out, String text) {
        try {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static boolean hasEnded(Socket socket) throws IOException {
        socket.setSoTimeout(20);
        return !hasTimedOut(socket);
    }

    private static boolean hasTimedOut(Socket socket) throws IOException {
        try {
            isClosed(socket);
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        }
    }
}
