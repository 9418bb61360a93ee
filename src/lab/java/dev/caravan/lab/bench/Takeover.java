package dev.caravan.lab.bench;

import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Measures how fast a standby relay takes over when the active relay ends. */
final class Takeover implements Scenario {
    private static final int RATE = 200;
    private static final int LONGEST_SECONDS = 120;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Figure KILLED = Figure.seconds("afterKill");
    private static final Figure STOPPED = Figure.seconds("afterStop");

    @Override
    public String name() {
        return "takeover";
    }

    @Override
    public String description() {
        return "Of two relays, the one that works the subscription is killed (SIGKILL), and in another run stopped (SIGTERM),"
                + " while 200 messages per second are written. The scenario measures the time from the signal to the first"
                + " record of the other relay.";
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        figures.add("caravan", KILLED, seconds(bench, true));
        figures.add("caravan", STOPPED, seconds(bench, false));
    }

    private static double seconds(Bench bench, boolean kill) throws Exception {
        try (var ground = bench.servers().newGround();
                var writer = new PacedWriter(ground.outbox(), bench.size(), 1, RATE * LONGEST_SECONDS, RATE)) {
            Topic topic = ground.newTopic();
            try (var one = relay(ground, topic, "one");
                    var two = relay(ground, topic, "two")) {
                Outbox outbox = ground.outbox();
                Await.until("a relay has taken the subscription", LIMIT, () -> !owner(outbox)
                        .equals("null"));
                boolean firstLeaves = owner(outbox).equals("one");
                Program leaving = firstLeaves ? one : two;
                Program staying = firstLeaves ? two : one;
                String successor = firstLeaves ? "two" : "one";
                writer.start();
                outbox.await("messages flow", leaving, () -> DeliveredRecords.in(topic, RATE * LONGEST_SECONDS)
                        .firstOf(firstLeaves ? "one" : "two")
                        .isPresent());
                long signal = System.currentTimeMillis();
                if (kill) {
                    leaving.kill();
                } else {
                    leaving.terminate();
                }
                outbox.await("another relay has taken over", staying, () -> owner(outbox)
                        .equals(successor));
                writer.stop();
                outbox.awaitDelivered(1, staying);
                DeliveredRecords arrivals = DeliveredRecords.in(topic, RATE * LONGEST_SECONDS);
                check(arrivals, writer, kill);
                return (arrivals.firstOf(successor).orElseThrow() - signal) / 1e3;
            }
        }
    }

    /** Returns when the routes have started, so that the start of the standby relay is not measured. */
    private static Program relay(Ground ground, Topic topic, String name) throws Exception {
        String port = Integer.toString(FreePorts.one());
        Program relay = CaravanContender.relay(
                ground, name, List.of(BenchRoutes.namingTheRelay(topic)), Map.of("camel.management.port", port));
        URI health = URI.create("http://localhost:" + port + "/observe/health");
        try {
            Await.until(name + " is healthy", LIMIT, () -> {
                relay.requireAlive();
                return isHealthy(health);
            });
            return relay;
        } catch (Exception e) {
            relay.close();
            throw e;
        }
    }

    private static boolean isHealthy(URI health) throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(health).build();
            return HttpClient.newHttpClient()
                            .send(request, HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false; // it does not listen yet
        }
    }

    private static void check(DeliveredRecords arrivals, PacedWriter writer, boolean kill) {
        if (kill) {
            arrivals.requireAllInOrder(writer::wrote);
        } else {
            arrivals.requireOnceInOrder(writer::wrote);
        }
    }

    private static String owner(Outbox outbox) throws java.sql.SQLException {
        return outbox.text("select owner from outbox_subscription");
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atMost(
                        "seconds after a kill",
                        12,
                        figures.of("caravan", KILLED).max()),
                Goal.atMost(
                        "seconds after a clean stop",
                        1,
                        figures.of("caravan", STOPPED).max()));
    }
}
