package dev.caravan.crash;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.caravan.crash.Received.Arrival;
import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A receiver of batches over HTTP: records each line of each request, in the order of arrival. */
final class ReceivedRequests implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<Arrival> arrivals = new ArrayList<>();
    private final HttpServer server;
    private int largest;

    private ReceivedRequests(HttpServer server) {
        this.server = server;
    }

    static ReceivedRequests start() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ReceivedRequests requests = new ReceivedRequests(server);
        server.createContext("/", requests::take);
        server.start();
        return requests;
    }

    String url() {
        return "http://localhost:" + server.getAddress().getPort() + "/messages";
    }

    /** A request that a kill has cut off is not recorded, as in a receiver with a transaction. */
    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            List<Arrival> lines = new ArrayList<>();
            for (String line : new String(body, StandardCharsets.UTF_8).lines().toList()) {
                lines.add(arrival(JSON.readTree(line)));
            }
            add(lines);
            exchange.sendResponseHeaders(204, -1);
        }
    }

    private static Arrival arrival(JsonNode line) {
        return new Arrival(
                line.get("id").textValue(),
                line.get("key").textValue(),
                line.get("data").get("sequence").longValue(),
                line.get("relay").textValue(),
                0,
                0);
    }

    private synchronized void add(List<Arrival> lines) {
        arrivals.addAll(lines);
        largest = Math.max(largest, lines.size());
    }

    synchronized List<Arrival> all() {
        return List.copyOf(arrivals);
    }

    /** The number of lines of the largest request. */
    synchronized int largest() {
        return largest;
    }

    void awaitSentBy(RelayProcess relay, int lines) throws Exception {
        Await.until(relay.name() + " has posted " + lines + " lines", Duration.ofMinutes(3), () -> {
            relay.requireAlive();
            return sentBy(relay.name()) >= lines;
        });
    }

    private synchronized long sentBy(String relay) {
        return arrivals.stream().filter(each -> each.relay().equals(relay)).count();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
