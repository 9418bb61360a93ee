package dev.caravan.console.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TimedConnectionsTest {
    private static final String REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final int LIMIT_MILLIS = 30_000;

    private final TimedConnections connections = new TimedConnections(Duration.ofMillis(200), Duration.ofMillis(400));
    private final BlockingQueue<RoutingContext> received = new LinkedBlockingQueue<>();
    private HttpServer server;

    @BeforeEach
    void start() {
        Router router = Router.router(connections);
        router.route().handler(connections::received);
        router.route().handler(received::add);
        server = connections.createHttpServer(new HttpServerOptions()).requestHandler(router);
        server.listen(0, "localhost").toCompletionStage().toCompletableFuture().join();
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
                closed = refuses(out) || hasEnded(socket);
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

    private static boolean refuses(OutputStream out) {
        try {
            out.write('x');
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
