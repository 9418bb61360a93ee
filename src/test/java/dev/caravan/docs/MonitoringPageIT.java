package dev.caravan.docs;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.relay.Relay;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/monitoring.md lists the metrics that a relay serves, with their types and tags, and no others. */
class MonitoringPageIT {
    private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (caravan_\\w+) (\\w+)$");
    private static final Pattern SAMPLE =
            Pattern.compile("(?m)^(caravan_\\w+?)(_count|_sum|_bucket)?(?:\\{(.*)})? \\S+$");
    private static final Pattern TAG = Pattern.compile("(\\w+)=\"[^\"]*\"");

    @TempDir
    private Path routes;

    @Test
    void the_page_and_a_relay_name_the_same_metrics() throws Exception {
        TestOutbox database = TestOutbox.create();
        int port = FreePorts.one();
        Files.writeString(
                routes.resolve("orders.camel.yaml"),
                "- route: {id: orders, from: {uri: 'outbox:orders?batching=true', steps: [{log: {message: x, loggingLevel: 'OFF'}}]}}");
        Files.writeString(
                routes.resolve("counted.camel.yaml"),
                DocsPage.read("docs/monitoring.md").blocks("yaml").get(0));
        database.execute("insert into outbox_job (action, subscription, details, first, state, total, who, via)"
                + " values ('retry', 'orders', '{\"of\": \"dead letters\"}', 5, 'stopped', 9, 'anna', 'token')");
        database.execute("insert into outbox_intake (intake, source) values ('shop', 'shopDb.outbox')");
        try (Relay relay = Relay.start(settings(database, port))) {
            database.insert(1);
            database.execute(
                    "insert into outbox (aggregate_type, aggregate_id, type) values ('order', '7', 'order.placed')");
            eventually(() -> assertThat(scrape(port))
                    .containsPattern("(?m)^shop_orders_total\\{.*type=\"order.placed\".*} 1.0$"));
            eventually(Duration.ofSeconds(30), () -> {
                String served = scrape(port);
                assertThat(typesOf(served)).isEqualTo(onPage());
                assertThat(tagsOf(served)).isEqualTo(tagsOnPage());
            });
        }
    }

    private static Map<String, String> typesOf(String served) {
        return TYPE.matcher(served)
                .results()
                .collect(Collectors.toMap(type -> type.group(1), type -> type.group(2), (a, b) -> a, TreeMap::new));
    }

    private static Map<String, String> onPage() {
        return Metrics.onPage().collect(Collectors.toMap(row -> row[0], row -> row[1], (a, b) -> a, TreeMap::new));
    }

    private static Map<String, Set<String>> tagsOf(String served) {
        Map<String, Set<String>> tags = new TreeMap<>();
        SAMPLE.matcher(served).results().forEach(sample -> tags.computeIfAbsent(
                        sample.group(1), name -> new TreeSet<>())
                .addAll(tags(sample.group(3))));
        return tags;
    }

    private static Set<String> tags(String text) {
        return TAG.matcher(text == null ? "" : text)
                .results()
                .map(tag -> tag.group(1))
                .filter(tag -> !tag.equals("le"))
                .collect(Collectors.toSet());
    }

    private static Map<String, Set<String>> tagsOnPage() {
        return Metrics.onPage()
                .collect(Collectors.toMap(
                        row -> row[0],
                        row -> Stream.of(row[2].split(" "))
                                .filter(tag -> !tag.isEmpty())
                                .collect(Collectors.toCollection(TreeSet::new)),
                        (a, b) -> a,
                        TreeMap::new));
    }

    private Settings settings(TestOutbox database, int port) {
        Map<String, String> settings = new HashMap<>(database.connection());
        settings.put("caravan.routes", routes.toString());
        settings.put("camel.management.port", Integer.toString(port));
        return Settings.load(Path.of("application.properties"), settings);
    }

    private static String scrape(int port) throws Exception {
        URI uri = URI.create("http://localhost:" + port + "/observe/metrics");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
