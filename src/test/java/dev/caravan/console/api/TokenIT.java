package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestHttp;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.settings.SettingsException;
import dev.caravan.camel.step.FieldCopy;
import dev.caravan.console.api.HttpRelay.Answered;
import dev.caravan.console.http.ManagementSettings;
import dev.caravan.console.http.Token;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.camel.builder.RouteBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenIT {
    private static final String[] OPERATOR = {"Authorization", "Bearer " + HttpRelay.TOKEN};
    private static final String[] READER = {"Authorization", "Bearer " + HttpRelay.READ_TOKEN};
    private static HttpRelay relay;

    @BeforeAll
    static void start() throws Exception {
        relay = HttpRelay.start(Map.of(
                "caravan.management.token",
                HttpRelay.TOKEN,
                "caravan.management.readToken",
                HttpRelay.READ_TOKEN + "@public,billing"));
        relay.database.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type, headers, payload,"
                        + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " values ('orders', 7, gen_random_uuid(), 'order', '7', 'order.created', '{\"a\":\"b\"}',"
                        + " '{\"phone\":\"+49123\",\"name\":\"Anna\"}', now(), 1, now(), now(), 'java.io.IOException', 'no', '')");
    }

    @AfterAll
    static void stop() {
        relay.close();
    }

    @Test
    void without_the_token_there_is_nothing_but_health_and_the_files_of_the_console() throws Exception {
        Answered refused = relay.get("/api/me");
        refused.assertStatus(401);
        assertThat(refused.response().headers().firstValue("WWW-Authenticate")).contains("Bearer");
        relay.get("/elsewhere").assertStatus(401);

        assertThat(relay.get("/observe/health").response().body()).contains("status");
        assertThat(relay.get("/console/").status()).isIn(200, 404);
    }

    @Test
    void only_an_administrator_sees_what_may_be_a_credential_in_addresses_and_conditions() throws Exception {
        relay.relay.context().addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                from("direct:notify")
                        .autoStartup(false)
                        .filter(
                                simple(
                                        "${header.shop} == 'eu-west' && ${header.key} == 'pAss-w0rd' && ${header.k} == '{{k:v2}}'"))
                        .to("direct:x")
                        .end()
                        .choice()
                        .when(simple("${header.key} == 'sEcond-w0rd'"))
                        .to("direct:x")
                        .end()
                        .toD("https://hooks.slack.example/services/T0AAAA1/B0BBBB2/XxXxSecret?httpMethod=POST")
                        .toD("https://anna:pw@api.example/v1/orders/{{shop.id:7}}/${header.id}")
                        .toD("https://api.telegram.example/bot123:AbC/send-message")
                        .toD("telegram:bots/123456:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw")
                        .toD("https:hooks.example/services/T0AAAA2/aB3dE9xKq")
                        .toD("netty-http:https://hooks.example/services/T0AAAA3/cD4eF8yLr")
                        .toD("{{hook.url:https://hooks.example}}/services/T0AAAA4/eF5gH7zMs")
                        .toD("kafka:Orders_V2")
                        .toD("sql:select 'https://a' from b")
                        .toD("http:hook.example/d41d8cd98f00b204e9800998ecf8427e");
            }
        });

        String reader = relay.get("/api/routes", READER).response().body();
        String admin = relay.get("/api/routes", OPERATOR).response().body();

        assertThat(admin)
                .contains("hooks.slack.example/services/T0AAAA1/B0BBBB2/XxXxSecret", "//anna:", "bot123:AbC", "AAHdq")
                .contains("pAss-w0rd", "sEcond-w0rd")
                .doesNotContain("pw@");
        assertThat(reader)
                .contains("\"https://hooks.slack.example/services/•••/•••/•••\"")
                .contains("\"https://•••@api.example/v1/orders/{{shop.id:7}}/${header.id}\"")
                .contains("\"https://api.telegram.example/•••/send-message\"", "\"telegram:bots/•••\"")
                .contains("\"kafka:Orders_V2\"", "\"sql:select 'https://a' from b\"", "\"http:hook.example/•••\"")
                .contains("== 'eu-west' && ${header.key} == '•••' && ${header.k} == '{{k:v2}}'")
                .contains("\"https:hooks.example/services/•••/•••\"")
                .contains("\"netty-http:https://hooks.example/services/•••/•••\"")
                .contains("\"{{hook.url:https://hooks.example}}/services/•••/•••\"")
                .doesNotContain("XxXxSecret", "anna", "AbC", "AAHdq", "d41d8", "w0rd", "T0AAAA", "aB3", "cD4", "eF5");
    }

    @Test
    void a_wrong_token_is_refused_and_after_some_tries_its_sender_has_to_wait() throws Exception {
        relay.get("/api/me", "Authorization", "Bearer operator-token-of-the-tesT")
                .assertStatus(401);
        int last = 0;
        for (int i = 0; i < 200 && last != 429; i++) {
            last = relay.sendOnce(relay.request("/api/me", "Authorization", "Bearer wrong")
                            .GET())
                    .status();
        }

        assertThat(last).isEqualTo(429);
    }

    @Test
    void a_right_token_is_accepted_while_others_send_wrong_ones_from_the_same_address() throws Exception {
        for (int i = 0; i < 200; i++) {
            int wrong = once("Authorization", "Bearer wrong");
            if (wrong == 429) {
                assertThat(once(OPERATOR)).isEqualTo(200);
                assertThat(once(READER)).isEqualTo(200);
                return;
            }
        }
        throw new AssertionError("wrong tokens were never limited");
    }

    @Test
    void a_reader_who_sends_requests_without_a_pause_does_not_block_the_operator() throws Exception {
        eventually(() -> assertThat(
                        relay.refusedOf(400, relay.request("/api/me", READER).GET()))
                .isNotEmpty());
        assertThat(once(OPERATOR)).isEqualTo(200);
    }

    private static int once(String... headers) throws Exception {
        return relay.sendOnce(relay.request("/api/me", headers).GET()).status();
    }

    @Test
    void a_reader_may_read_and_change_nothing() throws Exception {
        assertThat(relay.get("/api/me", READER).text("/role")).isEqualTo("read");
        Answered letter = relay.get("/api/dead-letters/orders/7", READER);
        assertThat(letter.json().has("payload")).isFalse();
        assertThat(letter.json().get("headerNames").get(0).asText()).isEqualTo("a");
        relay.get("/api/dead-letters/orders/7?payload=true", READER).assertStatus(403);
        relay.post("/api/dead-letters/orders/7/discard", "{\"reason\":\"x\"}", READER)
                .assertStatus(403);
        assertThat(relay.database.number("select count(*) from outbox_dead_letter"))
                .isEqualTo(1);
    }

    /** The outboxes do not exist: 404 means that the token is valid there. */
    @Test
    void a_reader_sees_no_value_of_an_open_statement() throws Exception {
        try (var application = relay.database.begin("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " values ('customer', 'ACME\\', 'order.created', '{\"phone\": \"+49123\"}')")) {

            Answered seen = relay.get("/api/subscriptions/orders", READER);

            assertThat(seen.text("/writers/0/query"))
                    .startsWith("insert into outbox (aggregate_type, aggregate_id, type, payload) values (•••, •••");
            assertThat(seen.response().body()).doesNotContain("+49123");
        }
    }

    @Test
    void a_reader_sees_no_credential_of_an_address_in_a_dead_letter() throws Exception {
        try (TestHttp chat = new TestHttp(404)) {
            relay.relay.context().addRoutes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("outbox:chat?types=chat.message&start=earliest").to(chat.url() + "/services/XxX1yYyY2zZz");
                }
            });
            relay.database.insert("7", "chat.message", "{}");
            eventually(() -> assertThat(relay.database.dead("chat")).hasSize(1));
            long id = relay.database.dead("chat").get(0);

            for (String path : List.of(
                    "/api/dead-letters",
                    "/api/dead-letters/groups",
                    "/api/dead-letters/chat/" + id,
                    "/api/why/" + id)) {
                assertThat(relay.get(path, READER).response().body())
                        .contains("/services/•••")
                        .doesNotContain("XxX1yYyY2zZz");
            }
        } finally {
            relay.database.execute("delete from outbox_dead_letter where subscription = 'chat'");
        }
    }

    private static HttpRelay withMetricsOfCamel() throws Exception {
        return HttpRelay.start(Map.of(
                "caravan.management.token", HttpRelay.TOKEN, "camel.metrics.enableExchangeEventNotifier", "true"));
    }

    /** The metrics need no token, and those of Camel name addresses. */
    @Test
    void nobody_sees_a_credential_of_an_address_in_the_metrics() throws Exception {
        try (TestHttp chat = new TestHttp(204);
                HttpRelay measured = withMetricsOfCamel()) {
            measured.relay.context().addRoutes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("outbox:chat?types=chat.message&start=earliest")
                            .to(chat.url() + "/services/T0AAAA1/XxXxSecret?httpMethod=POST");
                }
            });
            measured.database.insert("7", "chat.message", "{}");

            eventually(() -> {
                String metrics = measured.get("/observe/metrics").response().body();
                assertThat(metrics)
                        .contains("endpointName=\"" + chat.url() + "/services/•••")
                        .doesNotContain("XxXxSecret");
            });
        }
    }

    /** They would be in the memory of the relay and in each scrape, one series for each message. */
    @Test
    void addresses_made_of_messages_are_no_names_in_the_metrics() throws Exception {
        try (TestHttp shop = new TestHttp(204);
                HttpRelay measured = withMetricsOfCamel()) {
            measured.relay.context().addRoutes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("outbox:shop?types=order.created&start=earliest")
                            .recipientList(simple(shop.url().replace("localhost", "127.0.0.1") + "/anna/${header.id}"))
                            .toD(shop.url() + "/berta/${header.id}")
                            .toD("mock:${header.id}");
                }
            });
            measured.database.insertMany(300, 300);

            eventually(() -> assertThat(measured.database.passed("shop", 300)).isTrue());
            String metrics = measured.get("/observe/metrics").response().body();
            assertThat(metrics)
                    .contains("endpointName=\"http\"", "endpointName=\"mock\"", "endpointName=\"" + shop.url() + "\"")
                    .doesNotContain("anna", "berta", "mock:");
            assertThat(metrics.lines().filter(line -> line.contains("endpointName")))
                    .hasSizeLessThan(100);
            PrometheusMeterRegistry registry =
                    measured.relay.context().getRegistry().findSingleByType(PrometheusMeterRegistry.class);
            Map<?, ?> kept = FieldCopy.value(MeterRegistry.class, "preFilterIdToMeterMap", registry, Map.class);
            assertThat(kept).hasSizeLessThan(300);
        }
    }

    /** Health needs no token, and its checks of Camel quote what fails. */
    @Test
    void nobody_sees_a_statement_or_an_address_in_health() throws Exception {
        try (HttpRelay polling = HttpRelay.start(HttpRelay.tokens())) {
            polling.relay.context().addRoutes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("sql:select * from nope where code = 's3cret'?initialDelay=0&delay=100")
                            .routeId("poll")
                            .to("direct:none");
                }
            });

            eventually(() -> {
                Answered health = polling.get("/observe/health?data=true&stackTrace=true");
                assertThat(health.json().get("checks"))
                        .filteredOn(check -> check.get("name").asText().equals("consumer:poll"))
                        .singleElement()
                        .satisfies(check -> {
                            assertThat(check.get("status").asText()).isEqualTo("DOWN");
                            assertThat(check.get("message").asText())
                                    .startsWith("Consumer failed polling ")
                                    .contains(" times route: poll: PSQLException (ERROR: relation ");
                        });
                assertThat(health.response().body())
                        .contains("\"name\":\"route:poll\"", "\"name\":\"context\"")
                        .doesNotContain("s3cret", "stacktrace");
            });
        }
    }

    /** They send to any address, and show settings and files, and know no roles. */
    @Test
    void services_of_camel_are_for_administrators() throws Exception {
        try (HttpRelay open = HttpRelay.start(Map.of(
                "caravan.management.token",
                HttpRelay.TOKEN,
                "caravan.management.readToken",
                HttpRelay.READ_TOKEN,
                "camel.management.sendEnabled",
                "true",
                "camel.management.downloadEnabled",
                "true",
                "camel.management.infoEnabled",
                "true",
                "camel.management.path",
                "/elsewhere"))) {
            open.relay.context().addRoutes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("direct:door").setBody(constant("opened"));
                }
            });
            HttpRequest.Builder send = open.request("/q/send/", "endpoint", "direct:door", "exchangePattern", "InOut")
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{}"));

            open.send(send.copy().headers(READER)).assertProblem(403, "needs the role admin");
            assertThat(open.send(send.copy().headers(OPERATOR)).response().body())
                    .contains("opened");
            open.get("/q/download", READER).assertStatus(403);
            assertThat(open.get("/q/download", OPERATOR).response().body()).contains("orders.camel.yaml");
            open.get("/observe/info", READER).assertStatus(403);
            open.get("/elsewhere/q/download", READER).assertStatus(404);
            open.get("/observe/health/live").assertStatus(200);
        }
    }

    @Test
    void a_token_is_valid_only_in_the_outboxes_that_its_setting_names() throws Exception {
        relay.get("/api/outboxes/public/overview", READER).assertStatus(200);
        relay.get("/api/outboxes/billing/overview", READER).assertStatus(404);
        Answered refused = relay.get("/api/outboxes/shop/overview", READER);
        refused.assertStatus(403);
        assertThat(refused.detail()).isEqualTo("The token has no role in this outbox. Nothing was changed.");
        relay.get("/api/me?outbox=shop", READER).assertStatus(403);

        relay.get("/api/outboxes/shop/overview", OPERATOR).assertStatus(404);
        relay.get("/api/me", READER[0], READER[1] + "@public,billing").assertStatus(401);
    }

    @Test
    void an_operator_sees_the_payload_without_what_the_mask_hides() throws Exception {
        Answered letter = relay.get("/api/dead-letters/orders/7?payload=true", OPERATOR);

        assertThat(letter.json().get("payload").get("phone").asText()).isEqualTo("•••");
        assertThat(letter.json().get("payload").get("name").asText()).isEqualTo("Anna");
    }

    @Test
    void with_a_token_the_name_of_the_host_does_not_matter() throws Exception {
        assertThat(ManagementServer.host(settings("caravan.management.token", HttpRelay.TOKEN)))
                .isEqualTo("0.0.0.0");
        assertThat(ManagementServer.host(settings("caravan.management.token", "")))
                .isEqualTo("127.0.0.1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "camel.management.host=0.0.0.0 | caravan.management.token (CARAVAN_MANAGEMENT_TOKEN) is not set",
                "camel.management.host=10.1.2.3 | is not set",
                "caravan.management.token=short | must have at least 16",
                "caravan.management.token=with spaces in between | must have at least 16",
                "caravan.management.readToken=0123456789abcdef | caravan.management.token is not",
                "caravan.management.readToken=0123456789abcdef,caravan.management.token=0123456789abcdef | is the same",
                "caravan.management.readToken=0123456789abcdef,caravan.management.token=0123456789abcdef@public | is the same",
                "caravan.management.token=@public | must have at least 16",
                "caravan.management.token=0123456789abcdef@ | must have schemas of outboxes after @",
                "caravan.management.token=0123456789abcdef@public/'x | must have schemas of outboxes after @",
                "caravan.management.token=0123456789abcdef@shop | must also name the outbox of this relay after @: public"
            })
    void settings_that_would_let_anybody_in_are_refused(String given, String why) {
        String[] namesAndValues = given.split("[=,]");

        assertThatThrownBy(() -> ManagementSettings.from(settings(namesAndValues)))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(why);
    }

    @Test
    void a_relay_without_a_management_server_may_have_any_host() {
        Settings off = settings("camel.management.enabled", "false", "camel.management.host", "0.0.0.0");

        assertThat(ManagementServer.host(off)).isEqualTo("0.0.0.0");
    }

    @Test
    void secrets_are_not_printed() {
        assertThat(ManagementSettings.from(settings("caravan.management.token", HttpRelay.TOKEN)))
                .asString()
                .doesNotContain(HttpRelay.TOKEN);
        assertThat(Token.from(settings("caravan.management.token", HttpRelay.TOKEN), "caravan.management.token"))
                .asString()
                .doesNotContain(HttpRelay.TOKEN);
    }

    private static Settings settings(String... namesAndValues) {
        Map<String, String> values = new java.util.HashMap<>(Map.of("camel.management.enabled", "true"));
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return Settings.load(Path.of("none.properties"), values);
    }
}
