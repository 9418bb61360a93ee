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
    private record Question(String path, int seconds) {}

    /** What the frame of each page asks, whatever the page shows. */
    private static final List<Question> FRAME = List.of(new Question("overview", 3), new Question("outboxes", 30));

    private static final List<List<Question>> PAGES = List.of(
            List.of(new Question("history?minutes=60", 10)),
            List.of(new Question("subscriptions/bench", 3)),
            List.of(new Question("dead-letters/groups", 5), new Question("dead-letters?limit=50", 5)));

    private final String api;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ScheduledExecutorService browser = Executors.newSingleThreadScheduledExecutor();
    private final ConcurrentMap<String, String> lastAnswers = new ConcurrentHashMap<>();

    /** @param port of the relay's management server */
    ConsolePages(int port) {
        api = "http://localhost:" + port + "/api/";
        for (List<Question> page : PAGES) {
            Stream.concat(FRAME.stream(), page.stream()).forEach(question -> browser.execute(() -> ask(question)));
        }
    }

    /** Asks, and again after the question's pause; after a second while the relay has not started. */
    private void ask(Question question) {
        int pause = question.seconds;
        try {
            var request =
                    HttpRequest.newBuilder(URI.create(api + question.path)).build();
            int status = http.send(request, BodyHandlers.ofString()).statusCode();
            lastAnswers.put(question.path, Integer.toString(status));
        } catch (Exception e) {
            lastAnswers.put(question.path, e.toString());
            pause = 1;
        }
        browser.schedule(() -> ask(question), pause, TimeUnit.SECONDS);
    }

    /** @throws IllegalStateException unless the last answer to a request was not 200 */
    void requireAnswers() {
        for (List<Question> page : PAGES) {
            Stream.concat(FRAME.stream(), page.stream()).forEach(this::requireAnswer);
        }
    }

    private void requireAnswer(Question question) {
        String answer = lastAnswers.getOrDefault(question.path, "nothing");
        if (!answer.equals("200")) {
            throw new IllegalStateException("The console's " + question.path + " was answered with " + answer);
        }
    }

    @Override
    public void close() {
        browser.shutdownNow();
    }
}
