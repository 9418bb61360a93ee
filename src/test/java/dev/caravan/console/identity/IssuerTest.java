package dev.caravan.console.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.clock.Clock;
import dev.caravan.console.http.TimedConnections;
import dev.caravan.lab.servers.FreePorts;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Relays whose setting {@code caravan.people.issuer} is wrong, or whose provider is unavailable. */
class IssuerTest {
    private static TimedConnections vertx;
    private static TestProvider provider;

    private final Browser browser = new Browser();
    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeAll
    static void start() throws Exception {
        vertx = new TimedConnections(0, () -> true);
        provider = new TestProvider();
    }

    @AfterAll
    static void stop() {
        provider.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static GuardedServer relay(String issuer) {
        return relay(issuer, Clock.SYSTEM);
    }

    private static GuardedServer relay(String issuer, Clock clock) {
        return new GuardedServer(
                vertx,
                0,
                TestProvider.settings(issuer, "http://127.0.0.1:1", "read: staff"),
                clock,
                new GuardedServer.Ended());
    }

    @Test
    void a_relay_starts_without_its_provider() throws Exception {
        GuardedServer alone = relay("http://127.0.0.1:" + FreePorts.one());

        HttpResponse<String> begun = browser.get(alone.address() + "/auth/login");

        assertThat(begun.statusCode()).isEqualTo(403);
        assertThat(begun.body()).contains("does not answer", "use a token, which does not need the provider");
        assertThat(alone.me("Authorization", "Bearer " + GuardedServer.TOKEN).status())
                .isEqualTo(200);
    }

    @Test
    void people_who_wait_for_a_provider_share_one_request_and_delay_nobody_else() throws Exception {
        AtomicLong nanos = new AtomicLong();
        try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
            String login = relay("http://127.0.0.1:" + silent.getLocalPort(), nanos::get)
                            .address()
                    + "/auth/login";
            List<CompletableFuture<HttpResponse<String>>> waiting = IntStream.range(0, 60)
                    .mapToObj(any -> client.sendAsync(
                            HttpRequest.newBuilder(URI.create(login)).build(), BodyHandlers.ofString()))
                    .toList();
            Socket asked = silent.accept();

            assertThat(browser.get(login.replace("/auth/login", "/console/worker"))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(waiting).noneMatch(CompletableFuture::isDone);

            for (CompletableFuture<HttpResponse<String>> each : waiting) {
                assertThat(each.get(1, TimeUnit.MINUTES).body()).contains("does not answer");
            }
            nanos.addAndGet(Provider.PAUSE.toNanos() - 1);
            assertThat(browser.get(login).body()).contains("does not answer");
            silent.setSoTimeout(100);
            assertThatThrownBy(silent::accept).isInstanceOf(SocketTimeoutException.class);

            nanos.addAndGet(1);
            client.sendAsync(HttpRequest.newBuilder(URI.create(login)).build(), BodyHandlers.ofString());
            silent.setSoTimeout(60_000);
            silent.accept().close();
            asked.close();
        }
    }

    @Test
    void an_answer_that_never_ends_is_given_up() throws Exception {
        HttpResponse<String> begun =
                browser.get(relay(provider.issuer() + "/incomplete").address() + "/auth/login");

        assertThat(begun.body()).contains("does not answer (TimeoutException)");
    }

    /** Of each kind of answer: the document, the keys and the token. */
    @ParameterizedTest
    @ValueSource(strings = {"document", "jwks_uri", "token_endpoint"})
    void an_answer_without_end_does_not_fill_the_memory(String kind) throws Exception {
        String endless = provider.issuer() + "/long";
        boolean isDocument = kind.equals("document");
        provider.named = isDocument ? Map.of() : Map.of(kind, endless);
        try {
            GuardedServer relay = relay(isDocument ? endless : provider.issuer());
            HttpResponse<String> answered = browser.get(relay.address() + "/auth/login");
            if (kind.equals("token_endpoint")) {
                String back = Browser.location(browser.get(Browser.location(answered)));
                answered = browser.get(back.replace("http://127.0.0.1:1", relay.address()));
            }

            assertThat(provider.written).isLessThan(50 * TestProvider.MIB);
            assertThat(answered.body()).contains("does not answer (TooLong)");
        } finally {
            provider.named = Map.of();
        }
    }

    @Test
    void an_issuer_that_the_provider_writes_otherwise_is_refused() throws Exception {
        HttpResponse<String> begun = browser.get(relay(provider.issuer() + "/").address() + "/auth/login");

        assertThat(begun.statusCode()).isEqualTo(403);
        assertThat(begun.body()).contains("another issuer");
    }

    @ParameterizedTest
    @CsvSource({
        "authorization_endpoint, http://id.example.com/a",
        "token_endpoint, http://id.example.com/t",
        "jwks_uri, http://id.example.com/k",
        "end_session_endpoint, javascript:alert(1)",
        "token_endpoint, no address"
    })
    void a_provider_that_names_an_address_without_tls_is_refused(String name, String address) throws Exception {
        provider.named = Map.of(name, address);
        try {
            HttpResponse<String> begun = browser.get(relay(provider.issuer()).address() + "/auth/login");

            assertThat(begun.statusCode()).isEqualTo(403);
            assertThat(begun.body()).contains("The OpenID provider names an address without TLS as " + name);
        } finally {
            provider.named = Map.of();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"authorization_endpoint", "token_endpoint", "jwks_uri"})
    void a_provider_that_does_not_name_an_address_is_asked_again_after_a_pause(String name) throws Exception {
        var now = new AtomicLong();
        GuardedServer relay = relay(provider.issuer(), now::get);
        provider.named = Map.of(name, "");
        try {
            assertThat(browser.get(relay.address() + "/auth/login").body())
                    .contains("The OpenID provider names no " + name);
        } finally {
            provider.named = Map.of();
        }

        now.addAndGet(Provider.PAUSE.toNanos());

        assertThat(browser.get(relay.address() + "/auth/login").statusCode()).isEqualTo(302);
    }

    @ParameterizedTest
    @CsvSource({"/none, answered with status 404", "/page, did not answer with JSON"})
    void an_address_that_is_no_issuer_is_named(String path, String text) throws Exception {
        HttpResponse<String> begun = browser.get(relay(provider.issuer() + path).address() + "/auth/login");

        assertThat(begun.statusCode()).isEqualTo(403);
        assertThat(begun.body())
                .contains(text, provider.issuer() + path + "/.well-known/openid-configuration")
                .contains("Check caravan.people.issuer");
    }
}
