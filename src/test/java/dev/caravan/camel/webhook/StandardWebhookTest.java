package dev.caravan.camel.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestHttp;
import dev.caravan.TestHttp.Answer;
import dev.caravan.TestHttp.Request;
import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.OutboxComponent;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.camel.Exchange;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.converter.stream.InputStreamCache;
import org.apache.camel.http.base.HttpOperationFailedException;
import org.apache.camel.spi.DataFormat;
import org.apache.camel.spi.Registry;
import org.apache.camel.support.service.ServiceSupport;
import org.apache.camel.test.junit5.CamelTestSupport;
import org.apache.hc.client5.http.DnsResolver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StandardWebhookTest extends CamelTestSupport {
    private static final String ONE = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String OTHER = secret((byte) 0xfb); // with + and / in Base64
    private final AtomicLong seconds = new AtomicLong(1_614_265_330);

    private final TestHttp server = new TestHttp(this::answer);
    private final List<Request> requests = server.requests();
    private final int port = server.port();
    private volatile int status = 204;

    private static String secret(byte value) {
        byte[] bytes = new byte[32];
        java.util.Arrays.fill(bytes, value);
        return "whsec_" + Base64.getEncoder().encodeToString(bytes);
    }

    @Override
    protected void bindToRegistry(Registry registry) {
        registry.bind("outbox", new OutboxComponent());
    }

    @BeforeEach
    void resolve() {
        use(InetAddress::getAllByName);
        context.getComponent("outbox"); // sets the rules for headers
    }

    private interface Addresses {
        InetAddress[] of(String host) throws UnknownHostException;
    }

    private void use(Addresses addresses) {
        context.getComponent("standard-webhook", StandardWebhookComponent.class)
                .use(
                        new Clock() {
                            @Override
                            public long nanos() {
                                return seconds.get() * 1_000_000_000;
                            }
                        },
                        new DnsResolver() {
                            @Override
                            public InetAddress[] resolve(String host) throws UnknownHostException {
                                return addresses.of(host);
                            }

                            @Override
                            public String resolveCanonicalHostname(String host) {
                                return host;
                            }
                        });
    }

    private Answer answer(Request request) {
        return new Answer(status, Map.of("Location", server.url() + "/elsewhere", "X-Answer", "1"), "");
    }

    private String uri(String options) {
        return "standard-webhook:shop?url=http://localhost:" + port + "/hooks&allowPrivateAddresses=true&secrets="
                + options;
    }

    private Exchange send(String uri, Object body, Map<String, Object> headers) {
        return template.send(uri, exchange -> {
            exchange.getMessage().setBody(body);
            exchange.getMessage().setHeader("id", "msg_p5jXN8AQM9LWM0D4loKWxJek");
            headers.forEach(exchange.getMessage()::setHeader);
        });
    }

    private Exchange send(String uri, Object body) {
        Exchange exchange = send(uri, body, Map.of());
        assertThat(exchange.getException()).isNull();
        return exchange;
    }

    @Test
    void a_request_is_signed_as_the_example_of_the_standard() {
        send(uri(ONE), "{\"test\": 2432232314}");

        Request request = requests.get(0);
        assertThat(request.header("webhook-id")).isEqualTo("msg_p5jXN8AQM9LWM0D4loKWxJek");
        assertThat(request.header("webhook-timestamp")).isEqualTo("1614265330");
        assertThat(request.header("webhook-signature")).isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assertThat(request.header("content-type")).isEqualTo("application/json");
        assertThat(request.body()).asString().isEqualTo("{\"test\": 2432232314}");
    }

    @Test
    void a_repeat_has_the_same_id_and_a_new_timestamp() {
        send(uri(ONE), "{}");
        seconds.addAndGet(60);
        send(uri(ONE), "{}");

        assertThat(requests)
                .extracting(request -> request.header("webhook-id"))
                .containsOnly("msg_p5jXN8AQM9LWM0D4loKWxJek");
        assertThat(requests.get(0).header("webhook-signature"))
                .isNotEqualTo(requests.get(1).header("webhook-signature"));
    }

    /** Camel reads a plus of a setting as a space, unless the setting is within RAW(). */
    @ParameterizedTest
    @ValueSource(strings = {"{{both}}", "RAW({{both}})"})
    void while_a_secret_is_replaced_each_request_has_both_signatures(String option) {
        context.getPropertiesComponent().addOverrideProperty("both", ONE + " " + OTHER);

        send(uri(option), "{}");
        send(uri("RAW(" + OTHER + ")"), "{}");

        String signatures = requests.get(0).header("webhook-signature");
        assertThat(signatures)
                .matches("v1,\\S+ v1,\\S+")
                .endsWith(requests.get(1).header("webhook-signature"));
    }

    @Test
    void secrets_in_a_file_are_read_again_when_it_changes(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("secrets"), OTHER + "\n");
        String uri = uri("file:" + file);
        send(uri, "{}");
        Files.writeString(file, ONE);
        seconds.incrementAndGet();
        send(uri, "{}");
        Files.writeString(file, "half a secr");
        seconds.incrementAndGet();
        send(uri, "{}");

        assertThat(requests.get(1).header("webhook-signature"))
                .isNotEqualTo(requests.get(0).header("webhook-signature"));
        assertThat(requests.get(2).headers()).containsKey("webhook-signature");
    }

    @Test
    void any_body_is_sent_byte_by_byte() {
        byte[] bytes = {0, -1, 13, 10, 34, 127};
        send(uri(ONE), bytes);
        send(uri(ONE), "ü🚀\r\n");
        send(uri(ONE), null);
        send(uri(ONE), "x".repeat(3_000_000));

        assertThat(requests.get(0).body()).isEqualTo(bytes);
        assertThat(requests.get(0).header("content-type")).isEqualTo("application/octet-stream");
        assertThat(requests.get(1).body()).isEqualTo("ü🚀\r\n".getBytes(StandardCharsets.UTF_8));
        assertThat(requests.get(2).body()).isEmpty();
        assertThat(requests.get(3).body()).hasSize(3_000_000);
    }

    private static final class Gzip extends ServiceSupport implements DataFormat {
        @Override
        public void marshal(Exchange exchange, Object body, OutputStream stream) throws Exception {
            try (OutputStream packed = new GZIPOutputStream(stream)) {
                packed.write(exchange.getMessage().getBody(byte[].class));
            }
        }

        @Override
        public Object unmarshal(Exchange exchange, InputStream stream) {
            throw new UnsupportedOperationException();
        }
    }

    /** As marshal leaves it. */
    @Test
    void a_stream_is_sent_byte_by_byte() throws Exception {
        context.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                from("direct:packed")
                        .setHeader("id", constant("1"))
                        .marshal(new Gzip())
                        .setHeader("Content-Encoding", constant("gzip"))
                        .to(uri(ONE))
                        .to(uri(ONE));
            }
        });

        assertThat(template.send("direct:packed", exchange -> exchange.getMessage()
                                .setBody("{\"ü\": 1}"))
                        .getException())
                .isNull();

        assertThat(requests).hasSize(2).allSatisfy(request -> {
            assertThat(new GZIPInputStream(new ByteArrayInputStream(request.body())))
                    .hasContent("{\"ü\": 1}");
            assertThat(request.header("content-type")).isEqualTo("application/json");
        });
    }

    @Test
    void a_value_of_json_is_sent_as_json() {
        Object body = new TreeMap<>(Map.of("a", new BigDecimal("1.10"), "b", List.of("1, 2", true)));

        Exchange exchange = send(uri(ONE), body);
        send(uri(ONE), false);
        Exchange other = send(uri(ONE), new Object(), Map.of());

        assertThat(requests.get(0).body()).asString().isEqualTo("{\"a\":1.10,\"b\":[\"1, 2\",true]}");
        assertThat(requests.get(0).header("content-type")).isEqualTo("application/json");
        assertThat(requests.get(1).body()).asString().isEqualTo("false");
        assertThat(exchange.getMessage().getBody()).isSameAs(body);
        assertThat(other.getException())
                .hasMessageContaining("class java.lang.Object")
                .hasMessageContaining("marshal: json");
        assertThat(send(uri(ONE), List.of(new InputStreamCache("1".getBytes(StandardCharsets.UTF_8))), Map.of())
                        .getException())
                .hasMessageContaining("marshal: json");
        assertThat(requests).hasSize(2);
    }

    @Test
    void the_message_stays_as_it_was_for_the_next_step() {
        Exchange exchange = send(uri(ONE), "{}", Map.of("type", "order.placed", "tenant", "a"));

        assertThat(exchange.getMessage().getBody()).isEqualTo("{}");
        assertThat(exchange.getMessage().getHeaders())
                .containsEntry("type", "order.placed")
                .doesNotContainKeys("webhook-id", "X-Answer", "CamelHttpResponseCode");
        assertThat(requests.get(0).headers()).doesNotContainKeys("Type", "Tenant", "Id");
    }

    @Test
    void headers_of_a_row_cannot_change_the_request() {
        send(
                uri(ONE),
                "{}",
                Map.of(
                        "CamelHttpUri", "http://127.0.0.1:" + port + "/evil",
                        "CamelHttpQuery", "evil",
                        "CamelHttpMethod", "GET",
                        "webhook-signature", "evil",
                        "Content-Type", "text/plain\r\nX-Evil: 1",
                        "Host", "evil"));

        assertThat(requests.get(0).uri()).isEqualTo("/hooks");
        assertThat(requests.get(0).header("webhook-signature")).startsWith("v1,");
        assertThat(requests.get(0).headers()).doesNotContainKey("X-evil");
        assertThat(requests.get(0).header("Host")).isEqualTo("localhost:" + port);
    }

    @Test
    void path_and_query_of_the_url_are_sent_as_they_are_and_are_no_options() {
        String path = "/a%20b/c%2Fd%3Fe?httpMethod=GET&x=%26+1";
        context.getPropertiesComponent().addOverrideProperty("url", "http://localhost:" + port + path);
        send("standard-webhook:shop?allowPrivateAddresses=true&url=RAW({{url}})&secrets=" + ONE, "{}");

        assertThat(requests.get(0).uri()).isEqualTo(path);
    }

    @Test
    void a_redirect_is_not_followed() {
        status = 307;

        Exchange exchange = send(uri(ONE), "{}", Map.of());

        assertThat(exchange.getException()).isInstanceOf(HttpOperationFailedException.class);
        assertThat(requests).hasSize(1);
    }

    @Test
    void a_private_address_is_refused_before_anything_is_sent() {
        for (String host : List.of(
                "127.0.0.1",
                "localhost",
                "[::1]",
                "[::ffff:127.0.0.1]",
                "10.1.2.3",
                "169.254.169.254",
                "0.0.0.0",
                "2130706433",
                "0x7f000001",
                "shop.localhost",
                "localhost.")) {
            String uri = "standard-webhook:shop?url=http://" + host + ":" + port + "/&secrets=" + ONE;

            assertThatThrownBy(() -> {
                        Exchange exchange = send(uri, "{}", Map.of());
                        throw exchange.getException();
                    })
                    .as(host)
                    .rootCause()
                    .hasMessageContaining("private addresses are refused");
        }
        assertThat(requests).isEmpty();
    }

    @Test
    void a_name_server_that_changes_its_answer_does_not_lead_into_the_own_network() throws Exception {
        Deque<String> answers = new ArrayDeque<>(List.of("192.0.2.1", "127.0.0.1"));
        List<String> asked = new ArrayList<>();
        use(host -> {
            asked.add(host);
            return new InetAddress[] {InetAddress.getByName(answers.size() > 1 ? answers.poll() : answers.peek())};
        });
        String uri =
                "standard-webhook:shop?connectTimeout=100ms&url=http://hooks.example.com:" + port + "/&secrets=" + ONE;

        Exchange first = send(uri, "{}", Map.of());
        Exchange second = send(uri, "{}", Map.of());

        assertThat(first.getException()).isInstanceOf(IOException.class);
        assertThat(second.getException())
                .isInstanceOf(UnknownHostException.class)
                .hasMessageContaining("hooks.example.com has no public address");
        assertThat(asked).hasSize(2);
        assertThat(requests).isEmpty();
    }

    /** A network with a proxy often has no name server that knows other hosts. */
    @Test
    void a_proxy_may_be_in_the_own_network_and_finds_the_receiver() throws Exception {
        use(host -> {
            if (!host.equals("localhost")) {
                throw new UnknownHostException(host);
            }
            return InetAddress.getAllByName(host);
        });
        HttpComponent http = context.getComponent("http", HttpComponent.class);
        http.setProxyHost("localhost");
        http.setProxyPort(port);

        Exchange sent = send("standard-webhook:shop?url=http://hooks.example.com/a&secrets=" + ONE, "{}", Map.of());
        assertThat(sent.getException()).isNull();
        assertThat(requests).extracting(Request::uri).containsExactly("http://hooks.example.com/a");
    }

    /** The client connects to it without the proxy. */
    @Test
    void a_receiver_with_the_name_of_the_proxy_must_have_a_public_address() throws Exception {
        use(host -> InetAddress.getAllByName("127.0.0.1"));
        HttpComponent http = context.getComponent("http", HttpComponent.class);
        http.setProxyHost("proxy.example");
        http.setProxyPort(port);
        http.setNonProxyHosts("proxy.example,shop.example");

        for (String host : List.of("proxy.example", "shop.example")) {
            Exchange sent =
                    send("standard-webhook:shop?url=http://" + host + ":" + port + "/&secrets=" + ONE, "{}", Map.of());
            assertThat(sent.getException()).hasMessageContaining("private addresses are refused");
        }
        assertThat(requests).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "secrets=|the option secrets is missing or empty",
                "secrets=abcSECRET|a secret does not begin with whsec_",
                "secrets=whsec_SECRET!|a secret is not Base64 after whsec_",
                "secrets=whsec_U0VDUkVU|a secret must have between 24 and 64 bytes, got 6",
                "secrets=file:/does/not/exist|The file /does/not/exist does not exist",
                "secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw&url=ftp://x/SECRET|url must begin with https:// or http://",
                "secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw&url=https://|url is not a valid URL",
                "secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw&url=https://u:SECRET@x/|url must not contain a user or a password"
            })
    void wrong_options_are_named_without_secrets(String options, String error) {
        String uri = "standard-webhook:shop?" + (options.contains("url=") ? "" : "url=https://example.com/&") + options;

        assertThatThrownBy(() -> context.getEndpoint(uri).createProducer())
                .hasMessageContaining(error)
                .hasMessageNotContaining("SECRET");
    }
}
