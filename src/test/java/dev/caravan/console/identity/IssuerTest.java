package dev.caravan.console.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.console.http.TimedConnections;
import dev.caravan.lab.servers.FreePorts;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Relays whose setting {@code caravan.people.issuer} is wrong, or whose provider is unavailable. */
class IssuerTest {
    private static TimedConnections vertx;
    private static TestProvider provider;

    private final Browser browser = new Browser();

    @BeforeAll
    static void start() throws Exception {
        vertx = new TimedConnections();
        provider = new TestProvider();
    }

    @AfterAll
    static void stop() {
        provider.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static GuardedServer relay(String issuer) {
        return new GuardedServer(
                vertx,
                Map.of(
                        "caravan.management.token",
                        GuardedServer.TOKEN,
                        "caravan.people.issuer",
                        issuer,
                        "caravan.people.client",
                        TestProvider.CLIENT + ":" + TestProvider.SECRET,
                        "caravan.people.address",
                        "http://127.0.0.1:1",
                        "caravan.people.roles",
                        "read: staff"));
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
    void an_issuer_that_the_provider_writes_otherwise_is_refused() throws Exception {
        HttpResponse<String> begun = browser.get(relay(provider.issuer() + "/").address() + "/auth/login");

        assertThat(begun.statusCode()).isEqualTo(403);
        assertThat(begun.body()).contains("another issuer");
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
