package dev.caravan.crash;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.TestHttp;
import dev.caravan.TestHttp.Answer;
import dev.caravan.TestHttp.Request;
import dev.caravan.base.message.Json;
import dev.caravan.crash.Received.Arrival;
import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A receiver of batches over HTTP: records each line of each request, in the order of arrival. */
final class ReceivedRequests implements AutoCloseable {
    private final List<Arrival> arrivals = new ArrayList<>();
    private final TestHttp server = new TestHttp(this::take);
    private int largest;

    String url() {
        return server.url() + "/messages";
    }

    /** A request that a kill has cut off is not recorded, as in a receiver with a transaction. */
    private synchronized Answer take(Request request) {
        List<Arrival> lines =
                request.text().lines().map(line -> arrival(Json.read(line))).toList();
        arrivals.addAll(lines);
        largest = Math.max(largest, lines.size());
        return Answer.of(204);
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
        server.close();
    }
}
