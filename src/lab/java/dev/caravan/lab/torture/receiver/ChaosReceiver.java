package dev.caravan.lab.torture.receiver;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP destination that always refuses a share of the messages and accepts the others at once. Whether it refuses a
 * message is decided at the first attempt.
 */
public final class ChaosReceiver implements AutoCloseable {
    /** The share without faults, in percent. */
    public static final int MIN_PERCENT = 1;

    private static final int NO_BODY = -1;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Arrival> arrivals = new ArrayList<>();
    private final Map<String, Boolean> refused = new HashMap<>();
    private int percent = MIN_PERCENT;

    private ChaosReceiver(HttpServer server) {
        this.server = server;
    }

    public static ChaosReceiver start() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        ChaosReceiver receiver = new ChaosReceiver(server);
        server.createContext("/", receiver::handle);
        server.setExecutor(receiver.threads);
        server.start();
        return receiver;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** Sets the share of refused messages, in percent, for messages that have not arrived yet. */
    public synchronized void refuse(int newPercent) {
        percent = newPercent;
    }

    /** Every accepted message, repeats included. */
    public synchronized List<Arrival> all() {
        return List.copyOf(arrivals);
    }

    /** Returns the messages, the refused ones with {@link Kind#refused}. */
    public synchronized List<WrittenMessage> withRefusals(List<WrittenMessage> messages) {
        return messages.stream()
                .map(message -> refused.getOrDefault(message.messageId(), false) ? message.as(Kind.refused) : message)
                .toList();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            TorturePayload payload =
                    TorturePayload.parse(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(accepts(exchange, payload) ? 200 : 500, NO_BODY);
        }
    }

    private synchronized boolean accepts(HttpExchange exchange, TorturePayload payload) {
        String messageId = exchange.getRequestHeaders().getFirst("id");
        if (refused.computeIfAbsent(messageId, id -> Math.floorMod(id.hashCode(), 100) < percent)) {
            return false;
        }
        arrivals.add(new Arrival(
                messageId,
                exchange.getRequestHeaders().getFirst("aggregate-id"),
                payload.sequence(),
                exchange.getRequestHeaders().getFirst("relay"),
                System.currentTimeMillis()));
        return true;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
