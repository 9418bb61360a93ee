package dev.caravan.routes.draft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.ComponentSettings;
import dev.caravan.TestHttp;
import dev.caravan.TestHttp.Request;
import dev.caravan.TestPostgres;
import dev.caravan.camel.outbox.OutboxComponent;
import dev.caravan.lab.servers.mail.MailServer;
import dev.caravan.lab.servers.mail.ReceivedMail;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Each draft, run against a server. Those of other components are run by the tests of the recipes. */
class DraftIT {
    private static final String ID = "0198a5d2-7f00-7000-8000-000000000001";
    private static final String PAYLOAD = """
            {"orderId": "A \\"7\\"",
             "customer": {"email": "guest@example.com", "phone": "+15550100001"}}""";

    @TempDir
    Path folder;

    private final DefaultCamelContext camel = new DefaultCamelContext();
    private final TestHttp server = new TestHttp(200);
    private final String url = server.url() + "/hooks";

    @BeforeEach
    void start() throws Exception {
        camel.addComponent("outbox", new OutboxComponent() {
            @Override
            protected Endpoint createEndpoint(String uri, String name, Map<String, Object> options) {
                assertThat(options).containsEntry("types", "order.*");
                options.clear();
                return getCamelContext().getEndpoint("direct:" + name);
            }
        });
    }

    @AfterEach
    void stop() throws Exception {
        camel.close();
    }

    private static Map<Question, String> answers(Destination destination) {
        Map<Question, String> answers = new EnumMap<>(Question.class);
        destination.questions().forEach(question -> answers.put(question, destination.suggestion(question)));
        answers.put(Question.TYPE, "order.*");
        answers.replace(Question.TABLE, "orders");
        answers.replace(Question.FROM, destination == Destination.SMS ? "+15005550006" : "Shop <shop@example.com>");
        return answers;
    }

    private void deliver(Destination destination, Map<Question, String> answers, Map<String, String> settings)
            throws Exception {
        Draft draft = new Draft("a-1", destination, answers);
        settings.forEach(camel.getPropertiesComponent()::addInitialProperty);
        ComponentSettings.set(camel, settings);
        PluginHelper.getRoutesLoader(camel).loadRoutes(ResourceHelper.fromString("a-1.camel.yaml", draft.route()));
        camel.start();
        Exchange sent = camel.createProducerTemplate().send("direct:a-1", exchange -> {
            exchange.getMessage().setBody(PAYLOAD);
            exchange.getMessage().setHeader("id", ID);
            exchange.getMessage().setHeader("type", "order.placed");
            exchange.getMessage().setHeader("aggregate-id", "A-7");
        });
        assertThat(sent.getException()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void a_draft_has_at_most_15_lines_and_names_its_settings(Destination destination) {
        Map<Question, String> answers = answers(destination);
        answers.replaceAll((question, answer) -> answer.isEmpty() ? "x" : answer);

        Draft draft = new Draft("a-1", destination, answers);

        assertThat(draft.route()).contains("start: latest", "earliest, messages that exist already are ");
        assertThat(draft.route().lines().filter(line -> !line.strip().startsWith("#")))
                .hasSizeLessThanOrEqualTo(15);
        assertThat(draft.route() + draft.settings()).doesNotContain("@name@", "@NAME@", "@type@");
        java.util.regex.Pattern.compile("\\{\\{([\\w.-]+)}}")
                .matcher(draft.route())
                .results()
                .forEach(used -> assertThat(draft.settings()).contains(used.group(1) + " = "));
    }

    @Test
    void a_webhook_is_sent() throws Exception {
        Map<Question, String> answers = answers(Destination.WEBHOOK);
        answers.put(Question.URL, url);
        Draft draft = new Draft("a-1", Destination.WEBHOOK, answers);
        assertThat(draft.settings())
                .contains("a-1.url = {{env:A_1_URL:" + url + "}}", "a-1.secrets = {{env:A_1_SECRETS:}}");

        camel.getPropertiesComponent().addInitialProperty("a-1.url", "http://192.0.2.1/");
        camel.getPropertiesComponent().addInitialProperty("a-1.secrets", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        PluginHelper.getRoutesLoader(camel)
                .loadRoutes(ResourceHelper.fromString(
                        "a-1.camel.yaml", draft.route().replace("{{a-1.url}}", url)));
        camel.start();
        camel.createProducerTemplate().sendBodyAndHeader("direct:a-1", PAYLOAD, "id", ID);

        assertThat(server.requests()).extracting(Request::text).containsExactly(PAYLOAD);
    }

    @Test
    void a_request_is_sent() throws Exception {
        deliver(Destination.HTTP, answers(Destination.HTTP), Map.of("a-1.url", url));

        assertThat(server.requests())
                .extracting(each -> each.method() + " " + each.uri())
                .containsExactly("POST /hooks");
        assertThat(server.requests().get(0).header("Content-Type")).startsWith("application/json");
        assertThat(server.requests()).extracting(Request::text).containsExactly(PAYLOAD);
    }

    @Test
    void a_text_is_posted_in_slack() throws Exception {
        Map<Question, String> answers = answers(Destination.SLACK);
        answers.put(Question.TEXT, "Order \"${orderId}\" \\ 'for' ${customer.email} & 100 % 🚀: ${missing:-}");
        deliver(Destination.SLACK, answers, Map.of("a-1.url", url));

        assertThat(new com.fasterxml.jackson.databind.ObjectMapper()
                        .readTree(server.requests().get(0).text())
                        .get("text")
                        .asText())
                .isEqualTo("Order \"A \"7\"\" \\ 'for' guest@example.com & 100 % 🚀: -");
    }

    @Test
    void an_sms_is_sent() throws Exception {
        deliver(Destination.SMS, answers(Destination.SMS), Map.of("camel.component.sms.url", url));

        assertThat(server.requests().get(0).text())
                .startsWith("To=%2B15550100001&From=%2B15005550006&Body=Thank+you+for+your+order+A");
    }

    @Test
    void a_mail_is_sent() throws Exception {
        List<ReceivedMail> mails = new CopyOnWriteArrayList<>();
        try (MailServer mail = MailServer.start(mails::add)) {
            deliver(Destination.EMAIL, answers(Destination.EMAIL), Map.of("camel.component.email.server", mail.url()));
        }

        assertThat(mails.get(0).recipient()).isEqualTo("guest@example.com");
        assertThat(mails.get(0).subject()).isEqualTo("Your order A \"7\"");
    }

    @Test
    void lines_are_appended_to_a_file() throws Exception {
        Map<Question, String> answers = answers(Destination.FILE);
        answers.put(Question.FOLDER, folder.toString());
        deliver(Destination.FILE, answers, Map.of());
        camel.createProducerTemplate()
                .sendBodyAndHeaders("direct:a-1", "[1,\n2]", Map.of("id", ID, "type", "order.\"paid\""));

        try (var files = Files.list(folder)) {
            assertThat(Files.readString(files.findFirst().orElseThrow()))
                    .isEqualTo("{\"id\": \"" + ID
                            + "\", \"type\": \"order.placed\", \"payload\": {\"orderId\":\"A \\\"7\\\"\","
                            + "\"customer\":{\"email\":\"guest@example.com\",\"phone\":\"+15550100001\"}}}\n"
                            + "{\"id\": \"" + ID + "\", \"type\": \"order.\\\"paid\\\"\", \"payload\": [1,2]}\n");
        }
    }

    @Test
    void rows_are_inserted_once() throws Exception {
        DataSource database = TestPostgres.server().dataSource(TestPostgres.databaseWithTables());
        var jdbc = new JdbcTemplate(database);
        jdbc.execute("create table orders (message_id uuid primary key, type text not null, payload jsonb)");
        camel.getRegistry().bind("dataSource", DataSource.class, database);
        deliver(Destination.SQL, answers(Destination.SQL), Map.of());
        camel.createProducerTemplate()
                .sendBodyAndHeaders("direct:a-1", PAYLOAD, Map.of("id", ID, "type", "order.placed"));

        assertThat(jdbc.queryForObject(
                        "select count(*) || max(type) || max(payload->>'orderId') from orders", String.class))
                .isEqualTo("1order.placedA \"7\"");
    }

    @ParameterizedTest
    @org.junit.jupiter.params.provider.ValueSource(strings = {"{{env:HOME}}", "a\nb", "a\rb", "\u0000", "x}}y"})
    void an_answer_that_would_change_the_route_is_refused(String answer) {
        assertThat(Question.values()).noneMatch(question -> question.accepts(answer));
    }

    @Test
    void quotation_marks_in_an_answer_stay_text() throws Exception {
        Map<Question, String> answers = answers(Destination.EMAIL);
        answers.put(Question.SUBJECT, "a \"b\" \\ @type@ # c: {d} ${orderId}");
        List<ReceivedMail> mails = new CopyOnWriteArrayList<>();
        try (MailServer mail = MailServer.start(mails::add)) {
            deliver(Destination.EMAIL, answers, Map.of("camel.component.email.server", mail.url()));
        }

        assertThat(mails.get(0).subject()).isEqualTo("a \"b\" \\ @type@ # c: {d} A \"7\"");
    }
}
