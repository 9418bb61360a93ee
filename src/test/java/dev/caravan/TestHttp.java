package dev.caravan;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.caravan.camel.outbox.LeftOpenOutboxes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** An HTTP server that records the requests. A test need not close it: {@link LeftOpenOutboxes} does. */
public final class TestHttp implements AutoCloseable {
    /** @param headers the first value of each, under its name in any case */
    public record Request(String method, String uri, Map<String, String> headers, byte[] body) {
        /** Null if the request has no such header. */
        public String header(String name) {
            return headers.get(name);
        }

        /** The URI without its query. */
        public String path() {
            return uri.replaceFirst("\\?.*", "");
        }

        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** What the server answers. */
    public record Answer(int status, Map<String, String> headers, String body) {
        public static Answer of(int status) {
            return new Answer(status, Map.of(), "");
        }
    }

    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Function<Request, Answer> answers;
    private final HttpServer server;

    /** @param status of all answers */
    public TestHttp(int status) {
        this(request -> Answer.of(status));
    }

    /** @param answers to each request, one after the other */
    public TestHttp(Function<Request, Answer> answers) {
        this.answers = answers;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        LeftOpenOutboxes.OPEN.add(this);
        server.createContext("/", this::take);
        server.start();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
            var request = new Request(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    headers,
                    exchange.getRequestBody().readAllBytes());
            requests.add(request);
            Answer answer = answers.apply(request);
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            answer.headers()
                    .forEach((name, value) -> exchange.getResponseHeaders().add(name, value));
            exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** The bodies of all requests. */
    public List<String> bodies() {
        return requests.stream().map(Request::text).toList();
    }

    /** In order of arrival. */
    public List<Request> requests() {
        return requests;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** Without a slash at its end. */
    public String url() {
        return "http://localhost:" + port();
    }

    @Override
    public void close() {
        LeftOpenOutboxes.OPEN.remove(this);
        server.stop(0);
    }
}
