package dev.caravan.console.identity;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.clock.Clock;
import dev.caravan.console.http.TimedConnections;
import dev.caravan.lab.servers.FreePorts;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.keys.HmacKey;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The sign-in with an OpenID provider, and the attacks on it. */
class SignInTest {
    private static final String SESSION = "caravan";
    private static final String BEGUN = "caravan-sign-in";
    private static final SettableClock CLOCK = new SettableClock();
    private static TimedConnections vertx;
    private static TestProvider provider;
    private static GuardedServer relay;

    /** The wall clock of this machine, ahead by a settable time. */
    private static final class SettableClock implements Clock {
        private volatile Duration ahead = Duration.ZERO;

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long millis() {
            return System.currentTimeMillis() + ahead.toMillis();
        }
    }

    private final Browser browser = new Browser();

    @BeforeAll
    static void start() throws Exception {
        vertx = new TimedConnections();
        provider = new TestProvider();
        int port = FreePorts.one();
        relay = new GuardedServer(vertx, port, settings("http://127.0.0.1:" + port), CLOCK);
    }

    @AfterAll
    static void stop() {
        provider.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @BeforeEach
    void behave() {
        provider.claims = unchanged -> {};
        provider.forgery = UnaryOperator.identity();
        provider.refusal = 0;
        CLOCK.ahead = Duration.ZERO;
    }

    private static Map<String, String> settings(String address) {
        return Map.of(
                "caravan.management.token",
                GuardedServer.TOKEN,
                "caravan.people.issuer",
                provider.issuer(),
                "caravan.people.client",
                TestProvider.CLIENT + ":" + TestProvider.SECRET,
                "caravan.people.address",
                address,
                "caravan.people.roles",
                "admin: platform; operate: support; read: staff");
    }

    /** The address with which the provider sends the browser back. */
    private String callback(String to) throws Exception {
        HttpResponse<String> begun = browser.get(relay.address() + "/auth/login" + to);
        assertThat(begun.statusCode()).as(begun.body()).isEqualTo(302);
        return Browser.location(browser.get(Browser.location(begun)));
    }

    private HttpResponse<String> signIn() throws Exception {
        return browser.get(callback(""));
    }

    private JsonNode me() throws Exception {
        return Browser.json(browser.get(relay.address() + "/me"));
    }

    private void assertRefused(HttpResponse<String> answered, String why) throws Exception {
        assertThat(answered.statusCode()).as(answered.body()).isEqualTo(403);
        assertThat(answered.body()).contains(why, "/console/").doesNotContain("4711");
        assertThat(browser.cookies).doesNotContainKey(SESSION);
        assertThat(me().get("status").asInt()).isIn(401, 429);
    }

    @Test
    void a_person_signs_in_and_has_the_role_of_the_groups() throws Exception {
        // without a session the wrong-token limit may answer first
        eventually(() -> assertThat(me().path("signIn").asText()).isEqualTo("/auth/login"));

        HttpResponse<String> signedIn = signIn();

        assertThat(Browser.location(signedIn)).isEqualTo("/console/");
        assertThat(me().get("name").asText()).isEqualTo("anna");
        assertThat(me().get("role").asText()).isEqualTo("operate");
        assertThat(me().get("via").asText()).isEqualTo("openid");
        assertThat(signedIn.headers().allValues("Set-Cookie").toString())
                .contains("HTTPOnly", "SameSite=Strict", "Path=/", "Max-Age=28800")
                .doesNotContain("anna");
        assertThat(browser.cookies).containsOnlyKeys(SESSION);
    }

    @Test
    void cookies_of_an_https_address_are_secure_and_belong_to_this_host() throws Exception {
        GuardedServer https = new GuardedServer(vertx, settings("https://caravan.example.com"));

        HttpResponse<String> begun = new Browser().get(https.address() + "/auth/login");

        assertThat(begun.headers().firstValue("Set-Cookie").orElseThrow())
                .startsWith("__Host-caravan-sign-in=")
                .contains("Secure", "HTTPOnly", "SameSite=Lax", "Path=/")
                .doesNotContain("Domain");
        assertThat(TestProvider.query(URI.create(Browser.location(begun))))
                .containsEntry("redirect_uri", "https://caravan.example.com/auth/callback");
    }

    @Test
    void every_sign_in_has_its_own_state_nonce_and_challenge() throws Exception {
        Map<String, String> first = query(browser.get(relay.address() + "/auth/login"));
        Map<String, String> second = query(browser.get(relay.address() + "/auth/login"));

        for (String name : new String[] {"state", "nonce", "code_challenge"}) {
            assertThat(first.get(name)).as(name).hasSize(43).isNotEqualTo(second.get(name));
        }
        assertThat(first).containsEntry("code_challenge_method", "S256").containsEntry("realm", "1");
    }

    private static Map<String, String> query(HttpResponse<String> response) {
        return TestProvider.query(URI.create(Browser.location(response)));
    }

    @Test
    void a_code_is_accepted_once() throws Exception {
        String callback = callback("");
        String begun = browser.cookies.get(BEGUN);
        browser.get(callback);
        browser.cookies.clear();

        assertRefused(browser.get(callback), "was not started in this browser");
        browser.cookies.put(BEGUN, begun);
        assertRefused(browser.get(callback), "did not accept the code");
    }

    @Test
    void a_refusal_of_the_provider_is_reported_with_its_cause() throws Exception {
        provider.refusal = 401;
        assertRefused(browser.get(callback("")), "caravan.people.client");
        provider.refusal = 503;
        assertRefused(browser.get(callback("")), "answered with status 503");
    }

    @Test
    void a_sign_in_of_another_browser_is_refused() throws Exception {
        String callback = callback("");
        browser.cookies.clear();
        browser.get(relay.address() + "/auth/login");

        assertRefused(browser.get(callback), "belongs to another sign-in");
        assertRefused(new Browser().get(callback), "was not started in this browser");
    }

    /** What may be wrong with an ID token. */
    enum Wrong {
        AUDIENCE(token -> token.setAudience("another"), "for another client"),
        AUDIENCES(token -> token.setAudience("caravan", "another"), "for another client"),
        PARTY(token -> token.setStringClaim("azp", "another"), "for another client"),
        ISSUER(token -> token.setIssuer("https://evil.example.com"), "from another issuer"),
        EXPIRED(token -> token.setExpirationTime(in(-120)), "has expired"),
        FUTURE(token -> token.setIssuedAt(in(300)), "in the future"),
        OLD(token -> token.setIssuedAt(in(-3600)), "too long ago"),
        NONCE(token -> token.setStringClaim("nonce", "another"), "belongs to another sign-in"),
        NO_NONCE(token -> token.unsetClaim("nonce"), "belongs to another sign-in"),
        NO_NAME(token -> token.unsetClaim("preferred_username"), "no name in the claim preferred_username"),
        NO_ROLE(token -> token.setStringListClaim("groups", "guests"), "anna has no role");

        private final Consumer<JwtClaims> change;
        private final String why;

        Wrong(Consumer<JwtClaims> change, String why) {
            this.change = change;
            this.why = why;
        }

        private static NumericDate in(int seconds) {
            return NumericDate.fromSeconds(System.currentTimeMillis() / 1000 + seconds);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_wrong_token_is_refused(Wrong wrong) throws Exception {
        provider.claims = wrong.change;

        assertRefused(signIn(), wrong.why);
    }

    @Test
    void a_forged_token_is_refused() throws Exception {
        provider.forgery = token -> encoded("{\"alg\":\"none\"}") + "." + token.split("\\.")[1] + ".";
        assertRefused(signIn(), "The ID token of the OpenID provider is invalid");

        provider.forgery =
                token -> token.split("\\.")[0] + "." + changed(token.split("\\.")[1]) + "." + token.split("\\.")[2];
        assertRefused(signIn(), "its signature is wrong");

        provider.forgery = token -> withPublicKeyAsSecret(token.split("\\.")[1]);
        assertRefused(signIn(), "The ID token of the OpenID provider is invalid");

        provider.forgery = token -> "no token";
        assertRefused(signIn(), "The ID token of the OpenID provider is invalid");
    }

    private static String changed(String claims) {
        String plain = new String(Base64.getUrlDecoder().decode(claims), StandardCharsets.UTF_8);
        return encoded(plain.replace("support", "platform"));
    }

    private static String withPublicKeyAsSecret(String claims) {
        try {
            JsonWebSignature signature = new JsonWebSignature();
            signature.setPayload(new String(Base64.getUrlDecoder().decode(claims), StandardCharsets.UTF_8));
            signature.setKeyIdHeaderValue(provider.key().getKeyId());
            signature.setAlgorithmHeaderValue(AlgorithmIdentifiers.HMAC_SHA256);
            signature.setKey(new HmacKey(provider.key().getPublicKey().getEncoded()));
            return signature.getCompactSerialization();
        } catch (org.jose4j.lang.JoseException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void clocks_may_differ_by_a_minute() throws Exception {
        provider.claims = token -> {
            token.setIssuedAt(Wrong.in(-90));
            token.setExpirationTime(Wrong.in(-30));
        };
        assertThat(Browser.location(signIn())).isEqualTo("/console/");
    }

    @Test
    void a_new_key_of_the_provider_is_fetched() throws Exception {
        signIn();
        provider.rotateKey();

        // keys are fetched again 300 ms after the last time at the earliest
        eventually(() -> assertThat(signIn().statusCode()).isEqualTo(302));
    }

    @Test
    void a_session_ends_after_eight_hours() throws Exception {
        signIn();
        CLOCK.ahead = SignIn.SESSION.minusSeconds(30);
        assertThat(me().get("name").asText()).isEqualTo("anna");

        CLOCK.ahead = SignIn.SESSION.plusSeconds(1);
        eventually(() -> assertThat(me().path("signIn").asText()).isEqualTo("/auth/login"));
    }

    @Test
    void a_sign_in_ends_after_ten_minutes() throws Exception {
        String callback = callback("");
        CLOCK.ahead = Duration.ofMinutes(11);

        assertRefused(browser.get(callback), "took more than 10 minutes");
    }

    @Test
    void only_cookies_of_the_relay_are_sessions() throws Exception {
        callback("");
        String begun = browser.cookies.get(BEGUN);
        signIn();
        String session = browser.cookies.get(SESSION);
        String changed = (session.charAt(20) == 'A' ? "B" : "A");
        for (String cookie : Arrays.asList(
                begun,
                session.substring(0, 20) + changed + session.substring(21),
                session.substring(4),
                "",
                "x",
                "%%%")) {
            browser.cookies.put(SESSION, cookie);
            assertThat(me().get("status").asInt()).as(cookie).isIn(401, 429);
        }
        Map<String, String> other = new HashMap<>(settings("http://127.0.0.1:1"));
        other.put("caravan.management.token", "another-token-of-the-test");
        browser.cookies.put(SESSION, session);
        assertThat(browser.get(new GuardedServer(vertx, other).address() + "/me")
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void another_relay_completes_a_sign_in_and_accepts_the_session() throws Exception {
        GuardedServer second = new GuardedServer(vertx, settings(relay.address()));
        String callback = callback("").replace(relay.address(), second.address());

        assertThat(Browser.location(browser.get(callback))).isEqualTo("/console/");
        assertThat(me().get("name").asText()).isEqualTo("anna");
    }

    @Test
    void a_session_that_somebody_planted_is_replaced() throws Exception {
        provider.claims = token -> token.setStringClaim("preferred_username", "mallory");
        signIn();
        String planted = browser.cookies.get(SESSION);
        provider.claims = unchanged -> {};
        signIn();

        assertThat(browser.cookies.get(SESSION)).isNotEqualTo(planted);
        assertThat(me().get("name").asText()).isEqualTo("anna");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example.com/",
                "//evil.example.com",
                "/\\evil.example.com",
                "/console",
                "/console/\\\\evil",
                "javascript:alert(1)",
                "/console/%0d%0aSet-Cookie:x=y",
                "/console//evil\r\nx"
            })
    void a_link_cannot_send_people_elsewhere_after_the_sign_in(String to) throws Exception {
        String callback = callback("?to=" + java.net.URLEncoder.encode(to, StandardCharsets.UTF_8));

        String there = Browser.location(browser.get(callback));

        assertThat(URI.create(relay.address()).resolve(there).getHost()).isEqualTo("127.0.0.1");
        assertThat(there).startsWith("/console/");
    }

    @Test
    void people_come_back_to_the_page_where_they_were() throws Exception {
        String callback = callback("?to=%2Fconsole%2Fdead-letters%3Fsubscription%3Dsms%26since%3D2h");

        assertThat(Browser.location(browser.get(callback)))
                .isEqualTo("/console/dead-letters?subscription=sms&since=2h");
    }

    @Test
    void signing_out_needs_a_page_of_the_relay_and_ends_the_session() throws Exception {
        signIn();
        String logout = relay.address() + "/auth/logout";
        assertThat(browser.get(logout).statusCode()).isEqualTo(404);
        assertThat(browser.post(logout).statusCode()).isEqualTo(415);
        assertThat(browser.post(logout, "Content-Type", "application/json", "Origin", "https://evil.example.com")
                        .statusCode())
                .isEqualTo(403);

        JsonNode next = Browser.json(browser.post(logout, "Content-Type", "application/json"));

        assertThat(next.get("next").asText()).startsWith(provider.issuer() + "/logout?");
        assertThat(browser.cookies).isEmpty();
    }

    @Test
    void a_token_counts_more_than_a_session() throws Exception {
        signIn();

        JsonNode machine =
                Browser.json(browser.get(relay.address() + "/me", "Authorization", "Bearer " + GuardedServer.TOKEN));

        assertThat(machine.get("via").asText()).isEqualTo("token");
        assertThat(machine.get("role").asText()).isEqualTo("admin");
        assertThat(browser.get(relay.address() + "/me", "Authorization", "Bearer wrong")
                        .statusCode())
                .isIn(401, 429);
    }

    @Test
    void a_refusal_of_the_provider_is_shown_without_what_it_might_hide() throws Exception {
        browser.get(relay.address() + "/auth/login");
        String state = query(browser.get(relay.address() + "/auth/login")).get("state");

        assertRefused(
                browser.get(relay.address() + "/auth/callback?error=access_denied%3Cscript%3E&state=" + state),
                "access_denied?script?");
    }
}
