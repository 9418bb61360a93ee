package dev.caravan.lab.torture;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** An HTTP destination that records accepted messages and can fail on request. */
final class HttpReceiver implements AutoCloseable {
    /** Kinds of answers. */
    enum Mode {
        HEALTHY,
        /** Answers 429 with Retry-After of a second. */
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

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Duration slowness;
    private final List<Arrival> arrivals = new ArrayList<>();
    private final Map<String, Integer> refusals = new HashMap<>();
    private volatile Mode mode = Mode.HEALTHY;

    private HttpReceiver(HttpServer server, Duration slowness) {
        this.server = server;
        this.slowness = slowness;
    }

    /** @param slowness delay of slow answers */
    static HttpReceiver start(Duration slowness) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        HttpReceiver receiver = new HttpReceiver(server, slowness);
        server.createContext("/", receiver::handle);
        server.setExecutor(receiver.threads);
        server.start();
        return receiver;
    }

    int port() {
        return server.getAddress().getPort();
    }

    void behave(Mode newMode) {
        mode = newMode;
    }

    /** Every accepted message, repeats included. */
    synchronized List<Arrival> all() {
        return List.copyOf(arrivals);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Payload payload = Payload.parse(exchange.getRequestBody().readAllBytes());
            Mode now = mode;
            switch (now) {
                case TOO_MANY -> {
                    exchange.getResponseHeaders().set("Retry-After", "1");
                    exchange.sendResponseHeaders(429, NO_BODY);
                }
                case ERRORS -> exchange.sendResponseHeaders(500, NO_BODY);
                default -> answer(exchange, payload, now);
            }
        }
    }

    private void answer(HttpExchange exchange, Payload payload, Mode now) throws IOException {
        int status = take(exchange, payload);
        if (status == 200 && now == Mode.ANSWER_LOST) {
            return; // closed without an answer
        }
        if (now == Mode.SLOW) {
            LockSupport.parkNanos(slowness.toNanos());
        }
        exchange.sendResponseHeaders(status, NO_BODY);
    }

    private synchronized int take(HttpExchange exchange, Payload payload) {
        String messageId = exchange.getRequestHeaders().getFirst("id");
        if (payload.kind() == Kind.poison) {
            return 400;
        }
        if (payload.kind() == Kind.failing
                && refusals.merge(messageId, 1, Integer::sum) <= REFUSALS_OF_A_FAILING_MESSAGE) {
            return 500;
        }
        arrivals.add(new Arrival(
                messageId,
                exchange.getRequestHeaders().getFirst("aggregate-id"),
                payload.sequence(),
                exchange.getRequestHeaders().getFirst("relay"),
                System.currentTimeMillis()));
        return 200;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
