package dev.caravan.docs;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestHttp;
import dev.caravan.TestHttp.Answer;
import dev.caravan.WrittenLog;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.cli.CommandRun;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.relay.Relay;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A routes folder that has only what {@code new} writes keeps the promises about failures. */
class NewFolderIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final TestOutbox database = TestOutbox.create();
    private volatile int status = 201;
    private final TestHttp gateway = new TestHttp(request -> request.text().contains("To=%2B15550100009")
            ? new Answer(400, Map.of(), "{\"code\": 21211}")
            : Answer.of(status));

    @TempDir
    private Path folder;

    @Test
    void a_wrong_number_is_dead_at_once_and_an_outage_costs_no_attempt() throws Exception {
        Path routes = Files.createDirectory(folder.resolve("routes"));
        int port = FreePorts.one();
        Path config = Files.writeString(
                folder.resolve("application.properties"),
                lines(database.connection())
                        + lines(Map.of(
                                "caravan.routes",
                                routes.toString(),
                                "camel.component.sms.url",
                                gateway.url() + "/Messages.json",
                                "camel.management.enabled",
                                "true",
                                "camel.management.port",
                                Integer.toString(port))));
        assertThat(caravan(config, "new", "order-sms", "--to", "sms", "--type", "order.*", "--from", "+15005550006"))
                .doesNotContain("Still missing");
        assertThat(caravan(config, "check"))
                .contains("error-handling.camel.yaml: 0 routes, built in", "No problems found");
        WrittenLog log = WrittenLog.of(Relay.class);

        try (var relay = Relay.start(Settings.load(config, Map.of()))) {
            assertThat(log.lines())
                    .containsExactly(
                            "The relay is ready: 1 subscription, error handling: error-handling.camel.yaml (built in),"
                                    + " console: http://localhost:" + port + "/console/");
            eventually(LIMIT, () -> assertThat(
                            database.number("select count(*) from outbox_subscription where owner is not null"))
                    .isOne());
            insert("wrong", "+15550100009");
            eventually(LIMIT, () -> assertThat(database.text(
                            "select string_agg(aggregate_id || ' ' || attempts, ',') from outbox_dead_letter"))
                    .isEqualTo("wrong 1"));

            status = 503;
            int before = gateway.requests().size();
            insert("one", "+15550100001");
            insert("two", "+15550100002");
            eventually(LIMIT, () -> assertThat(gateway.requests()).hasSizeGreaterThan(before + 1));
            assertThat(database.number("select coalesce(max(attempts), 0) from outbox_retry"))
                    .isZero();
            status = 201;
            eventually(LIMIT, () -> assertThat(database.number(
                            "select count(*) from outbox_subscription where position = 3 and gaps = '{}'"))
                    .isOne());
        }

        assertThat(database.number("select count(*) from outbox_retry")).isZero();
        assertThat(database.number("select count(*) from outbox_dead_letter")).isOne();
        assertThat(Files.list(routes))
                .extracting(file -> file.getFileName().toString())
                .containsExactlyInAnyOrder("order-sms.camel.yaml", "order-sms.properties");
    }

    private static String caravan(Path config, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--config", config.toString()));
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        assertThat(run.exit()).as(run.out() + run.err()).isZero();
        return run.out();
    }

    private static String lines(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(each -> each.getKey() + " = " + each.getValue() + "\n")
                .collect(Collectors.joining());
    }

    private void insert(String key, String phone) throws Exception {
        database.execute("insert into outbox (aggregate_type, aggregate_id, type, payload) values ('order', '" + key
                + "', 'order.placed', '{\"orderId\": \"" + key + "\", \"customer\": {\"phone\": \"" + phone + "\"}}')");
    }
}
