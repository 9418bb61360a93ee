package dev.caravan.lab.torture.receiver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** An HTTP destination that records accepted messages and can fail on request. */
public final class HttpReceiver implements AutoCloseable {
    /** Kinds of answers. */
    public enum Mode {
        HEALTHY,
        /** Answers 429 with a Retry-After of one second. */
        TOO_MANY,
        /** Answers 500 to everything. */
        ERRORS,
        /** Accepts the message and answers after the timeout of the relay. */
        SLOW,
        /** Accepts the message and closes the connection without an answer. */
        ANSWER_LOST
    }

    private static final int REFUSALS_OF_A_FAILING_MESSAGE = 2;
    private static final int NO_BODY = -1;
    /**
     * Slow requests are slow for this time, and then fast for the same time: a subscription falls so far behind that it leaves the shared
     * read, and catches up.
     */
    private static final long SLOW_PHASE_MILLIS = 90_000;

    private static final Duration SLOW_REQUEST = Duration.ofMillis(150);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Duration slowness;
    private final Map<String, List<Arrival>> arrivals = new HashMap<>();
    private final Map<String, Integer> refusals = new HashMap<>();
    private volatile Mode mode = Mode.HEALTHY;

    private HttpReceiver(HttpServer server, Duration slowness) {
        this.server = server;
        this.slowness = slowness;
    }

    /** @param slowness delay of slow answers */
    public static HttpReceiver start(Duration slowness) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        HttpReceiver receiver = new HttpReceiver(server, slowness);
        server.createContext("/messages", exchange -> receiver.handle(exchange, receiver::single));
        server.createContext("/slow", exchange -> receiver.handle(exchange, receiver::slow));
        server.createContext("/tolerant", exchange -> receiver.handle(exchange, receiver::tolerant));
        server.createContext("/batches", exchange -> receiver.handle(exchange, receiver::batch));
        server.setExecutor(receiver.threads);
        server.start();
        return receiver;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public void behave(Mode newMode) {
        mode = newMode;
    }

    /** Every message of a subscription that was accepted, repeats included. */
    public synchronized List<Arrival> all(String subscription) {
        return List.copyOf(arrivals.getOrDefault(subscription, List.of()));
    }

    /** Decides about a request and returns the status of the answer. */
    @FunctionalInterface
    private interface Handler {
        int take(HttpExchange exchange, byte[] body) throws IOException;
    }

    private void handle(HttpExchange exchange, Handler handler) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            Mode now = mode;
            switch (now) {
                case TOO_MANY -> {
                    exchange.getResponseHeaders().set("Retry-After", "1");
                    exchange.sendResponseHeaders(429, NO_BODY);
                }
                case ERRORS -> exchange.sendResponseHeaders(500, NO_BODY);
                default -> answer(exchange, handler.take(exchange, body), now);
            }
        }
    }

    private void answer(HttpExchange exchange, int status, Mode now) throws IOException {
        if (status == 200 && now == Mode.ANSWER_LOST) {
            return; // closed without an answer
        }
        if (now == Mode.SLOW) {
            LockSupport.parkNanos(slowness.toNanos());
        }
        exchange.sendResponseHeaders(status, NO_BODY);
    }

    private int single(HttpExchange exchange, byte[] body) throws IOException {
        TorturePayload payload = TorturePayload.parse(body);
        return payload.kind() == Kind.poison ? 400 : accept(exchange, payload);
    }

    /** The URL has the subscription as its last part. */
    private static String subscription(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private int slow(HttpExchange exchange, byte[] body) throws IOException {
        if (System.currentTimeMillis() / SLOW_PHASE_MILLIS % 2 == 0) {
            LockSupport.parkNanos(SLOW_REQUEST.toNanos());
        }
        return single(exchange, body);
    }

    private int tolerant(HttpExchange exchange, byte[] body) throws IOException {
        return accept(exchange, TorturePayload.parse(body));
    }

    private synchronized int accept(HttpExchange exchange, TorturePayload payload) {
        String messageId = exchange.getRequestHeaders().getFirst("id");
        String key = exchange.getRequestHeaders().getFirst("aggregate-id");
        if (fails(exchange, messageId, payload)) {
            return 500;
        }
        accepted(exchange).add(arrival(exchange, messageId, key, payload));
        return 200;
    }

    private List<Arrival> accepted(HttpExchange exchange) {
        return arrivals.computeIfAbsent(subscription(exchange), subscription -> new ArrayList<>());
    }

    /** Accepts all lines of a request or none. */
    private synchronized int batch(HttpExchange exchange, byte[] body) throws IOException {
        List<Arrival> lines = new ArrayList<>();
        for (String line : new String(body, StandardCharsets.UTF_8).split("\n")) {
            JsonNode message = JSON.readTree(line);
            String messageId = message.get("id").asText();
            TorturePayload payload = TorturePayload.of(message.get("payload"));
            if (payload.kind() == Kind.poison) {
                return 400;
            }
            if (fails(exchange, messageId, payload)) {
                return 500;
            }
            lines.add(arrival(exchange, messageId, message.get("key").asText(), payload));
        }
        accepted(exchange).addAll(lines);
        return 200;
    }

    private boolean fails(HttpExchange exchange, String messageId, TorturePayload payload) {
        return payload.kind() == Kind.failing
                && refusals.merge(subscription(exchange) + " " + messageId, 1, Integer::sum)
                        <= REFUSALS_OF_A_FAILING_MESSAGE;
    }

    private static Arrival arrival(HttpExchange exchange, String messageId, String key, TorturePayload payload) {
        return new Arrival(
                messageId,
                key,
                payload.sequence(),
                exchange.getRequestHeaders().getFirst("relay"),
                System.currentTimeMillis());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
