package dev.caravan.console.identity;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.console.http.TimedConnections;
import dev.caravan.console.identity.GuardedServer.Answered;
import java.net.Socket;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who a caller is behind a proxy, and that nobody can pretend to be another person. */
class TrustedProxyTest {
    private static final String USER = "X-Forwarded-User";
    private static final String GROUPS = "X-Forwarded-Groups";
    private static final String[] TOKEN = {"Authorization", "Bearer " + GuardedServer.TOKEN};
    private static TimedConnections vertx;
    /** Trusts the address of this test. */
    private static GuardedServer proxy;
    /** Trusts other addresses. */
    private static GuardedServer other;

    @BeforeAll
    static void start() {
        vertx = new TimedConnections(0, () -> true);
        proxy = new GuardedServer(vertx, settings("127.0.0.0/8"));
        other = new GuardedServer(vertx, settings("10.0.0.0/8, ::1"));
    }

    @AfterAll
    static void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static Map<String, String> settings(String proxies) {
        return Map.of(
                "caravan.management.token",
                GuardedServer.TOKEN,
                "caravan.people.proxies",
                proxies,
                "caravan.people.roles",
                "admin: platform; operate: support; read: staff");
    }

    private static String[] person(String name, String groups) {
        return new String[] {USER, name, GROUPS, groups};
    }

    @Test
    void the_headers_are_refused_from_every_other_address_also_with_a_token() throws Exception {
        for (String header : new String[] {USER, "x-forwarded-user", "X-FORWARDED-USER", GROUPS}) {
            Answered answered = other.me(header, "anna");
            assertThat(answered.status()).as(header).isEqualTo(403);
            assertThat(answered.detail()).contains("is not in caravan.people.proxies");
        }
        assertThat(other.me(USER, "anna", TOKEN[0], TOKEN[1]).status()).isEqualTo(403);
        assertThat(other.me(TOKEN).status()).isEqualTo(200);
        // the address of the client that a header names does not count
        assertThat(other.me(
                                USER,
                                "anna",
                                "X-Forwarded-For",
                                "127.0.0.1",
                                "X-Real-IP",
                                "127.0.0.1",
                                "Forwarded",
                                "for=127.0.0.1")
                        .status())
                .isEqualTo(403);
    }

    @Test
    void other_spellings_of_the_header_name_nobody() throws Exception {
        for (String header :
                new String[] {"X_Forwarded_User", "X-Forwarded_User", "XForwardedUser", "X-Forwarded-User-"}) {
            assertThat(proxy.me(header, "anna", GROUPS.replace('-', '_'), "platform")
                            .status())
                    .as(header)
                    .isIn(401, 429);
        }
    }

    @Test
    void a_header_that_is_there_twice_is_refused() throws Exception {
        assertThat(proxy.me(USER, "mallory", USER, "anna", GROUPS, "platform").status())
                .isEqualTo(400);
        assertThat(proxy.me(USER, "mallory", "x-forwarded-user", "anna", GROUPS, "platform")
                        .status())
                .isEqualTo(400);
        assertThat(proxy.me(USER, "anna", GROUPS, "platform", "x-forwarded-groups", "staff")
                        .status())
                .isEqualTo(400);
        assertThat(proxy.me(person("mallory, anna", "platform")).status()).isEqualTo(400);
    }

    @Test
    void groups_without_a_name_are_nobody_and_tokens_are_for_machines() throws Exception {
        assertThat(proxy.me(GROUPS, "platform").status()).isIn(401, 429);
        assertThat(proxy.me(USER, "", GROUPS, "platform").status()).isIn(401, 429);
        JsonNode machine = proxy.me(TOKEN).json();
        assertThat(machine.get("role").asText()).isEqualTo("admin");
        assertThat(machine.get("name").isNull()).isTrue();
    }

    @Test
    void a_person_keeps_the_role_of_the_groups_also_with_the_token_of_a_machine() throws Exception {
        JsonNode me =
                proxy.me(USER, "carla", GROUPS, "staff", TOKEN[0], TOKEN[1]).json();

        assertThat(me.get("role").asText()).isEqualTo("read");
    }

    /** Who may create groups at the provider could create one that looks like another. */
    @Test
    void a_group_with_another_space_at_its_end_is_another_group() throws Exception {
        for (String group : new String[] {"platform\u2003", "\u2003platform", "guests,\u3000platform"}) {
            assertThat(answerTo(group)).as(group).startsWith("HTTP/1.1 403");
        }
        assertThat(answerTo("platform")).startsWith("HTTP/1.1 200");
        assertThat(proxy.me(person("anna", "guests, platform"))
                        .json()
                        .get("role")
                        .asText())
                .isEqualTo("admin");
    }

    @Test
    void a_name_with_a_character_that_is_not_shown_is_not_that_of_another_person() throws Exception {
        for (String name : new String[] {"an\u200bna", "anna\u00a0", "\u2003anna", "anna\u2800", "\ue000anna"}) {
            assertThat(answerTo(name, "platform"))
                    .as(name)
                    .startsWith("HTTP/1.1 400")
                    .contains("characters that are not shown");
        }
    }

    private static String answerTo(String group) throws Exception {
        return answerTo("mallory", group);
    }

    /** The client of Java does not send a header in UTF-8. */
    private static String answerTo(String name, String group) throws Exception {
        URI address = URI.create(proxy.address());
        try (Socket proxied = new Socket(address.getHost(), address.getPort())) {
            proxied.getOutputStream()
                    .write(("GET /me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + USER + ": " + name + "\r\n"
                                    + GROUPS + ": " + group + "\r\n\r\n")
                            .getBytes(UTF_8));
            return new String(proxied.getInputStream().readAllBytes(), UTF_8);
        }
    }

    @Test
    void a_name_in_utf_8_is_readable() throws Exception {
        String sent = new String("Jürgen".getBytes(UTF_8), ISO_8859_1);

        assertThat(HeaderText.decoded(sent)).isEqualTo("Jürgen");
        assertThat(HeaderText.decoded("J\u00fcrgen")).isEqualTo("Jürgen");
    }
}
