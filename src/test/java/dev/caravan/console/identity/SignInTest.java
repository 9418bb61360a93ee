package dev.caravan.console.identity;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.clock.Clock;
import dev.caravan.console.http.TimedConnections;
import dev.caravan.lab.servers.FreePorts;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
    private static final GuardedServer.Ended ENDED = new GuardedServer.Ended();
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
        vertx = new TimedConnections(0, () -> true);
        provider = new TestProvider();
        int port = FreePorts.one();
        relay = new GuardedServer(vertx, port, settings("http://127.0.0.1:" + port), CLOCK, ENDED);
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
        provider.acceptsTwice = false;
        ENDED.unavailable = false;
        CLOCK.ahead = Duration.ZERO;
    }

    private static Map<String, String> settings(String address) {
        return TestProvider.settings(provider.issuer(), address, "admin: platform; operate: support; read: staff");
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

    private HttpResponse<String> signIn(GuardedServer server) throws Exception {
        HttpResponse<String> begun = browser.get(server.address() + "/auth/login");
        return browser.get(Browser.location(browser.get(Browser.location(begun))));
    }

    private GuardedServer serverWith(String setting, String value) throws Exception {
        int port = FreePorts.one();
        Map<String, String> settings = new HashMap<>(settings("http://127.0.0.1:" + port));
        settings.put(setting, value);
        return new GuardedServer(vertx, port, settings, CLOCK, ENDED);
    }

    private JsonNode me() throws Exception {
        return Browser.json(browser.get(relay.address() + "/me"));
    }

    private void assertRefused(HttpResponse<String> answered, String why) throws Exception {
        assertThat(answered.statusCode()).as(answered.body()).isEqualTo(403);
        assertThat(answered.body()).contains(why, "/console/").doesNotContain("4711");
        assertThat(browser.cookies).doesNotContainKey(SESSION);
        assertThat(me().get("status").asInt()).isEqualTo(401);
    }

    @Test
    void a_person_signs_in_and_has_the_role_of_the_groups() throws Exception {
        assertThat(me().path("signIn").asText()).isEqualTo("/auth/login");

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
    void a_sign_in_is_completed_once_by_all_relays_also_if_the_provider_accepts_a_code_twice() throws Exception {
        provider.acceptsTwice = true;
        String callback = callback("");
        String begun = browser.cookies.get(BEGUN);
        assertThat(browser.get(callback).statusCode()).isEqualTo(302);
        var other = new GuardedServer(vertx, 0, settings(relay.address()), CLOCK, ENDED);
        for (String again : List.of(callback, callback.replace(relay.address(), other.address()))) {
            browser.cookies.clear();
            browser.cookies.put(BEGUN, begun);

            assertRefused(browser.get(again), "was used before");
        }
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

    /** Whoever may choose an address could otherwise be any person. Some providers write the claim as a text. */
    @Test
    void an_email_address_that_is_not_verified_is_no_name() throws Exception {
        GuardedServer byAddress = serverWith("caravan.people.names", "email, groups");
        for (Object verified : List.of(false, "false")) {
            provider.claims = token -> {
                token.setStringClaim("email", "anna@example.com");
                token.setClaim("email_verified", verified);
            };

            assertRefused(signIn(byAddress), "has not verified the email address");
        }
    }

    /** People choose their names at some providers: a name that looks like that of another person has not the rights of that person. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u2003anna",
                "anna ",
                "anna\u2028",
                " anna",
                "an\u200bna",
                "anna\u00a0",
                "\u2007anna",
                "anna\u202f",
                "anna\u2800",
                "\ue000anna",
                "anna\u034f",
                "anna\u0378",
                "anna\ud834\udd59",
                "\u3000anna"
            })
    void a_name_with_a_space_at_its_end_or_what_is_not_shown_is_not_that_of_another_person(String name)
            throws Exception {
        GuardedServer byName = serverWith("caravan.people.roles", "admin: user:anna; operate: support");
        provider.claims = token -> token.setStringClaim("preferred_username", name);

        assertRefused(signIn(byName), "begins or ends with a space");
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

        assertThat(signIn().statusCode()).isEqualTo(302);
    }

    @Test
    void a_session_ends_after_eight_hours() throws Exception {
        signIn();
        CLOCK.ahead = SignIn.SESSION.minusSeconds(30);
        assertThat(me().get("name").asText()).isEqualTo("anna");

        CLOCK.ahead = SignIn.SESSION.plusSeconds(1);
        assertThat(me().path("signIn").asText()).isEqualTo("/auth/login");
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
            assertThat(me().get("status").asInt()).as(cookie).isEqualTo(401);
        }
        Map<String, String> other = new HashMap<>(settings("http://127.0.0.1:1"));
        other.put("caravan.management.token", "another-token-of-the-test");
        browser.cookies.put(SESSION, session);
        assertThat(browser.get(new GuardedServer(vertx, other).address() + "/me")
                        .statusCode())
                .isEqualTo(401);
    }

    /** A machine may have it, for one outbox only, and would be any person in all of them. */
    @Test
    void who_has_the_token_alone_cannot_create_a_session() throws Exception {
        assertThat(status(relay, session(GuardedServer.TOKEN))).isEqualTo(401);
        assertThat(status(relay, session(GuardedServer.TOKEN + "\n" + TestProvider.SECRET)))
                .as("nothing else is missing")
                .isEqualTo(200);
    }

    private static String session(String secret) {
        ObjectNode fields = JsonNodeFactory.instance
                .objectNode()
                .put("id", UUID.randomUUID().toString())
                .put("name", "mallory");
        fields.putArray("groups").add("platform");
        String purpose = "session of " + provider.issuer() + " at " + relay.address();
        return new Sealed(secret, purpose, CLOCK).seal(fields, SignIn.SESSION);
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
                "/console/../evil",
                "/console/../../evil",
                "/console/a/..",
                "/console/%2e%2E/evil",
                "/console/.%2e/evil",
                "/console/..%2fevil",
                "/console/%2e%2e%5cevil",
                "/console/%252e%252e/evil",
                "/console/..\\evil",
                "/console//evil\r\nx"
            })
    void a_link_cannot_send_people_elsewhere_after_the_sign_in(String to) throws Exception {
        String callback = callback("?to=" + URLEncoder.encode(to, StandardCharsets.UTF_8));

        String there = Browser.location(browser.get(callback));

        assertThat(URI.create(relay.address()).resolve(there).getHost()).isEqualTo("127.0.0.1");
        String decoded = there.replaceAll("(?i)%(25)*2e", ".").replaceAll("(?i)%(25)*(2f|5c)", "/");
        assertThat(URI.create(decoded).normalize().getRawPath()).startsWith("/console/");
    }

    @Test
    void people_come_back_to_the_page_where_they_were() throws Exception {
        for (String page : List.of(
                "/console/dead-letters?subscription=sms&since=2h", "/console/subscriptions/a..b/.c%2Fd?from=/../e")) {
            String callback = callback("?to=" + URLEncoder.encode(page, StandardCharsets.UTF_8));

            assertThat(Browser.location(browser.get(callback))).isEqualTo(page);
        }
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

    private HttpResponse<String> signOut(GuardedServer where) throws Exception {
        return browser.post(where.address() + "/auth/logout", "Content-Type", "application/json");
    }

    private static int status(GuardedServer where, String session) throws Exception {
        return where.me("Cookie", SESSION + "=" + session).status();
    }

    @Test
    void a_session_is_refused_while_the_database_does_not_say_whether_it_has_ended() throws Exception {
        GuardedServer second = new GuardedServer(vertx, 0, settings(relay.address()), CLOCK, ENDED);
        signIn();
        String session = browser.cookies.get(SESSION);
        ENDED.unavailable = true;

        assertThat(status(second, session)).isEqualTo(503);
        HttpResponse<String> refused = signOut(second);
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("You are still signed in");
        assertThat(browser.cookies).containsKey(SESSION);
        assertThat(second.me("Authorization", "Bearer " + GuardedServer.TOKEN).status())
                .isEqualTo(200);

        ENDED.unavailable = false;
        eventually(() -> assertThat(status(second, session)).isEqualTo(200));
    }

    @Test
    void a_session_is_valid_at_the_address_of_its_sign_in_only() throws Exception {
        signIn();

        assertThat(status(new GuardedServer(vertx, settings("http://127.0.0.1:1")), browser.cookies.get(SESSION)))
                .isEqualTo(401);
    }

    @Test
    void a_sign_out_does_not_wait_for_the_provider() throws Exception {
        GuardedServer restarted = new GuardedServer(vertx, settings(relay.address()));
        signIn();
        provider.holds = true;
        try {
            HttpResponse<String> signedOut = signOut(restarted);

            assertThat(Browser.json(signedOut).get("next").asText()).isEqualTo("/console/");
            assertThat(browser.cookies).isEmpty();
        } finally {
            provider.holds = false;
            provider.held.clear();
        }
    }

    @Test
    void other_roles_of_a_relay_hold_in_its_sessions_and_other_groups_of_the_provider_after_the_next_sign_in()
            throws Exception {
        signIn();
        Map<String, String> roles = new HashMap<>(settings(relay.address()));
        roles.put("caravan.people.roles", "read: support");
        GuardedServer restarted = new GuardedServer(vertx, roles);
        assertThat(restarted
                        .me("Cookie", SESSION + "=" + browser.cookies.get(SESSION))
                        .json()
                        .get("role")
                        .asText())
                .isEqualTo("read");

        provider.claims = token -> token.setStringListClaim("groups", "platform");
        assertThat(me().get("role").asText()).isEqualTo("operate");
        signIn();
        assertThat(me().get("role").asText()).isEqualTo("admin");
    }

    @Test
    void pages_that_do_not_exist_are_not_found_and_lock_nobody_out() throws Exception {
        for (int i = 0; i < 160; i++) {
            assertThat(browser.get(relay.address() + "/auth/x").statusCode()).isEqualTo(404);
        }

        assertThat(signIn().statusCode()).isEqualTo(302);
    }

    @Test
    void wrong_tokens_from_the_same_address_do_not_hide_where_people_sign_in() throws Exception {
        GuardedServer attacked = new GuardedServer(vertx, settings(relay.address()));
        eventually(() -> assertThat(attacked.me("Authorization", "Bearer wrong").status())
                .isEqualTo(429));

        assertThat(attacked.me().status()).isEqualTo(401);
        assertThat(attacked.me().json().path("signIn").asText()).isEqualTo("/auth/login");
    }

    @Test
    void codes_that_an_unavailable_provider_exchanges_delay_nothing_and_are_limited_for_each_address()
            throws Exception {
        String callback = callback("");
        String cookie = BEGUN + "=" + browser.cookies.get(BEGUN);
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest exchange = HttpRequest.newBuilder(URI.create(callback))
                .header("Cookie", cookie)
                .build();
        provider.holds = true;
        try (Socket other = new Socket()) {
            List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
            for (int i = 0; i < SignIn.EXCHANGES_PER_ADDRESS; i++) {
                waiting.add(client.sendAsync(exchange, BodyHandlers.ofString()));
            }
            eventually(() -> assertThat(provider.held).hasSize(SignIn.EXCHANGES_PER_ADDRESS));

            HttpResponse<String> refused = browser.get(callback);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(browser.cookies).containsKey(BEGUN);
            assertThat(browser.get(relay.address() + "/console/worker").statusCode())
                    .isEqualTo(200);
            assertThat(new Browser().get(relay.address() + "/auth/login").statusCode())
                    .isEqualTo(302);
            other.bind(new InetSocketAddress("127.0.0.2", 0));
            other.connect(
                    new InetSocketAddress("127.0.0.1", URI.create(callback).getPort()));
            other.getOutputStream()
                    .write(("GET " + callback.substring(relay.address().length())
                                    + " HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + cookie + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            eventually(() -> assertThat(provider.held).hasSize(SignIn.EXCHANGES_PER_ADDRESS + 1));

            provider.release();
            for (CompletableFuture<HttpResponse<String>> each : waiting) {
                assertThat(each.get(1, TimeUnit.MINUTES).statusCode()).isIn(302, 403);
            }
            assertThat(signIn().statusCode()).isEqualTo(302);
        } finally {
            provider.holds = false;
        }
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
