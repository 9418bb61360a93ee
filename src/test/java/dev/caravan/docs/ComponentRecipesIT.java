package dev.caravan.docs;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.TestHttp;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.base.settings.Settings;
import dev.caravan.cli.CommandRun;
import dev.caravan.database.Database;
import dev.caravan.relay.Relay;
import dev.caravan.routes.check.Configuration;
import dev.caravan.routes.tryout.DryRun;
import dev.caravan.routes.tryout.DryRunOptions;
import dev.caravan.routes.tryout.Trial;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The recipes for components that users add, as they add them: the clients of the components send to a server of this test. */
@Tag("long")
class ComponentRecipesIT {
    private static final String ORDER = "{\"orderId\": 7, \"total\": 184.50}";
    private static final UUID ID = new UUID(0, 7);

    private final List<TestHttp.Request> requests = new CopyOnWriteArrayList<>();

    @TempDir
    private static Path folder;

    private static Path lib;

    @BeforeAll
    static void add() throws IOException {
        lib = folder.resolve("lib");
        String config = Files.writeString(folder.resolve("add.properties"), "caravan.lib=" + lib)
                .toString();
        String home = System.getProperty("user.home");
        List<String> names = List.of("aws2-s3", "aws2-sqs", "amqp", "cron", "quartz");
        boolean isAdded =
                add(names, "--from", home + "/.m2/repository", "--config", config) || add(names, "--config", config);
        assumeTrue(
                isAdded || "true".equals(System.getenv("CI")),
                "the components are neither in the local repository nor on the network");
        assertThat(isAdded).isTrue();
        System.setProperty("aws.accessKeyId", "test");
        System.setProperty("aws.secretAccessKey", "test");
    }

    private static boolean add(List<String> names, String... options) {
        String[] arguments = java.util.stream.Stream.of(List.of("component", "add"), names, List.of(options))
                .flatMap(List::stream)
                .toArray(String[]::new);
        return CommandRun.of(arguments).exit() == 0;
    }

    @AfterAll
    static void forget() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    @Test
    void a_message_is_an_object_of_s3() throws Exception {
        Trial trial = sent("s3", "orders-to-s3", "aws2-s3");

        assertThat(trial.end()).isEqualTo(Trial.End.DELIVERED);
        TestHttp.Request put = requests.get(0);
        assertThat(put.method() + " " + put.path()).isEqualTo("PUT /orders/orders/" + ID + ".json");
        assertThat(put.headers()).containsEntry("Content-Type", "application/json");
        assertThat(put.text()).contains(ORDER);
    }

    @Test
    void a_message_is_in_a_fifo_queue_of_sqs() throws Exception {
        Trial trial = sent("sqs", "orders-to-sqs", "aws2-sqs");

        assertThat(trial.end()).isEqualTo(Trial.End.DELIVERED);
        var send = new ObjectMapper().readTree(requests.get(0).text());
        assertThat(send.get("MessageGroupId").asText()).isEqualTo("42");
        assertThat(send.has("MessageDeduplicationId")).as("%s", send).isFalse();
        assertThat(send.path("MessageAttributes")).as("%s", send).isEmpty();
        var event = new ObjectMapper().readTree(send.get("MessageBody").asText());
        assertThat(event.get("id").asText()).isEqualTo(ID.toString());
        assertThat(event.get("data").get("orderId").asInt()).isEqualTo(7);
    }

    @Test
    void messages_are_in_a_queue_of_amqp() throws Exception {
        try (AmqpBroker broker = broker(0);
                DryRun run = start("amqp", Map.of("camel.beans.amqpBroker.remoteURI", broker.address()))) {
            assertThat(run.attempt("orders-to-amqp", message()).end()).isEqualTo(Trial.End.DELIVERED);
            assertThat(run.attempt("orders-to-amqp", message()).end()).isEqualTo(Trial.End.DELIVERED);

            assertThat(broker.messages("orders")).hasSize(2).allSatisfy(sent -> {
                assertThat(sent.toCore()
                                .getBodyBuffer()
                                .readNullableSimpleString()
                                .toString())
                        .isEqualTo(ORDER);
                assertThat(sent.isDurable()).isTrue();
                assertThat(sent.getGroupID().toString()).isEqualTo("42");
                assertThat(sent.getCorrelationID()).isEqualTo(ID.toString());
                assertThat(sent.getStringProperty("aggregate_HYPHEN_id")).isEqualTo("42");
            });
            assertThat(broker.connectionsSinceStart()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "quartz:orders, 'cron: \"0 0 25 * * ?\"', Hour values must be between 0 and 23",
        "cron:orders, 'schedule: \"0 25 ? * *\"', Hour values must be between 0 and 23",
        "cron:orders, 'schedule: \"0 23 * * *\"', needs ? as the day of the month or of the week",
        "quartz:orders, 'cron: \"0 0 23 * * ?\"', ",
        "cron:orders, 'schedule: \"0 23 ? * *\"', ",
        "quartz:orders, 'trigger.repeatInterval: 1000', ",
    })
    void a_schedule_that_quartz_would_refuse_at_the_start_is_refused_by_the_check(
            String from, String parameter, String reason) throws Exception {
        Path routes = Files.createTempDirectory(folder, "cron");
        Files.writeString(routes.resolve("cron.camel.yaml"), """
                - route:
                    id: nightly
                    from:
                      uri: %s
                      parameters: {%s}
                      steps:
                        - to: {uri: "log:a"}
                """.formatted(from, parameter));
        Path settings = Files.writeString(
                folder.resolve(routes.getFileName() + ".properties"),
                "caravan.lib=%s\ncaravan.routes=%s\ncaravan.db.url=jdbc:postgresql://localhost:1/none\n"
                        .formatted(lib, routes));

        List<String> problems;
        try (var configuration = new Configuration(Settings.load(settings, Map.of()), Relay.settings())) {
            problems = configuration.findings().stream()
                    .filter(finding -> !finding.ok())
                    .map(finding -> finding.name() + ": " + finding.text())
                    .toList();
        }

        if (reason == null) {
            assertThat(problems).isEmpty();
        } else {
            assertThat(problems)
                    .singleElement()
                    .asString()
                    .contains("cron.camel.yaml:4: route nightly: " + from + " is refused: the schedule ", reason);
        }
    }

    @Test
    void the_route_that_new_writes_delivers_to_a_queue_of_amqp() throws Exception {
        try (AmqpBroker broker = broker(0)) {
            Path routes = Files.createDirectories(folder.resolve("new/routes"));
            String ofBroker = "camel.component.amqp.connectionFactory.targetConnectionFactory.";
            String config = Files.writeString(
                            folder.resolve("new/new.properties"),
                            "caravan.lib=%s\ncaravan.routes=%s\n%s=%s\n%s=caravan\n%s=secret\n"
                                    .formatted(
                                            lib,
                                            routes,
                                            ofBroker + "remoteURI",
                                            broker.address(),
                                            ofBroker + "username",
                                            ofBroker + "password"))
                    .toString();
            CommandRun written = CommandRun.of(
                    "new", "queue", "--to", "amqp", "--type", "order.*", "--queue", "orders", "--config", config);
            String route = routes.resolve("queue.camel.yaml").toString();

            CommandRun sent = CommandRun.of("try", route, "--type", "order.placed", "--send", "--config", config);

            assertThat(written.out()).contains("check: ok  queue.camel.yaml: 1 route");
            assertThat(sent.exit()).as(sent.out() + sent.err()).isZero();
            assertThat(broker.messages("orders")).hasSize(1);
        }
    }

    @Test
    void messages_wait_while_the_broker_of_amqp_is_unavailable() throws Exception {
        AmqpBroker broker = broker(0);
        int port = broker.port();
        try (DryRun run = start("amqp", Map.of("camel.beans.amqpBroker.remoteURI", broker.address()))) {
            assertThat(run.attempt("orders-to-amqp", message()).end()).isEqualTo(Trial.End.DELIVERED);
            broker.close();

            // an attempt on the connection that breaks is counted
            eventually(() ->
                    assertThat(run.attempt("orders-to-amqp", message()).end()).isEqualTo(Trial.End.WAITS));

            broker = broker(port);
            assertThat(run.attempt("orders-to-amqp", message()).end()).isEqualTo(Trial.End.DELIVERED);
            assertThat(broker.messages("orders")).hasSize(1);
        } finally {
            broker.close();
        }
    }

    private static AmqpBroker broker(int port) throws Exception {
        return AmqpBroker.start(port, "caravan", "secret");
    }

    /** Sends a message with the client of a component to a server of this test. */
    private Trial sent(String page, String route, String component) throws Exception {
        TestHttp server = new TestHttp(this::answer);
        String address = server.url();
        Map<String, String> settings = new HashMap<>();
        settings.put("camel.component." + component + ".overrideEndpoint", "true");
        settings.put("camel.component." + component + ".uriEndpointOverride", address);
        settings.put("sqs.url", address + "/123456789012/orders.fifo");
        if (component.equals("aws2-s3")) {
            settings.put("camel.component.aws2-s3.forcePathStyle", "true");
        }
        try (server;
                DryRun run = start(page, settings)) {
            return run.attempt(route, message());
        }
    }

    /** Routes that really send, without a database. */
    private static DryRun start(String page, Map<String, String> settings) throws Exception {
        return DryRun.start(new DryRunOptions(settings(page, settings))
                .sends(Database.unpooled("jdbc:postgresql://localhost:1/none", "none", "none")));
    }

    private static Message message() {
        return new Message(1, ID, new Key("order", "42"), "order.created", null, ORDER, Instant.EPOCH);
    }

    private static Settings settings(String name, Map<String, String> more) throws IOException {
        DocsPage page = DocsPage.read("docs/recipes/" + name + ".md");
        Path routes = Files.createDirectories(folder.resolve(name));
        Files.writeString(
                routes.resolve(name + ".camel.yaml"), page.blocks("yaml").get(0));
        Map<String, String> settings = new HashMap<>(page.properties());
        settings.putAll(more);
        settings.put("caravan.routes", routes.toString());
        settings.put("caravan.lib", lib.toString());
        return Settings.load(Path.of("application.properties"), settings);
    }

    private TestHttp.Answer answer(TestHttp.Request request) {
        if (!request.method().equals("HEAD")) { // whether the bucket exists
            requests.add(request);
        }
        String body = request.method().equals("POST") ? sqsAnswer(request.text()) : "";
        return new TestHttp.Answer(200, Map.of("ETag", "\"1\"", "Content-Type", "application/x-amz-json-1.0"), body);
    }

    /** SQS answers with a checksum of the body, which the client compares. */
    private static String sqsAnswer(String request) {
        try {
            String body =
                    new ObjectMapper().readTree(request).get("MessageBody").asText();
            String sum = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("MD5").digest(body.getBytes(StandardCharsets.UTF_8)));
            return "{\"MessageId\":\"1\",\"MD5OfMessageBody\":\"" + sum + "\"}";
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
