package dev.caravan.docs;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.ComponentSettings;
import dev.caravan.TestHttp;
import dev.caravan.TestHttp.Answer;
import dev.caravan.TestHttp.Request;
import dev.caravan.TestKafka;
import dev.caravan.camel.outbox.ReadyConnections;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.mail.MailServer;
import dev.caravan.lab.servers.mail.ReceivedMail;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.subscription.Subscriptions;
import dev.caravan.operate.watch.Notices;
import dev.caravan.routes.context.ExactNumbers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.component.kafka.KafkaComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One relay runs the routes of all recipes, with their settings except addresses. Each test checks one destination. */
class RecipesIT {
    private static final Path FOLDER = Path.of("docs/recipes");
    private static final String ORDER = """
            {"orderId": 7, "state": "new", "total": 184.50, "reason": "a \\"quoted\\" one",
             "lines": [{"article": "pen", "count": 2, "price": 1.10}, {"article": "ink", "count": 1}]}""";

    @TempDir
    private static Path lines;

    @TempDir
    private static Path templates;

    private static final List<ReceivedMail> MAILS = new CopyOnWriteArrayList<>();

    private static TestOutbox outbox;
    private static MailServer mail;
    private static TestHttp server;
    private static DefaultCamelContext camel;
    private static HikariDataSource pool;

    @BeforeAll
    static void start() throws Exception {
        outbox = TestOutbox.create();
        server = new TestHttp(RecipesIT::answer);
        mail = MailServer.start(MAILS::add);
        for (DocsPage page : pages()) {
            page.writeTemplates(templates);
            for (String sql : page.blocks("sql")) {
                outbox.execute(sql);
            }
        }
        camel = new DefaultCamelContext();
        ExactNumbers.in(camel); // as in a relay
        pool = outbox.pool();
        pool.setMaximumPoolSize(50); // two for each lane
        var component = ReadyConnections.of(pool);
        camel.addComponent("outbox", component);
        camel.getRegistry().bind("dataSource", outbox.dataSource());
        camel.getComponent("http", HttpComponent.class).setAutomaticRetriesDisabled(true);
        camel.getPropertiesComponent().setInitialProperties(settings());
        ComponentSettings.set(camel, settings());
        camel.getComponent("kafka", KafkaComponent.class).getConfiguration().setBrokers(TestKafka.brokers());
        camel.getShutdownStrategy().setTimeout(5);
        var loader = PluginHelper.getRoutesLoader(camel);
        loader.loadRoutes(ResourceHelper.fromString(
                "error-handling.camel.yaml",
                Files.readString(Path.of("src/main/resources/built-in/error-handling.camel.yaml"))));
        for (DocsPage page : pages()) {
            int number = 0;
            for (String yaml : page.blocks("yaml")) {
                String file = page.path().getFileName().toString().replace(".md", "-" + ++number + ".camel.yaml");
                loader.loadRoutes(ResourceHelper.fromString(file, withConnectHeaders(page, yaml)));
            }
        }
        camel.start();
    }

    /** As the page of the mirror tells: its option is a step before the last one. */
    private static String withConnectHeaders(DocsPage page, String yaml) {
        Matcher step =
                Pattern.compile("`(- to: \\{uri: \"direct:connect-headers\"})`").matcher(page.text());
        return step.find()
                ? yaml.replace(
                        "        - to:\n            id: to-kafka-dead-letters",
                        "        " + step.group(1) + "\n        - to:\n            id: to-kafka-dead-letters")
                : yaml;
    }

    private static List<DocsPage> pages() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(".md") && !file.contains("batch-"))
                    .sorted()
                    .map(DocsPage::read)
                    .filter(page -> !page.text().contains("component add")) // ComponentRecipesIT
                    .toList();
        }
    }

    /** Those of the pages, with addresses of this test. */
    private static Properties settings() throws IOException {
        Properties settings = new Properties();
        for (DocsPage page : pages()) {
            settings.putAll(page.properties());
        }
        settings.replaceAll((name, value) -> name.toString().endsWith(".url") ? server.url() + "/" + name : value);
        settings.setProperty("lines.folder", lines.toString());
        settings.setProperty("camel.component.standard-webhook.allowPrivateAddresses", "true");
        settings.setProperty("camel.component.email.server", mail.url());
        settings.setProperty("caravan.routes", templates.toString());
        return settings;
    }

    private static Answer answer(Request request) {
        return new Answer(
                request.text().contains("refused") ? 422 : 200,
                Map.of("Content-Type", "application/json"),
                "{\"score\": 7}");
    }

    @AfterAll
    static void stop() throws Exception {
        camel.close();
        pool.close();
        mail.close();
    }

    @Test
    void each_page_is_in_the_index_and_on_one_screen() throws Exception {
        String index = Files.readString(FOLDER.resolve("README.md"));
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                assertThat(Files.readAllLines(file)).as(name).hasSizeLessThanOrEqualTo(60);
                assertThat(name.equals("README.md") || index.contains("(" + name + ")"))
                        .as(name)
                        .isTrue();
            }
        }
    }

    @Test
    void a_webhook_is_signed() throws Exception {
        String id = insert("hook-1", "order.created", ORDER);

        eventually(() -> assertThat(server.requests())
                .anyMatch(each -> each.path().equals("/shop.url")
                        && id.equals(each.headers().get("webhook-id"))
                        && each.headers().get("webhook-signature").startsWith("v1,")));
    }

    @Test
    void slack_gets_escaped_text() throws Exception {
        insert("slack-1", "order.cancelled", ORDER);

        Request request = request("/slack.url", "was cancelled");
        assertThat(new ObjectMapper().readTree(request.text()).get("text").asText())
                .isEqualTo("Order 7 was cancelled: a \"quoted\" one");
        assertThat(request.headers().get("Content-Type")).startsWith("application/json");
    }

    @Test
    void a_chat_is_notified_of_a_problem() throws Exception {
        Problem problem = new Problem(
                Problem.Name.LAG_HIGH,
                Problem.Severity.CRITICAL,
                Optional.of("order-view"),
                "order-view is 2h behind",
                Optional.empty());
        Notices notices = new Notices(outbox.dataSource(), Duration.ofHours(4));
        notices.write(List.of(problem));
        outbox.execute("update outbox_notice set opened_at = opened_at - interval '1 minute'");
        notices.write(List.of(problem));

        assertThat(request("/chat.url", "order-view").text())
                .isEqualTo("{\"text\": \"critical: order-view is 2h behind\"}");
    }

    @Test
    void events_are_sent_in_both_modes() throws Exception {
        insert("event-1", "order.created", ORDER);

        ConsumerRecord<byte[], byte[]> sent = event("event-1"); // another recipe writes to this topic too
        assertThat(header(sent, "ce_type")).isEqualTo("order.created");
        assertThat(header(sent, "ce_source")).isEqualTo("https://shop.example/orders");
        Request request = request("/partner.url", "event-1\"");
        assertThat(request.headers()).containsEntry("Content-Type", "application/cloudevents+json; charset=UTF-8");
        assertThat(new ObjectMapper()
                        .readTree(request.text())
                        .get("data")
                        .get("orderId")
                        .asInt())
                .isEqualTo(7);
    }

    @Test
    void records_have_the_layout_of_debezium() throws Exception {
        String id = insert("debezium-1", "order.created", ORDER);
        insert("debezium-1", "order.deleted", null);

        ConsumerRecord<byte[], byte[]> sent = record("outbox.event.order", "debezium-1");
        assertThat(new String(sent.value(), StandardCharsets.UTF_8)).isEqualTo(ORDER);
        assertThat(sent.headers().toArray()).hasSize(1);
        assertThat(header(sent, "id")).isEqualTo(id);
        eventually(() -> assertThat(TestKafka.binaryRecords("outbox.event.order"))
                .filteredOn(each -> "debezium-1".equals(key(each)))
                .extracting(ConsumerRecord::value)
                .hasSize(2)
                .last()
                .isNull());
    }

    @Test
    void encoded_bytes_arrive_unchanged() throws Exception {
        byte[] encoded = {0, 0, 0, 0, 17, 8, 'A', (byte) 0xff, '\n', 0};
        outbox.jdbc()
                .update(
                        "insert into outbox (aggregate_type, aggregate_id, type, payload_bytes) values ('order', 'avro-1',"
                                + " 'order.encoded', ?)",
                        (Object) encoded);

        eventually(() -> assertThat(TestKafka.binaryRecords("orders"))
                .filteredOn(each -> "avro-1".equals(key(each)))
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each.value()).isEqualTo(encoded)));
    }

    @Test
    void each_message_is_one_line_of_the_file() throws Exception {
        String id = insert("line-1", "order.created", ORDER);

        eventually(() -> assertThat(lineOf(id)).isPresent());
        var line = new ObjectMapper().readTree(lineOf(id).orElseThrow());
        assertThat(line.get("data")).isEqualTo(new ObjectMapper().readTree(ORDER));
        assertThat(line.get("type").asText()).isEqualTo("order.created");
    }

    private static Optional<String> lineOf(String id) throws IOException {
        try (Stream<Path> files = Files.list(lines)) {
            for (Path file : files.toList()) {
                Optional<String> found = Files.readAllLines(file).stream()
                        .filter(line -> line.contains(id))
                        .findFirst();
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    @Test
    void a_table_has_the_latest_state() throws Exception {
        insert("view-1", "order.created", ORDER);
        insert("view-1", "order.changed", ORDER.replace("new", "paid'; drop table outbox; --"));

        eventually(() -> assertThat(outbox.text("select state || ' ' || total from order_view where id = 'view-1'"))
                .isEqualTo("paid'; drop table outbox; -- 184.50"));
        outbox.execute("update order_view set outbox_id = 1000000, state = 'newer' where id = 'view-1'");
        String late = insert("view-1", "order.changed", ORDER);
        eventually(() -> assertThat(lineOf(late)).isPresent());
        eventually(() -> assertThat(outbox.number(
                        "select count(*) from outbox_subscription where name = 'order-view' and isempty(gaps)"
                                + " and position >= (select max(id) from outbox where aggregate_id = 'view-1')"))
                .isOne());
        assertThat(outbox.text("select state from order_view where id = 'view-1'"))
                .isEqualTo("newer");
    }

    @ParameterizedTest
    @CsvSource({
        "123456789012345678901234567890, 123456789012345678901234567890",
        "1.10, 1.10",
        "0.1e-30, 0.0000000000000000000000000000001"
    })
    void fields_are_written_with_exact_numbers(String amount, String stored) throws Exception {
        String id = insert(
                "paid-" + amount, "payment.received", "{\"amount\": " + amount + ", \"payer\": {\"name\": \"Zoë\"}}");

        eventually(() -> assertThat(outbox.jdbc()
                        .queryForList(
                                "select payer || ' ' || amount from payment where id = cast(? as uuid)",
                                String.class,
                                id))
                .containsExactly("Zoë " + stored));
    }

    @Test
    void one_message_is_sent_as_several() throws Exception {
        String id = insert("fan-1", "order.created", ORDER);

        eventually(() -> assertThat(TestKafka.binaryRecords("order-lines"))
                .filteredOn(each -> header(each, "id").startsWith(id))
                .extracting(each -> key(each) + " "
                        + header(each, "id").substring(id.length()) + " "
                        + new String(each.value(), StandardCharsets.UTF_8))
                .containsExactly(
                        "pen -0 {\"article\":\"pen\",\"count\":2,\"price\":1.10}",
                        "ink -1 {\"article\":\"ink\",\"count\":1}"));
    }

    @Test
    void an_order_is_confirmed_with_its_lines_summed_up_and_split() throws Exception {
        insert("shaped-1", "order.placed", """
                {"orderId": 7, "language": "de", "currency": "EUR",
                 "customer": {"name": "Zoë", "email": "zoe@example.com", "phone": "+15005550001", "address": {"country": "DE"}},
                 "items": [{"sku": "P-1", "article": "Stift", "quantity": 3, "price": 0.10}, {"sku": "I-2", "article": "Tinte", "quantity": 1, "price": 19.90}]}
                """);

        assertThat(request("/camel.component.sms.url", "Tinte").text()).contains("20.20");
        eventually(() -> assertThat(MAILS).singleElement().satisfies(received -> {
            assertThat(received.subject()).isEqualTo("Ihre Bestellung 7");
            assertThat(received.html()).contains("3 × Stift");
        }));
        assertThat(new String(record("order-summaries", "shaped-1").value(), StandardCharsets.UTF_8))
                .contains("\"total\": 20.20");
        eventually(() -> assertThat(outbox.text(
                        "select string_agg(payload ->> 'sku' || ' ' || (payload ->> 'price'), ', ' order by id) from outbox"
                                + " where type = 'order-item.placed' and aggregate_id = 'shaped-1'"))
                .isEqualTo("P-1 0.10, I-2 19.90"));
    }

    @Test
    void a_limited_route_reports_its_rate() throws Exception {
        String id = insert("limited-1", "order.created", ORDER);

        eventually(() -> assertThat(server.requests())
                .filteredOn(each -> each.path().equals("/partner.url")
                        && id.equals(each.headers().get("id")))
                .isNotEmpty());
        eventually(() -> assertThat(
                        outbox.text("select rate_limit from outbox_subscription where name = 'limited-orders'"))
                .isEqualTo("50/s"));
    }

    @Test
    void nothing_is_sent_while_the_subscription_is_paused() throws Exception {
        Subscriptions subscriptions = new Subscriptions(outbox.dataSource());
        Actor actor = new Actor("test", Optional.of("quiet hours"));
        eventually(() -> subscriptions.pause("reminder-sms", actor));
        eventually(() -> assertThat(
                        outbox.number(
                                "select count(*) from outbox_subscription where name = 'reminder-sms' and owner is null and paused"))
                .isOne());
        insert("reminder-1", "reminder.due", "{\"reminder\": 1}");
        String other = insert("reminder-2", "order.created", ORDER);
        eventually(() -> assertThat(lineOf(other)).isPresent());
        assertThat(server.requests()).noneMatch(each -> each.path().equals("/sms.url"));

        subscriptions.resume("reminder-sms", actor);

        assertThat(request("/sms.url", "reminder").text()).isEqualTo("{\"reminder\": 1}");
    }

    @Test
    void each_tenant_gets_its_own_messages() throws Exception {
        insert("tenant-1", "acme.order.created", "{\"for\": \"acme\"}");
        insert("tenant-2", "globex.order.created", "{\"for\": \"globex\"}");

        request("/acme.url", "acme");
        request("/globex.url", "globex");
        assertThat(server.requests())
                .noneMatch(
                        each -> each.path().equals("/acme.url") && each.text().contains("globex"))
                .noneMatch(
                        each -> each.path().equals("/globex.url") && each.text().contains("acme"));
    }

    @Test
    void an_answer_is_appended_as_a_message() throws Exception {
        insert("credit-1", "credit.requested", "{\"customer\": 5}");

        eventually(() -> assertThat(
                        outbox.text(
                                "select aggregate_type || ' ' || aggregate_id || ' ' || payload from outbox where type = 'credit.checked'"))
                .isEqualTo("order credit-1 {\"score\": 7}"));
    }

    @Test
    void a_dead_letter_is_mirrored() throws Exception {
        insert("refused-1", "acme.refused", "{\"refused\": true}");

        ConsumerRecord<byte[], byte[]> sent = record("dead-letters", "refused-1");
        assertThat(new String(sent.value(), StandardCharsets.UTF_8)).isEqualTo("{\"refused\": true}");
        assertThat(header(sent, "failed-subscription")).isEqualTo("tenant-acme");
        assertThat(header(sent, "failed-with")).endsWith("HttpOperationFailedException");
        assertThat(header(sent, "__connect.errors.connector.name")).isEqualTo("tenant-acme");
        assertThat(header(sent, "__connect.errors.stage")).isEqualTo("TASK_PUT");
        assertThat(header(sent, "__connect.errors.exception.class.name")).isEqualTo(header(sent, "failed-with"));
        assertThat(header(sent, "__connect.errors.exception.message")).contains("422");
        assertThat(outbox.number("select count(*) from outbox_dead_letter where aggregate_id = 'refused-1'"))
                .isOne();
    }

    private static String insert(String key, String type, String payload) {
        return outbox.jdbc()
                .queryForObject(
                        "insert into outbox (aggregate_type, aggregate_id, type, payload) values ('order', ?, ?, ?::json)"
                                + " returning message_id::text",
                        String.class,
                        key,
                        type,
                        payload);
    }

    private static Request request(String path, String text) throws Exception {
        eventually(() -> assertThat(server.requests())
                .anyMatch(each -> each.path().equals(path) && each.text().contains(text)));
        return server.requests().stream()
                .filter(each -> each.path().equals(path) && each.text().contains(text))
                .findFirst()
                .orElseThrow();
    }

    private static ConsumerRecord<byte[], byte[]> event(String key) throws Exception {
        eventually(() -> assertThat(TestKafka.binaryRecords("orders")).anyMatch(each -> isEvent(each, key)));
        return TestKafka.binaryRecords("orders").stream()
                .filter(each -> isEvent(each, key))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isEvent(ConsumerRecord<byte[], byte[]> record, String key) {
        return key.equals(key(record)) && !header(record, "ce_id").isEmpty();
    }

    private static ConsumerRecord<byte[], byte[]> record(String topic, String key) throws Exception {
        eventually(() -> assertThat(TestKafka.binaryRecords(topic)).anyMatch(each -> key.equals(key(each))));
        return TestKafka.binaryRecords(topic).stream()
                .filter(each -> key.equals(key(each)))
                .findFirst()
                .orElseThrow();
    }

    private static String key(ConsumerRecord<byte[], byte[]> sent) {
        return sent.key() == null ? "" : new String(sent.key(), StandardCharsets.UTF_8);
    }

    private static String header(ConsumerRecord<byte[], byte[]> sent, String name) {
        var header = sent.headers().lastHeader(name);
        return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }
}
