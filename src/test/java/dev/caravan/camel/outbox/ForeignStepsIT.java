package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestKafka;
import dev.caravan.base.text.Causes;
import dev.caravan.camel.step.OutboxDelivery;
import dev.caravan.lab.servers.mail.ScriptedSmtp;
import jakarta.mail.Session;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.builder.LambdaRouteBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.http.HttpClientConfigurer;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.http.base.HttpHeaderFilterStrategy;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultHeaderFilterStrategy;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes of an application without messages of an outbox, in a context with one that has them, and in a context without the component. */
class ForeignStepsIT {
    private static final byte[] BYTES = {(byte) 0xff, 0, 'a'};
    private static final Map<String, Object> HEADERS = Map.of(
            "id",
            "7",
            "type",
            "t",
            "tenant",
            "blue",
            "kafka.KEY",
            "k",
            "ce-id",
            "1",
            "wrong name",
            "w",
            "Set-Cookie",
            "s=1");

    private final TestOutbox outbox = TestOutbox.create();
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final CountDownLatch never = new CountDownLatch(1);

    /** What an application does. */
    private interface Use {
        void run(CamelContext context) throws Exception;
    }

    /**
     * Compares what is seen with and without the component.
     *
     * @param own where a message of the outbox is sent to, before and after
     * @param routes those from {@code direct:}
     */
    private void same(String own, LambdaRouteBuilder routes, Use use) throws Exception {
        List<String> without;
        try (CamelContext context = new DefaultCamelContext()) {
            RouteBuilder.addRoutes(context, routes);
            context.start();
            use.run(context);
            without = List.copyOf(seen);
        }
        seen.clear();
        List<String> with;
        try (TestRelay relay = TestRelay.start(outbox.pool(), both -> {
            both.from("outbox:orders").to(own);
            routes.accept(both);
        })) {
            delivered(outbox.insert("a"));
            seen.clear();
            use.run(relay.context());
            with = List.copyOf(seen);
            delivered(outbox.insert("a"));
        }
        assertThat(without).isNotEmpty();
        assertThat(with).isEqualTo(without);
    }

    private void delivered(long id) throws Exception {
        outbox.awaitPassed("orders", id);
    }

    private void send(CamelContext context, String uri, Object body) throws Exception {
        try (var template = context.createProducerTemplate()) {
            Exchange answer = template.request(uri, exchange -> {
                exchange.getMessage().setHeaders(new TreeMap<>(HEADERS));
                exchange.getMessage().setBody(body);
            });
            seen.add(uri + " -> " + failure(answer.getException()) + " "
                    + new TreeMap<>(answer.getMessage().getHeaders()) + " "
                    + answer.getMessage().getBody(String.class));
        }
    }

    private static String failure(Throwable error) {
        return error == null
                ? "fine"
                : Causes.of(error).map(each -> each.getClass().getSimpleName()).collect(Collectors.joining(" < "));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void http_sends_and_answers_as_without_the_component(boolean sameAddress) throws Exception {
        try (RawHttp http = RawHttp.start((request, out) -> {
            seen.add(request.line() + " "
                    + request.head().stream()
                            .filter(line -> !line.startsWith("X-Message"))
                            .toList() + " " + HexFormat.of().formatHex(request.body()));
            if (request.line().contains("/slow")) {
                never.await();
            }
            out.text(answer(request.line()));
        })) {
            String url = http.url();
            String options = "?connectionTimeToLive=60000";
            same(
                    url + (sameAddress ? "/plain" : "/other") + options,
                    builder -> {
                        builder.from("direct:plain").to(url + "/plain" + options);
                        builder.from("direct:query").to(url + "/hook?tenant=7");
                        builder.from("direct:moved").to(url + "/moved?followRedirects=true");
                        builder.from("direct:long").to(url + "/long");
                        builder.from("direct:wrong").to(url + "/wrong");
                        builder.from("direct:dynamic").toD(url + "/plain?key=${header.tenant}");
                        builder.from("direct:list").recipientList(builder.constant(url + "/list"));
                        builder.from("direct:enrich").enrich(url + "/enriched");
                        builder.from("direct:poll").pollEnrich(url + "/polled", 10_000);
                        builder.from("direct:rest").to("rest:post:rest?host=" + url);
                        builder.from("direct:tap").wireTap(url + "/tapped");
                        builder.from("direct:slow").to(url + "/slow?responseTimeout=200");
                    },
                    context -> {
                        for (String name : List.of(
                                "plain", "query", "moved", "long", "wrong", "dynamic", "list", "enrich", "poll",
                                "rest")) {
                            send(context, "direct:" + name, BYTES);
                            send(context, "direct:" + name, null);
                        }
                        send(context, "direct:slow", "text");
                        send(context, url + "/template", "text");
                    });
        }
    }

    private static String answer(String line) {
        if (line.contains("/moved")) {
            return "HTTP/1.1 302 Moved\r\nLocation: /login\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        }
        if (line.contains("/wrong")) {
            return "HTTP/1.1 400 No\r\nkafka.KEY: evil\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno";
        }
        String many = line.contains("/long") ? "X-Many: 1\r\n".repeat(150) : "";
        return RawHttp.OK + many
                + "id: evil\r\nkafka.KEY: evil\r\nSet-Cookie: c=1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void kafka_gets_the_records_as_without_the_component(boolean sameAddress) throws Exception {
        String topic = TestKafka.newTopic(1);
        String uri = "kafka:" + topic + "?brokers=" + TestKafka.brokers();
        String own = sameAddress ? uri : uri.replace(topic, TestKafka.newTopic(1));
        same(
                own,
                builder -> {
                    builder.from("direct:one").to(uri);
                    builder.from("direct:other").to(uri + "&clientId=mine");
                    builder.from("direct:dynamic").toD(uri + "&key=${header.tenant}");
                },
                context -> {
                    int before = TestKafka.binaryRecords(topic).size();
                    for (String name : List.of("one", "other", "dynamic")) {
                        send(context, "direct:" + name, BYTES);
                        send(context, "direct:" + name, List.of("a", 5));
                    }
                    send(context, uri, "text");
                    TestKafka.binaryRecords(topic).stream()
                            .skip(before)
                            .forEach(record -> seen.add(text(record.key()) + " "
                                    + new TreeMap<>(java.util.Arrays.stream(
                                                    record.headers().toArray())
                                            .collect(Collectors.toMap(
                                                    header -> header.key(), header -> text(header.value()))))
                                    + " " + text(record.value())));
                    seen.replaceAll(line -> line.replaceAll("offset=\\d+|@\\d+|" + topic + "-0@\\d+", ""));
                });
    }

    @Test
    void a_consumer_of_kafka_receives_as_without_the_component() throws Exception {
        String topic = TestKafka.newTopic(1);
        String uri = "kafka:" + topic + "?brokers=" + TestKafka.brokers();
        try (CamelContext context = new DefaultCamelContext()) {
            RouteBuilder.addRoutes(
                    context, builder -> builder.from("direct:first").to(uri));
            context.start();
            send(context, "direct:first", BYTES);
            seen.clear();
        }
        List<String> without;
        try (CamelContext context = new DefaultCamelContext()) {
            RouteBuilder.addRoutes(context, builder -> receive(builder, uri, "without-" + topic));
            context.start();
            without = received();
        }
        try (TestRelay relay = TestRelay.start(outbox.pool(), routes -> {
            routes.from("outbox:orders").to(uri);
            receive(routes, uri, "with-" + topic);
        })) {
            assertThat(received()).isEqualTo(without);
        }
    }

    private void receive(RouteBuilder builder, String uri, String group) throws Exception {
        builder.from(uri + "&autoOffsetReset=earliest&groupId=" + group)
                .process(
                        exchange -> seen.add(new TreeMap<>(exchange.getMessage().getHeaders()) + " "
                                + exchange.getMessage().getBody().getClass()
                                + text(exchange.getMessage().getBody(byte[].class))));
    }

    private List<String> received() throws Exception {
        eventually(() -> assertThat(seen).hasSize(1));
        List<String> received =
                seen.stream().map(line -> line.replaceAll("@\\w+", "")).toList();
        seen.clear();
        return received;
    }

    @Test
    void options_of_the_application_apply_to_both_and_its_connections_are_limited_for_both() throws Exception {
        try (RawHttp http = RawHttp.start((request, out) -> {
                    seen.add(request.header("X-Client").orElse("")
                            + request.header("tenant").orElse("none"));
                    out.text(RawHttp.EMPTY);
                });
                var connections = new PoolingHttpClientConnectionManager()) {
            connections.setMaxTotal(3);
            String url = http.url() + "/hook?httpClientConfigurer=#marked&headerFilterStrategy=#noTenant";
            try (TestRelay relay = TestRelay.start(outbox.pool(), routes -> {
                HttpClientConfigurer marked = client -> client.addRequestInterceptorLast(
                        (request, entity, context) -> request.setHeader("X-Client", "marked"));
                routes.getContext().getRegistry().bind("marked", marked);
                DefaultHeaderFilterStrategy noTenant = new HttpHeaderFilterStrategy();
                noTenant.getOutFilter().add("tenant");
                routes.getContext().getRegistry().bind("noTenant", noTenant);
                routes.getContext().getComponent("http", HttpComponent.class).setClientConnectionManager(connections);
                routes.from("outbox:orders")
                        .setHeader("tenant", routes.constant("blue"))
                        .to(url);
                routes.from("direct:plain").to(url);
            })) {
                delivered(outbox.insert("a"));
                send(relay.context(), "direct:plain", "x");
                assertThat(seen)
                        .filteredOn(line -> !line.startsWith("direct"))
                        .containsExactly("markednone", "markednone");
                var endpoint = (OutboxDelivery) relay.context().getEndpoint(url);
                var own = ((HttpEndpoint) endpoint.createDelivery().getEndpoint()).getClientConnectionManager();
                assertThat(own).isNotSameAs(connections);
                assertThat(((PoolingHttpClientConnectionManager) own).getMaxTotal())
                        .isEqualTo(3);
            }
            assertThat(connections.isClosed()).as("closed by Camel's component").isTrue();
        }
    }

    private static String text(byte[] bytes) {
        return bytes == null ? "null" : HexFormat.of().formatHex(bytes);
    }

    @Test
    void routes_of_the_application_have_a_client_of_kafka_each_and_those_of_the_outbox_one_for_all() throws Exception {
        String topic = TestKafka.newTopic(1);
        String uri = "kafka:" + topic + "?brokers=" + TestKafka.brokers();
        Set<Thread> before = senders();
        try (TestRelay relay = TestRelay.start(outbox.pool(), routes -> {
            routes.from("outbox:orders").to("direct:inner");
            routes.from("outbox:bookings").to(uri);
            routes.from("direct:inner").to(uri + "&recordMetadata=false");
            routes.from("direct:one").to(uri);
            routes.from("timer:other?delay=100000").to(uri);
        })) {
            assertThat(started(before)).hasSize(3);
            delivered(outbox.insert("a"));
            send(relay.context(), "direct:one", "x");
            assertThat(started(before)).hasSize(3);
            send(relay.context(), "direct:inner", "x");
            assertThat(started(before)).as("a route for both").hasSize(4);
        }
        eventually(() -> assertThat(started(before)).isEmpty());
    }

    private static Set<Thread> started(Set<Thread> before) {
        return senders().stream().filter(thread -> !before.contains(thread)).collect(Collectors.toSet());
    }

    private static Set<Thread> senders() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("kafka-producer-network-thread"))
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @ValueSource(strings = {"timer:never?delay=100000", "direct:foreign", "outbox:orders"})
    void a_wrong_option_of_kafka_is_reported_at_the_start(String from) {
        assertThatThrownBy(() -> TestRelay.start(outbox.pool(), routes -> routes.from(from)
                        .to("kafka:any?brokers=localhost:1&compressionCodec=none&additionalProperties.acks=9")))
                .rootCause()
                .hasMessageContaining("acks");
    }

    @Test
    void a_mail_is_sent_as_without_the_component() throws Exception {
        List<String> mails = new ArrayList<>();
        try (ScriptedSmtp smtp = new ScriptedSmtp(mail -> {
            mails.add(mail.replaceAll("(?m)^(Date|Message-ID):.*\r\n", ""));
            return "250 taken";
        })) {
            String uri = "smtp://localhost:" + smtp.port() + "?from=shop@example.com&to=guest@example.com";
            same(
                    uri,
                    builder -> {
                        builder.from("direct:mail").to(uri);
                        builder.from("direct:umlaut")
                                .setHeader("To", builder.constant("šef@example.com"))
                                .to(uri);
                        builder.from("direct:dynamic").toD(uri + "&subject=${header.tenant}");
                    },
                    context -> {
                        int commands = smtp.commands().size();
                        mails.clear();
                        send(context, "direct:mail", "text");
                        send(context, "direct:umlaut", "text");
                        send(context, "direct:dynamic", "text");
                        seen.replaceAll(line -> line.replaceAll("CamelMailMessageId=[^,}]*", ""));
                        seen.addAll(mails);
                        smtp.commands().stream().skip(commands).forEach(seen::add);
                    });
        }
    }

    @Test
    void mail_sessions_of_the_application_have_the_transport_of_the_library() throws Exception {
        assertThat(Session.getInstance(new Properties())
                        .getTransport("smtp")
                        .getClass()
                        .getName())
                .isEqualTo("org.eclipse.angus.mail.smtp.SMTPTransport");
    }

    @Test
    void a_message_of_the_outbox_is_sent_with_its_guarantees_beside_a_route_of_the_application() throws Exception {
        try (RawHttp http = RawHttp.start((request, out) -> {
            seen.add(request.line() + " " + request.header("Content-Type"));
            out.text(answer(request.line()));
        })) {
            String url = http.url() + "/hook?tenant=7";
            try (TestRelay relay = TestRelay.start(outbox.pool(), routes -> {
                routes.from("outbox:orders").to("direct:both");
                routes.from("direct:both").setBody(routes.constant(BYTES)).to(url);
            })) {
                send(relay.context(), "direct:both", "x");
                delivered(outbox.insert("a"));
            }
        }
        assertThat(seen)
                .filteredOn(line -> !line.startsWith("direct"))
                .containsExactly(
                        "GET /hook?tenant=7 HTTP/1.1 Optional.empty",
                        "POST /hook?tenant=7 HTTP/1.1 Optional[application/octet-stream]");
    }
}
