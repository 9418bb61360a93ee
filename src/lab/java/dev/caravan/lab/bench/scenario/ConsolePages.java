package dev.caravan.lab.bench.scenario;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Sends the requests of three open console pages at their usual intervals: overview, a subscription, dead letters. */
final class ConsolePages implements AutoCloseable {
    /** A request that a page repeats. */
    private record Poll(String path, int seconds) {}

    /** The requests of every page, whatever it shows. */
    private static final List<Poll> FRAME = List.of(new Poll("overview", 3), new Poll("outboxes", 30));

    private static final List<List<Poll>> PAGES = List.of(
            List.of(new Poll("history?minutes=60", 10)),
            List.of(new Poll("subscriptions/bench", 3), new Poll("history?minutes=60&subscription=bench", 10)),
            List.of(new Poll("dead-letters/groups", 5), new Poll("dead-letters?limit=50", 5)));

    private final String api;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ScheduledExecutorService browser = Executors.newSingleThreadScheduledExecutor();
    private final ConcurrentMap<String, String> lastAnswers = new ConcurrentHashMap<>();

    /** @param port of the relay's management server */
    ConsolePages(int port) {
        api = "http://localhost:" + port + "/api/";
        for (List<Poll> page : PAGES) {
            Stream.concat(FRAME.stream(), page.stream()).forEach(poll -> browser.execute(() -> send(poll)));
        }
    }

    /** Sends a request, and sends it again after its interval; after one second if it failed, for example before the relay has started. */
    private void send(Poll poll) {
        int pause = poll.seconds;
        try {
            var request = HttpRequest.newBuilder(URI.create(api + poll.path)).build();
            int status = http.send(request, BodyHandlers.ofString()).statusCode();
            lastAnswers.put(poll.path, Integer.toString(status));
        } catch (Exception e) {
            lastAnswers.put(poll.path, e.toString());
            pause = 1;
        }
        browser.schedule(() -> send(poll), pause, TimeUnit.SECONDS);
    }

    /** @throws IllegalStateException if the last answer to a request was not 200 */
    void requireAnswers() {
        for (List<Poll> page : PAGES) {
            Stream.concat(FRAME.stream(), page.stream()).forEach(this::requireAnswer);
        }
    }

    private void requireAnswer(Poll poll) {
        String answer = lastAnswers.getOrDefault(poll.path, "nothing");
        if (!answer.equals("200")) {
            throw new IllegalStateException("The console's " + poll.path + " was answered with " + answer);
        }
    }

    @Override
    public void close() {
        browser.shutdownNow();
    }
}
