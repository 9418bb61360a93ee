package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.apache.camel.builder.Builder.body;
import static org.apache.camel.builder.Builder.constant;
import static org.apache.camel.builder.Builder.exchangeProperty;
import static org.apache.camel.builder.Builder.header;
import static org.apache.camel.builder.Builder.language;
import static org.apache.camel.builder.Builder.simple;
import static org.apache.camel.builder.Builder.variable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import dev.caravan.camel.outbox.RawHttp.Request;
import dev.caravan.camel.outbox.TestOutbox.Waiting;
import dev.caravan.lab.servers.mail.ScriptedSmtp;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.aggregate.GroupedExchangeAggregationStrategy;
import org.apache.camel.processor.aggregate.GroupedMessageAggregationStrategy;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.cookie.BasicCookieStore;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a receiver gets over HTTP, and what the next step gets of its answer, in routes that users write. */
class HttpDeliveriesIT {
    private static final String PAYLOAD = "{\"n\": 1}";

    private final List<Map<String, Object>> afterwards = new CopyOnWriteArrayList<>();
    private final TestOutbox outbox = TestOutbox.create();
    private TestRelay relay;
    private RawHttp receiver;

    @ParameterizedTest
    @ValueSource(strings = {"/hook?tenant=7", "/hook?tenant=7&skipControlHeaders=true", "/hook"})
    void a_step_without_a_method_posts_the_message(String path) throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.to(receiver.url() + path));
        long id = outbox.insert("a", "order.created", PAYLOAD);

        delivered(id);
        assertThat(onlyRequest().line()).startsWith("POST /hook");
        assertThat(onlyRequest().text()).isEqualTo(PAYLOAD);
    }

    @Test
    void a_step_without_a_body_posts_too() throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.setBody(simple("${null}")).to(receiver.url() + "/hook"));

        delivered(outbox.insert("a"));
        assertThat(onlyRequest().line()).startsWith("POST /hook");
        assertThat(onlyRequest().header("Content-Length")).contains("0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"toD", "recipientList", "routingSlip", "direct", "rest"})
    @Tag("long")
    void each_kind_of_step_posts_the_message(String kind) throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        String uri = receiver.url() + "/hook?tenant=7";
        start(route -> {
            switch (kind) {
                case "toD" -> route.toD(uri + "&key=${header.aggregate-id}");
                case "recipientList" -> route.recipientList(constant(uri));
                case "routingSlip" -> route.routingSlip(constant(uri));
                case "rest" -> route.to("rest:post:hook?host=" + receiver.url());
                default -> route.to("direct:hook");
            }
        });

        delivered(outbox.insert("a", "order.created", PAYLOAD));
        assertThat(onlyRequest().line()).startsWith("POST /hook");
        assertThat(onlyRequest().text()).isEqualTo(PAYLOAD);
    }

    @Test
    void a_method_that_the_route_sets_is_used_and_an_enrich_reads() throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.setHeader("CamelHttpMethod", constant("PUT"))
                .to(receiver.url() + "/hook?tenant=7")
                .removeHeader("CamelHttpMethod")
                .enrich(receiver.url() + "/customer?id=7")
                .to(receiver.url() + "/hook?tenant=8&httpMethod=GET")
                .to(receiver.url() + "/hook?tenant=9"));

        delivered(outbox.insert("a"));
        assertThat(receiver.requests())
                .extracting(request -> request.line().replace(" HTTP/1.1", ""))
                .containsExactly(
                        "PUT /hook?tenant=7", "GET /customer?id=7", "GET /hook?tenant=8", "POST /hook?tenant=9");
    }

    @ParameterizedTest
    @CsvSource({
        "path,  ../admin",
        "path,  a/..%2Fb",
        "path,  %2e%2E;x/b",
        "path,  %2e%2e/b",
        "path,  ..%00/b",
        "path,  %252e%252e/b",
        "path,  %c0%ae%c0%ae/b",
        "path,  a\u0001b",
        "path,  7?admin=1",
        "path,  7#",
        "rest,  ..",
        "rest,  a/../b",
        "rest,  %2e%2e",
        "rest,  a\u0001b",
        "query, RAW(7&admin=1)",
        "uri,   ../admin",
        "uri,   7?tenant=1",
        "uri,   {{secret}}"
    })
    void a_text_of_the_message_that_leads_to_another_path_or_shows_a_setting_makes_it_dead(String kind, String key)
            throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> addressed(route, kind));
        long id = outbox.insert(key);

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(receiver.requests()).isEmpty();
        assertThat(outbox.text("select error_text from outbox_dead_letter"))
                .matches(
                        "(The header Camel|The parameter aggregate-id|A parameter of the query|A value of the message).*")
                .doesNotContain("topsecret");
    }

    @ParameterizedTest
    @CsvSource({
        "path,  a..b,         a..b",
        "path,  7/.hidden,    7/.hidden",
        "path,  a%20b%3F,     a%20b%3F",
        "rest,  7..8,         7..8",
        "rest,  a/b?c#d;e%2f, a%2Fb%3Fc%23d%3Be%252f",
        "rest,  a{type} +\u00e9,   a%7Btype%7D%20%2B%C3%A9",
        "query, a&b=c,        all?id=a%26b%3Dc",
        "uri,   7/lines,      7/lines"
    })
    void other_texts_are_a_part_of_the_path(String kind, String key, String path) throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> addressed(route, kind));

        delivered(outbox.insert(key));
        assertThat(onlyRequest().line()).isEqualTo("POST /orders/" + path + " HTTP/1.1");
    }

    /** Camel would send the message to the resource with the name of the parameter, or to the one above. */
    @ParameterizedTest
    @ValueSource(strings = {"", "x"})
    void a_parameter_without_a_value_makes_the_message_dead(String removed) throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.setHeader(removed + "part", constant(""))
                .to("rest:post:{type}/{part}/lines?host=" + receiver.url()));
        long id = outbox.insert("a");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(outbox.text("select error_text from outbox_dead_letter"))
                .contains("The parameter part of the step rest:");
        assertThat(receiver.requests()).isEmpty();
    }

    private void addressed(RouteDefinition route, String kind) {
        route.getCamelContext().getPropertiesComponent().addInitialProperty("secret", "topsecret");
        switch (kind) {
            case "path" ->
                route.setHeader("CamelHttpPath", simple("${header.aggregate-id}"))
                        .to(receiver.url() + "/orders");
            case "uri" ->
                route.setHeader("CamelHttpUri", simple(receiver.url() + "/orders/${header.aggregate-id}"))
                        .to(receiver.url());
            case "query" -> route.to("rest:post:orders/all?queryParameters=id={aggregate-id}&host=" + receiver.url());
            default -> route.to("rest:post:orders/{aggregate-id}?host=" + receiver.url());
        }
    }

    /** Camel would send the name of the parameter: tenant={none}. */
    @Test
    void a_step_rest_without_a_value_for_its_query_sends_nothing() throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.to("rest:post:orders?queryParameters=tenant={none}&host=" + receiver.url()));

        long id = outbox.insert("a");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(receiver.requests()).isEmpty();
        assertThat(outbox.text("select error_text from outbox_dead_letter")).contains("none of the step rest: has no");
    }

    /** Camel would replace it by a setting, or by a variable of the environment. */
    @ParameterizedTest
    @ValueSource(strings = {"toD", "recipientList", "routingSlip", "dynamicRouter", "enrich", "pollEnrich", "poll"})
    void a_text_of_the_message_in_a_computed_address_shows_no_setting(String kind) throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        String uri = receiver.url() + "/hook/${header.place}";
        start(route -> {
            switch (kind) {
                case "toD" -> route.toD(uri);
                case "recipientList" -> route.recipientList(simple(uri));
                case "routingSlip" -> route.routingSlip(simple(uri));
                case "dynamicRouter" -> route.dynamicRouter(simple(uri));
                case "enrich" -> route.enrich().simple(uri).end();
                case "pollEnrich" ->
                    route.pollEnrich().simple(uri).timeout(1_000).end();
                default -> route.poll(uri, 1_000);
            }
        });
        long id = outbox.insertWithHeaders("{\"place\": \"{{sys:user.name}}\"}");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void a_placeholder_of_the_route_in_a_computed_address_is_a_setting() throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.recipientList(constant(receiver.url() + "/{{sys:user.name}}")));

        delivered(outbox.insert("a"));
        assertThat(onlyRequest().line()).startsWith("POST /" + System.getProperty("user.name"));
    }

    @Test
    void a_row_does_not_choose_the_host_that_is_named_even_if_the_route_preserves_it() throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.to(receiver.url() + "/hook?preserveHostHeader=true")
                .setHeader("Host", constant("own.example"))
                .to(receiver.url() + "/hook?preserveHostHeader=true"));

        delivered(outbox.insertWithHeaders("{\"host\": \"evil.example\"}"));
        assertThat(receiver.requests())
                .extracting(request -> request.header("Host").orElse(""))
                .containsExactly(receiver.url().replace("http://", ""), "own.example");
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303})
    void a_redirect_that_changes_the_method_is_a_failure(int status) throws Exception {
        receiver = redirecting(status);
        start(route -> route.to(receiver.url() + "/hook?followRedirects=true"));
        outbox.insert("a");

        eventually(() -> assertThat(outbox.waiting("orders").stream().mapToInt(Waiting::attempts))
                .contains(1));
        assertThat(onlyRequest().line()).startsWith("POST /hook");
    }

    @ParameterizedTest
    @CsvSource({"307, POST", "308, POST"})
    void a_redirect_that_keeps_the_method_is_followed(int status, String method) throws Exception {
        receiver = redirecting(status);
        start(route -> route.to(receiver.url() + "/hook?followRedirects=true"));

        delivered(outbox.insert("a", "order.created", PAYLOAD));
        assertThat(receiver.requests()).hasSize(2);
        assertThat(receiver.requests().get(1).line()).startsWith(method + " /login");
        assertThat(receiver.requests().get(1).text()).isEqualTo(PAYLOAD);
    }

    @Test
    void bytes_that_are_packed_and_the_header_that_says_so_arrive_as_they_are() throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.to(receiver.url() + "/hook?httpMethod=POST"));
        byte[] packed = gzip(PAYLOAD);

        delivered(insert("{\"Content-Encoding\": \"gzip\"}", packed));
        assertThat(onlyRequest().body()).isEqualTo(packed);
        assertThat(onlyRequest().head().stream()
                        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-encoding:")))
                .containsExactly("Content-Encoding: gzip");
    }

    @Test
    void bytes_that_the_row_calls_packed_and_that_are_not_arrive_as_they_are() throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.to(receiver.url() + "/hook?httpMethod=POST"));
        byte[] plain = {1, 2, 3};

        delivered(insert("{\"content-encoding\": \"GZIP\"}", plain));
        assertThat(onlyRequest().body()).isEqualTo(plain);
    }

    @Test
    void what_a_route_packs_is_packed_once() throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.process(exchange -> exchange.getMessage().setBody(gzip(PAYLOAD)))
                .setHeader("Content-Encoding", constant("gzip"))
                .to(receiver.url() + "/hook?httpMethod=POST"));

        delivered(outbox.insert("a", "order.created", PAYLOAD));
        assertThat(new GZIPInputStream(new ByteArrayInputStream(onlyRequest().body())).readAllBytes())
                .asString()
                .isEqualTo(PAYLOAD);
    }

    @Test
    void what_a_route_packs_in_a_coding_that_only_contains_gzip_in_its_name_is_sent_as_it_is() throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.setHeader("Content-Encoding", constant("mygzip")).to(receiver.url() + "/hook"));

        delivered(outbox.insert("a", "order.created", PAYLOAD));
        assertThat(onlyRequest().text()).isEqualTo(PAYLOAD);
        assertThat(onlyRequest().header("Content-Encoding")).contains("mygzip");
    }

    @Test
    void a_webhook_says_how_its_signed_bytes_are_packed() throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.to(
                "standard-webhook:any?allowPrivateAddresses=true&secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw&url="
                        + receiver.url() + "/hook"));
        byte[] packed = gzip(PAYLOAD);

        delivered(insert("{\"Content-Encoding\": \"gzip\"}", packed));
        assertThat(onlyRequest().body()).isEqualTo(packed);
        assertThat(onlyRequest().header("Content-Encoding")).contains("gzip");
    }

    @ParameterizedTest
    @ValueSource(strings = {"to", "toD", "enrich", "recipientList", "poll", "sql", "throws"})
    void an_answer_changes_neither_which_message_it_is_nor_where_the_next_step_sends_it(String kind) throws Exception {
        receiver = RawHttp.answering(
                (kind.equals("throws") ? "HTTP/1.1 202 OK\r\n" : RawHttp.OK)
                        + "id: evil\r\nID: evil\r\ntype: evil\r\nAggregate-Id: evil\r\noutbox-id: evil\r\nkafka.OVERRIDE_TOPIC: evil\r\n"
                        + "KAFKA.KEY: evil\r\nkafka.PARTITION_KEY: 7\r\ntraceparent: evil\r\nCamelHttpUri: evil\r\ncamelOutboxSubscription: evil\r\n"
                        + "org.apache.camel.any: evil\r\nX-TENANT: evil\r\nX-Answer: fine\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
        String uri = receiver.url() + "/hook";
        start(route -> {
            switch (kind) {
                case "toD" -> route.toD(uri + "?key=${header.aggregate-id}");
                case "enrich" -> route.enrich(uri);
                case "recipientList" -> route.recipientList(constant(uri));
                case "poll" -> route.pollEnrich(uri, 10_000);
                case "sql" ->
                    route.to("sql:select 'evil' as id?dataSource=#dataSource&outputType=SelectOne&outputHeader=id");
                case "throws" -> route.to(uri + "?throwExceptionOnFailure=false");
                default -> route.to(uri);
            }
        });
        long id = outbox.insertWithHeaders("{\"X-Tenant\": \"good\"}");

        delivered(id);
        assertThat(afterwards).hasSize(1);
        Map<String, Object> headers = afterwards.get(0);
        assertThat(headers)
                .containsEntry("id", outbox.text("select message_id from outbox"))
                .containsEntry("type", "order.created")
                .containsEntry("aggregate-id", "a")
                .containsEntry("outbox-id", Long.toString(id))
                .containsEntry("X-Tenant", "good")
                .containsEntry("kafka.KEY", "a")
                .containsEntry("CamelOutboxSubscription", "orders")
                .doesNotContainKeys("kafka.OVERRIDE_TOPIC", "kafka.PARTITION_KEY")
                .doesNotContainValue("evil");
        assertThat(headers.get("X-Answer")).isEqualTo(kind.equals("sql") ? null : "fine");
    }

    @Test
    void a_connection_that_the_receiver_has_closed_costs_no_attempt() throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + "Content-Length: 0\r\n\r\n");
        start(route -> route.to(receiver.url() + "/hook"));

        for (int i = 0; i < 4; i++) {
            delivered(outbox.insert("a"));
            long idle = System.nanoTime() + Duration.ofMillis(50).toNanos();
            eventually(() -> assertThat(System.nanoTime()).isGreaterThan(idle));
        }
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(receiver.requests()).hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1 200 OK", "HTTP/1.1 400 Too slow", "garbage"})
    void what_came_before_a_request_is_not_its_answer(String early) throws Exception {
        receiver = RawHttp.start((request, out) -> {
            out.text(RawHttp.OK + "Content-Length: 0\r\n\r\n" + early + "\r\nContent-Length: 0\r\n\r\n");
            Thread.sleep(60_000); // the connection stays open, and is not read
        });
        start(route -> route.to(receiver.url() + "/hook"));

        delivered(outbox.insert("a"));
        delivered(outbox.insert("a"));
        assertThat(outbox.dead("orders")).isEmpty();
        assertThat(receiver.requests()).hasSize(2);
    }

    /** It arrives after the client has read the first one, and before it sends again. */
    @Test
    void a_second_answer_is_not_that_to_the_next_request() throws Exception {
        CountDownLatch isRead = new CountDownLatch(1);
        CountDownLatch isWritten = new CountDownLatch(1);
        receiver = RawHttp.start((request, out) -> {
            out.text(RawHttp.OK + "Content-Length: 0\r\n\r\n");
            isRead.await();
            out.text(RawHttp.OK + "Content-Length: 0\r\n\r\n");
            isWritten.countDown();
            Thread.sleep(60_000); // the connection stays open, and is not read
        });
        PoolingHttpClientConnectionManager connections = new PoolingHttpClientConnectionManager();
        connections.setDefaultConnectionConfig(ConnectionConfig.custom()
                .setValidateAfterInactivity(TimeValue.ofHours(1)) // as if less than 10 ms had passed
                .build());
        String uri = receiver.url() + "/hook?clientConnectionManager=#connections";
        start(route -> {
            route.getCamelContext().getRegistry().bind("connections", connections);
            route.to(uri)
                    .process(exchange -> {
                        isRead.countDown();
                        isWritten.await();
                    })
                    .to(uri);
        });

        delivered(outbox.insert("a"));
        assertThat(receiver.requests()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_session_of_an_answer_is_used_for_later_messages_only_if_a_user_has_set_a_store(boolean hasStore)
            throws Exception {
        receiver = RawHttp.answering(
                RawHttp.OK + "Set-Cookie: session=1; Path=/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        start(route -> {
            route.getCamelContext().getRegistry().bind("store", new BasicCookieStore());
            route.to(receiver.url() + "/hook" + (hasStore ? "?cookieStore=#store" : ""));
        });

        delivered(outbox.insert("a"));
        delivered(outbox.insert("a"));
        assertThat(receiver.requests().get(1).header("Cookie"))
                .isEqualTo(hasStore ? Optional.of("session=1") : Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"pollEnrich", "poll"})
    void a_polled_answer_adds_no_recipient_to_a_mail(String kind) throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + "To: evil@example.com\r\nBcc: evil@example.com\r\n"
                + "Content-Length: 2\r\nConnection: close\r\n\r\nok");
        try (ScriptedSmtp smtp = new ScriptedSmtp()) {
            String mail = "smtp://localhost:" + smtp.port() + "?from=shop@example.com&to=guest@example.com";
            String uri = receiver.url() + "/customer";
            start(route -> (kind.equals("poll") ? route.poll(uri, 10_000) : route.pollEnrich(uri, 10_000)).to(mail));

            delivered(outbox.insert("a"));
            assertThat(smtp.commands().stream().filter(command -> command.startsWith("RCPT")))
                    .containsExactly("RCPT TO:<guest@example.com>");
        }
    }

    /** As bytes, a template writes it in Base64, payload compares it with nothing, and a header has a list of numbers. */
    @ParameterizedTest
    @ValueSource(strings = {"variableReceive", "enrich", "setVariable"})
    void the_text_of_an_answer_that_a_route_stores_is_text(String kind) throws Exception {
        receiver =
                RawHttp.answering(RawHttp.OK + "Content-Type: text/plain; charset=ISO-8859-1\r\nContent-Length: 3\r\n"
                        + "Connection: close\r\n\r\nKX\u00e9");
        String first = receiver.url() + "/first";
        start(route -> (switch (kind) {
                    case "variableReceive" ->
                        route.toV(first, null, "answer").setProperty("answer", variable("answer"));
                    case "enrich" ->
                        route.enrich(first).setProperty("answer", body()).setVariable("answer", body());
                    default -> route.to(first).setVariable("answer", body()).setProperty("answer", body());
                })
                .filter(language("payload", "variable.answer == 'KX\u00e9'"))
                .setHeader("X-Token", simple("${exchangeProperty.answer}"))
                .setBody(language("text-template", "It is ${variable.answer}"))
                .to(receiver.url() + "/second"));

        delivered(outbox.insert("a", "order.created", PAYLOAD));
        assertThat(receiver.requests()).hasSize(2);
        assertThat(receiver.requests().get(1).text()).isEqualTo("It is KX\u00e9");
        assertThat(receiver.requests().get(1).header("X-Token"))
                .hasValueSatisfying(token -> assertThat(token).startsWith("KX"));
    }

    @Test
    void an_answer_of_bytes_that_a_route_stores_is_sent_on_as_it_is() throws Exception {
        receiver = RawHttp.answering(
                RawHttp.OK + "Content-Type: image/png\r\nContent-Length: 3\r\n" + "Connection: close\r\n\r\nKX\u00e9");
        start(route ->
                route.toV(receiver.url() + "/first", null, "answer").toV(receiver.url() + "/second", "answer", null));

        delivered(outbox.insert("a", "order.created", PAYLOAD));
        assertThat(receiver.requests().get(1).body()).containsExactly('K', 'X', 0xe9);
    }

    @Test
    void the_character_set_of_an_answer_does_not_change_what_the_next_step_sends() throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + "Content-Type: text/html; charset=ISO-8859-1\r\n"
                + "Content-Length: 1\r\nConnection: close\r\n\r\n\u00e9");
        String text = "{\"price\": \"5 \u20ac\"}";
        start(route -> route.to(receiver.url() + "/first")
                .setProperty("read", simple("${bodyAs(String)}"))
                .setBody(constant(text))
                .to(receiver.url() + "/second")
                .setBody(constant(text))
                .setHeader("Content-Type", constant("application/json"))
                .to(receiver.url() + "/third")
                .setBody(exchangeProperty("read"))
                .to(receiver.url() + "/fourth")
                .to(receiver.url() + "/answer"));

        delivered(outbox.insert("a"));
        assertThat(receiver.requests().subList(1, 4)).extracting(Request::text).containsExactly(text, text, "\u00e9");
        assertThat(receiver.requests().get(4).body()).containsExactly(0xe9);
    }

    @Test
    void a_value_of_json_is_sent_as_json_also_after_an_answer_in_another_character_set() throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + "Content-Type: text/html; charset=ISO-8859-1\r\n"
                + "Content-Length: 1\r\nConnection: close\r\n\r\n\u00e9");
        Map<String, Object> price = new TreeMap<>(Map.of("amount", new BigDecimal("1.10"), "text", "5 \u20ac"));
        start(route -> route.to(receiver.url() + "/first")
                .setBody(exchange -> price)
                .to(receiver.url() + "/second")
                .setBody(exchange -> List.of(price))
                .to(receiver.url() + "/third")
                .setBody(exchange -> price)
                .setHeader("Content-Type", constant("application/json"))
                .to("cloud-event:structured?source=/shop")
                .to(receiver.url() + "/event"));

        delivered(outbox.insert("a"));
        String json = "{\"amount\":1.10,\"text\":\"5 \u20ac\"}";
        assertThat(receiver.requests().subList(1, 3)).extracting(Request::text).containsExactly(json, "[" + json + "]");
        assertThat(receiver.requests().get(3).text()).contains("\"data\":" + json);
    }

    @Test
    void an_answer_adds_neither_encoding_nor_session_nor_event_to_the_next_request() throws Exception {
        receiver = RawHttp.answering("HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\nSet-Cookie: session=1\r\n"
                + "Expect: 100-continue\r\nCE-Id: evil\r\nce-evil: evil\r\nConnection: close\r\n\r\n");
        start(route -> route.to("cloud-event:binary?source=/shop")
                .to(receiver.url() + "/first")
                .setBody(constant(PAYLOAD))
                .to("cloud-event:binary?source=/other")
                .to(receiver.url() + "/second"));

        delivered(outbox.insert("a"));
        assertThat(receiver.requests()).hasSize(2);
        Request second = receiver.requests().get(1);
        assertThat(second.text()).isEqualTo(PAYLOAD);
        assertThat(second.header("ce-id")).contains(outbox.text("select message_id from outbox"));
        assertThat(second.header("ce-source")).contains("/other");
        for (String name : List.of("Content-Encoding", "Set-Cookie", "Expect", "ce-evil")) {
            assertThat(second.header(name)).as(name).isEmpty();
        }
    }

    @Test
    void an_answer_does_not_log_in_at_the_next_receiver() throws Exception {
        receiver = RawHttp.answering("HTTP/1.1 204 No Content\r\nAuthorization: Bearer evil\r\ncookie: evil=1\r\n"
                + "Cookie: evil=2\r\nSet-Cookie: evil=3\r\nConnection: close\r\n\r\n");
        String topic = TestKafka.newTopic(1);
        start(route -> route.to(receiver.url() + "/first")
                .to(receiver.url() + "/second")
                .setBody(constant(PAYLOAD))
                .to("kafka:" + topic + "?brokers=" + TestKafka.brokers()));

        delivered(outbox.insert("a"));
        assertThat(receiver.requests()).hasSize(2);
        for (String name : List.of("Authorization", "Cookie", "Set-Cookie")) {
            assertThat(receiver.requests().get(1).header(name)).as(name).isEmpty();
            assertThat(TestKafka.binaryRecords(topic).get(0).headers().lastHeader(name))
                    .as(name)
                    .isNull();
        }
        assertThat(afterwards.get(0)).as("the route can read it").containsEntry("Authorization", "Bearer evil");
    }

    /** A compacted topic would lose the key. */
    @ParameterizedTest
    @CsvSource({"'', false", "payload, true", "null, true", "row, true", "restored row, true", "null at last, true"})
    void an_answer_without_a_body_deletes_no_key_of_kafka(String body, boolean isSent) throws Exception {
        receiver = RawHttp.answering("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
        String topic = TestKafka.newTopic(1);
        start(route -> (switch (body) {
                    case "payload" ->
                        route.setVariable("payload", body()).to(receiver.url()).setBody(variable("payload"));
                    case "null" -> route.to(receiver.url()).setBody(simple("${null}"));
                    case "restored row" ->
                        route.setVariable("payload", body())
                                .setBody(constant("a"))
                                .to(receiver.url())
                                .setBody(variable("payload"));
                    case "null at last" ->
                        route.toV(receiver.url(), null, "answer")
                                .setBody(variable("answer"))
                                .setBody(simple("${null}"));
                    default -> route.to(receiver.url());
                })
                .to("kafka:" + topic + "?brokers=" + TestKafka.brokers()));
        long id = outbox.insert("a", "order.created", body.endsWith("row") ? null : PAYLOAD);

        if (isSent) {
            delivered(id);
            assertThat(TestKafka.binaryRecords(topic)).hasSize(1);
        } else {
            eventually(() -> assertThat(outbox.text("select error_text from outbox_retry"))
                    .contains("has no body"));
            assertThat(TestKafka.binaryRecords(topic)).isEmpty();
        }
    }

    /** Wherever the answer was, and however the record is made. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "variable", "sent variable", "header", "property", "enriched variable", "messages", "exchanges",
                        "parts",
                "recipients", "grouped recipients", "slip", "slip of both", "recipient", "loop", "dynamic",
                        "said before"
            })
    @Tag("long")
    void an_answer_without_a_body_deletes_no_key_of_kafka_by_a_detour(String kind) throws Exception {
        receiver = RawHttp.answering("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
        String topic = TestKafka.newTopic(1);
        String kafka = "kafka:" + topic + "?brokers=" + TestKafka.brokers();
        String url = receiver.url();
        start(route -> {
            switch (kind) {
                case "variable" ->
                    route.toV(url, null, "answer").setBody(variable("answer")).to(kafka);
                case "sent variable" -> route.toV(url, null, "answer").toV(kafka, "answer", null);
                case "header" ->
                    route.to(url).setHeader("a", body()).setBody(header("a")).to(kafka);
                case "property" ->
                    route.to(url)
                            .setProperty("a", body())
                            .setBody(simple("${exchangeProperty.a}"))
                            .to(kafka);
                case "enriched variable" ->
                    route.enrich()
                            .constant(url)
                            .variableReceive("answer")
                            .end()
                            .setBody(variable("answer"))
                            .to(kafka);
                case "messages" ->
                    route.split(constant("a,b"), new GroupedMessageAggregationStrategy())
                            .to(url)
                            .end()
                            .to(kafka);
                case "exchanges" ->
                    route.split(constant("a,b"), new GroupedExchangeAggregationStrategy())
                            .to(url)
                            .end()
                            .to(kafka);
                case "parts" ->
                    route.multicast(new GroupedMessageAggregationStrategy())
                            .to(url, url)
                            .end()
                            .to(kafka);
                case "recipients" -> route.recipientList(constant(url)).end().to(kafka);
                case "grouped recipients" ->
                    route.recipientList(constant(url))
                            .aggregationStrategy(new GroupedMessageAggregationStrategy())
                            .end()
                            .to(kafka);
                case "slip" -> route.to(url).routingSlip(constant(kafka));
                case "slip of both" -> route.routingSlip(constant(url + "," + kafka));
                case "recipient" -> route.to(url).recipientList(constant(kafka));
                case "loop" -> route.to(url).loop(1).to(kafka).end();
                case "dynamic" -> route.toD(url + "?a=${header.type}").toD(kafka + "&clientId=${header.type}");
                default ->
                    route.setBody(simple("${null}"))
                            .toV(url, null, "answer")
                            .setBody(variable("answer"))
                            .to(kafka);
            }
        });
        outbox.insert("a", "order.created", PAYLOAD);

        eventually(() -> assertThat(outbox.text("select error_text from outbox_retry"))
                .contains("has no body")
                .contains("cannot use the answer of"));
        assertThat(outbox.dead("orders")).isEmpty();
        assertThat(TestKafka.binaryRecords(topic)).isEmpty();
    }

    /** The other messages of the batch are sent. */
    @ParameterizedTest
    @CsvSource({"to, false", "enrich, false", "again, false", "null, true"})
    void an_answer_without_a_body_deletes_no_key_of_kafka_in_a_batch(String kind, boolean isSent) throws Exception {
        receiver = RawHttp.start((request, out) -> out.text(
                request.line().contains("b1")
                        ? "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
                        : RawHttp.OK + "Content-Length: 2\r\nConnection: close\r\n\r\nok"));
        String topic = TestKafka.newTopic(1);
        for (String key : List.of("a0", "b1", "c2")) {
            outbox.insert(key, "order.created", key.equals("c2") ? null : PAYLOAD);
        }
        String url = receiver.url() + "/${header.aggregate-id}";
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            var each = routes.from("outbox:orders?batching=true").split(body());
            (switch (kind) {
                        case "enrich" ->
                            each.filter(simple("${body} != null"))
                                    .enrich()
                                    .simple(url)
                                    .end()
                                    .end()
                                    .end();
                        case "null" ->
                            each.filter(simple("${body} != null"))
                                    .toD(url)
                                    .setBody(simple("${null}"))
                                    .end()
                                    .end();
                        case "again" ->
                            each.filter(simple("${body} != null"))
                                    .toD(url)
                                    .end()
                                    .end()
                                    .split(body())
                                    .to("log:a")
                                    .end();
                        default ->
                            each.filter(simple("${body} != null"))
                                    .toD(url)
                                    .end()
                                    .end();
                    })
                    .to("kafka:" + topic + "?brokers=" + TestKafka.brokers());
        });

        if (isSent) {
            outbox.awaitPassed("orders", 3);
            assertThat(TestKafka.binaryRecords(topic)).hasSize(3);
        } else {
            eventually(() -> assertThat(outbox.text("select error_text from outbox_retry"))
                    .contains("has no body"));
            assertThat(outbox.dead("orders")).isEmpty();
            assertThat(TestKafka.binaryRecords(topic))
                    .extracting(record -> new String(record.key(), StandardCharsets.UTF_8))
                    .contains("a0", "c2")
                    .doesNotContain("b1");
        }
    }

    /** Camel reads such a value as a list. */
    @ParameterizedTest
    @ValueSource(
            strings = {"Authorization: [Bearer evil]", "Cookie: [evil=1]", "X-HTTP-Method-Override: [DELETE, PUT]"})
    void a_list_of_an_answer_neither_logs_in_nor_says_how_the_next_request_is_sent(String header) throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + header + "\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
        start(route -> route.to(receiver.url() + "/first").to(receiver.url() + "/second"));

        delivered(outbox.insert("a"));
        assertThat(receiver.requests()).hasSize(2);
        assertThat(receiver.requests().get(1).header(header.replaceFirst(":.*", "")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"to", "pollEnrich"})
    void what_a_receiver_echoes_of_the_row_is_not_of_the_route(String kind) throws Exception {
        String override = "X-HTTP-Method-Override";
        receiver = RawHttp.answering(RawHttp.OK + override + ": DELETE\r\nBcc: evil@example.com\r\n"
                + "Content-Length: 2\r\nConnection: close\r\n\r\nok");
        try (ScriptedSmtp smtp = new ScriptedSmtp()) {
            String first = receiver.url() + "/first";
            start(route -> (kind.equals("to") ? route.to(first) : route.pollEnrich(first, 10_000))
                    .to(receiver.url() + "/second")
                    .to("smtp://localhost:" + smtp.port() + "?from=shop@example.com&to=guest@example.com"));

            delivered(outbox.insertWithHeaders("{\"" + override + "\": \"DELETE\", \"Bcc\": \"evil@example.com\"}"));
            assertThat(receiver.requests()).hasSize(2).allSatisfy(request -> assertThat(request.header(override))
                    .isEmpty());
            assertThat(smtp.commands().stream().filter(command -> command.startsWith("RCPT")))
                    .containsExactly("RCPT TO:<guest@example.com>");
        }
    }

    @ParameterizedTest
    @CsvSource({"POST, ''", "GET, 127.0.0.1", "POST, 127.0.0.1"})
    void another_receiver_to_which_an_answer_redirects_gets_nothing_and_is_named(String method, String host)
            throws Exception {
        RawHttp other = RawHttp.answering(RawHttp.EMPTY);
        String target = host.isEmpty() ? other.url() : other.url().replace("localhost", host);
        receiver = RawHttp.answering(
                "HTTP/1.1 307 Elsewhere\r\nLocation: " + target + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        start(route -> route.setHeader("X-Api-Key", constant("topsecret"))
                .to(receiver.url() + "/hook?followRedirects=true&httpMethod=" + method));
        outbox.insert("a");

        eventually(() ->
                assertThat(outbox.text("select error_text from outbox_retry")).contains("307", target));
        assertThat(other.requests()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer mine", "Bearer evil"})
    void the_login_that_the_route_has_set_outlives_answers(String answered) throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + "authorization: " + answered
                + "\r\nCookie: evil=1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
        start(route -> route.setHeader("Authorization", constant("Bearer mine"))
                .setHeader("Cookie", constant("mine=1"))
                .to(receiver.url() + "/first")
                .to(receiver.url() + "/second")
                .pollEnrich(receiver.url() + "/polled", 10_000)
                .to(receiver.url() + "/third"));

        delivered(outbox.insert("a"));
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(receiver.requests())
                .filteredOn(request -> !request.line().contains("/polled"))
                .hasSize(3)
                .allSatisfy(request -> {
                    assertThat(request.header("Authorization")).contains("Bearer mine");
                    assertThat(request.header("Cookie")).contains("mine=1");
                });
    }

    @Test
    void a_token_of_an_answer_is_sent_on_if_the_route_says_so() throws Exception {
        receiver = RawHttp.answering("HTTP/1.1 204 No Content\r\nX-Token: t1\r\nConnection: close\r\n\r\n");
        start(route -> route.to(receiver.url() + "/first")
                .setHeader("Authorization", simple("Bearer ${header.X-Token}"))
                .to(receiver.url() + "/second"));

        delivered(outbox.insert("a"));
        assertThat(receiver.requests().get(1).header("Authorization")).contains("Bearer t1");
    }

    @Test
    void an_answer_replaces_neither_the_recipient_nor_the_idempotency_key_that_the_route_has_set() throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + "to: evil@example.com\r\nidempotency-key: evil\r\n"
                + "Content-Length: 2\r\nConnection: close\r\n\r\nok");
        try (ScriptedSmtp smtp = new ScriptedSmtp()) {
            start(route -> route.setHeader("To", constant("guest@example.com"))
                    .setHeader("Idempotency-Key", simple("${header.id}"))
                    .to(receiver.url() + "/first")
                    .to(receiver.url() + "/second")
                    .to("smtp://localhost:" + smtp.port() + "?from=shop@example.com&to=other@example.com"));

            delivered(outbox.insert("a"));
            assertThat(receiver.requests())
                    .extracting(request -> request.header("Idempotency-Key").orElse(""))
                    .containsOnly(outbox.text("select message_id::text from outbox"));
            assertThat(smtp.commands())
                    .filteredOn(command -> command.startsWith("RCPT"))
                    .containsExactly("RCPT TO:<guest@example.com>");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b, c/d; charset=UTF-8", ",", ";", "application/x-java-serialized-object"})
    void a_content_type_that_the_next_step_cannot_send_is_none(String type) throws Exception {
        receiver = RawHttp.answering(
                RawHttp.OK + "Content-Type: " + type + "\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
        start(route -> route.to(receiver.url() + "/first").to(receiver.url() + "/second"));

        delivered(outbox.insert("a"));
        assertThat(receiver.requests()).hasSize(2);
        assertThat(receiver.requests().get(1).text()).isEqualTo("ok");
    }

    /** With stale=true the client does not end by itself. It follows a challenge of Digest also if the route says Basic. */
    @ParameterizedTest
    @ValueSource(strings = {"Digest realm=a, nonce=n, qop=auth, stale=true", "Basic realm=a"})
    void a_receiver_that_demands_a_login_without_end_gets_a_few_requests_and_is_unavailable(String login)
            throws Exception {
        receiver = RawHttp.answering(
                "HTTP/1.1 401 No\r\nWWW-Authenticate: " + login + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        start(route -> route.to(receiver.url() + "/hook?authMethod=Basic&authUsername=u&authPassword=p"));
        outbox.insert("a");

        eventually(() -> assertThat(outbox.text("select destination_error from outbox_subscription"))
                .contains("401"));
        assertThat(receiver.requests()).hasSizeLessThan(30);
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    /** A receiver would read the whole event from the payload. */
    @ParameterizedTest
    @ValueSource(strings = {"application/cloudevents+json", "Application/CloudEvents-batch+json; charset=UTF-8"})
    void a_row_does_not_replace_an_event_by_its_content_type(String type) throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(route -> route.to("cloud-event:binary?source=/shop").to(receiver.url() + "/hook"));
        long id = insert("{\"content-type\": \"" + type + "\"}", "{\"id\": \"evil\"}".getBytes(StandardCharsets.UTF_8));

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(receiver.requests()).isEmpty();
    }

    private void start(Consumer<RouteDefinition> steps) throws Exception {
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.getContext().getRegistry().bind("dataSource", outbox.pool());
            RouteDefinition route = routes.from("outbox:orders");
            steps.accept(route);
            route.process(
                    exchange -> afterwards.add(Map.copyOf(exchange.getMessage().getHeaders())));
            routes.from("direct:hook").to(receiver.url() + "/hook?tenant=7");
        });
    }

    private void delivered(long id) throws Exception {
        outbox.awaitPassed("orders", id);
    }

    private Request onlyRequest() {
        assertThat(receiver.requests()).hasSize(1);
        return receiver.requests().get(0);
    }

    private long insert(String headers, byte[] payload) {
        return outbox.number(
                "insert into outbox (aggregate_type, aggregate_id, type, headers, payload_bytes)"
                        + " values ('order', 'a', 'order.created', ?::jsonb, ?) returning id",
                headers,
                payload);
    }

    private static RawHttp redirecting(int status) throws IOException {
        return RawHttp.start((request, out) -> out.text(
                request.line().contains("/login")
                        ? RawHttp.EMPTY
                        : "HTTP/1.1 " + status + " Elsewhere\r\nLocation: /login\r\nContent-Length: 0\r\n"
                                + "Connection: close\r\n\r\n"));
    }

    private static byte[] gzip(String content) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(content.getBytes(StandardCharsets.UTF_8));
        }
        return packed.toByteArray();
    }
}
