package dev.caravan.console.api;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.console.api.HttpRelay.Answered;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may send requests, and which requests are refused before they have an effect. */
class ManagementServerIT {
    private static HttpRelay relay;

    @BeforeAll
    static void start() throws Exception {
        relay = HttpRelay.start(Map.of());
    }

    @AfterAll
    static void stop() {
        relay.close();
    }

    @Test
    void without_a_token_this_machine_has_all_rights() throws Exception {
        Answered me = relay.get("/api/me");

        me.assertStatus(200);
        assertThat(me.text("/role")).isEqualTo("admin");
        assertThat(me.text("/via")).isEqualTo("local");
        assertThat(me.text("/relay")).isEqualTo("relay-of-the-test");
        relay.get("/api/me", "Outbox-Id", "7").assertProblem(403, "this is the delivery of a message");
    }

    @Test
    void a_page_whose_name_is_rebound_to_this_machine_gets_nothing() throws Exception {
        for (String path : List.of("/api/me", "/console/", "/observe/health")) {
            assertThat(raw("GET " + path + " HTTP/1.1\r\nHost: evil.example:" + relay.port
                            + "\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 403")
                    .contains("caravan.management.token");
        }
        for (String host : List.of("localhost", "127.0.0.1", "[::1]")) {
            assertThat(raw("GET /api/me HTTP/1.1\r\nHost: " + host + ":1\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 200");
        }
        assertThat(raw("GET /api/me HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.0 403");
    }

    /** After an upgrade, a proxy in front of the relay would not see the requests, nor replace the headers that name a person. */
    @Test
    void a_connection_is_not_upgraded_to_http_2() throws Exception {
        String request = "GET /api/me HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n";
        eventually(() -> {
            try (Socket socket = sent(request)) { // which stays open after the answer
                String answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
                assertThat(answer).isEqualTo("HTTP/1.1 200");
            }
        });
    }

    @Test
    void health_and_metrics_answer_to_head_without_a_body() throws Exception {
        eventually( // a relay is not ready before its first read
                () -> assertThat(relay.get("/observe/health").status()).isEqualTo(200));

        for (String path : List.of("/observe/health", "/observe/metrics")) {
            String answered = raw("HEAD " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

            assertThat(answered).as(path).startsWith("HTTP/1.1 200");
            assertThat(answered.strip()).as(path).doesNotContain("\r\n\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/me", "/api/nothing", "/observe/health", "/console/", "/elsewhere"})
    void every_answer_has_the_security_headers_for_the_browser(String path) throws Exception {
        var headers = relay.get(path).response().headers();

        assertThat(headers.firstValue("Content-Security-Policy").orElse(""))
                .startsWith("default-src 'self'")
                .contains("frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(headers.firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(headers.firstValue("Referrer-Policy")).contains("no-referrer");
        assertThat(headers.map()).doesNotContainKey("access-control-allow-origin");
    }

    @Test
    void answers_of_operations_are_not_cached() throws Exception {
        assertThat(relay.get("/api/me").response().headers().firstValue("Cache-Control"))
                .contains("no-store");
    }

    @ParameterizedTest
    @CsvSource({"Origin, http://evil.example", "Origin, null", "Sec-Fetch-Site, cross-site", "Sec-Fetch-Site, same-site"
    })
    void a_page_of_another_site_changes_nothing(String header, String value) throws Exception {
        relay.post("/api/subscriptions/orders/pause", "{}", header, value).assertProblem(403, "Nothing was changed");
        assertThat(relay.database.number("select count(*) from outbox_subscription where paused"))
                .isZero();
    }

    @Test
    void a_page_of_the_relay_may_make_changes() throws Exception {
        relay.post(
                        "/api/subscriptions/orders/resume",
                        "{}",
                        "Origin",
                        "http://localhost:" + relay.port,
                        "Sec-Fetch-Site",
                        "same-origin")
                .assertStatus(200);
    }

    @Test
    void a_form_changes_nothing() throws Exception {
        relay.send(relay.request("/api/subscriptions/orders/pause")
                        .header("Content-Type", "text/plain")
                        .POST(BodyPublishers.ofString("{}")))
                .assertStatus(415);
    }

    @Test
    void a_body_may_not_be_too_large() throws Exception {
        String reason = "x".repeat(1_100_000);

        relay.post("/api/subscriptions/orders/pause", "{\"reason\":\"" + reason + "\"}")
                .assertProblem(413, "1 MiB");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/dead-letters?subscripton=orders | no query parameter subscripton, did you mean subscription?",
                "/api/dead-letters?limit=0 | limit must be a number between 1 and 1000",
                "/api/dead-letters?limit=many | limit must be a number",
                "/api/dead-letters?limit=99999999999999999999999 | limit must be a number",
                "/api/dead-letters?since=yesterday | since must be a time",
                "/api/dead-letters?key=77 | key must be a key: TYPE/ID",
                "/api/dead-letters?after=nonsense | after must be the value of next",
                "/api/dead-letters?error=%00 | contains a NUL character",
                "/api/dead-letters?type=a&type=b | is given twice",
                "/api/dead-letters/orders/99999999999999999999 | id must be a number between 0 and 9223372036854775807",
                "/api/dead-letters/orders/1;drop | id must be a number",
                "/api/messages?messageId=7 | messageId must be a UUID",
                "/api/history?minutes=10081 | minutes must be a number between 1 and 10080"
            })
    void a_wrong_value_is_named(String path, String detail) throws Exception {
        Answered refused = relay.get(path);

        refused.assertProblem(400, detail);
        assertThat(refused.response().headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(refused.text("/instance")).doesNotContain("?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"raeson\":\"x\"} | no field raeson, did you mean reason?",
                "{\"reason\":7} | reason must be a string",
                "[] | must be a JSON object",
                "{\"reason\":\"a\",\"reason\":\"b\"} | not valid JSON",
                "{\"reason\":\"\\ud800\"} | unpaired surrogate",
                "{\"reason\":1e99999999999} | not valid JSON",
                "{secret} | line 1"
            })
    void a_wrong_body_is_reported_without_quoting_it(String body, String detail) throws Exception {
        Answered refused = relay.post("/api/subscriptions/orders/pause", body);

        refused.assertStatus(400);
        assertThat(refused.detail()).contains(detail).doesNotContain("secret");
    }

    @Test
    void a_body_may_not_be_nested_too_deeply() throws Exception {
        String body = "{\"edit\":{\"payload\":" + "[".repeat(4_900) + "]".repeat(4_900) + "}}";

        relay.post("/api/dead-letters/orders/1/retry", body).assertProblem(400, "nested too deeply");
    }

    @Test
    void sql_in_a_value_is_a_value() throws Exception {
        relay.get("/api/dead-letters?error='%3B+drop+table+outbox%3B--").assertStatus(200);
        assertThat(relay.get("/api/dead-letters?error=x'%20or%20'1'%3D'1")
                        .json()
                        .get("items"))
                .isEmpty();
        relay.get("/api/dead-letters?subscription=x'%20or%20'1'%3D'1").assertStatus(404);
        assertThat(relay.database.number("select count(*) from outbox")).isNotNegative();
    }

    @Test
    void a_name_with_a_slash_is_one_name() throws Exception {
        Answered missing = relay.get("/api/subscriptions/a%2Fb%20c");

        missing.assertStatus(404);
        assertThat(missing.detail()).isEqualTo("There is no subscription a/b c. Nothing was changed.");
        assertThat(relay.get("/api/subscriptions/oders").detail()).contains("did you mean orders?");
    }

    @Test
    void a_wrong_method_is_answered_with_the_right_one() throws Exception {
        Answered refused = relay.get("/api/subscriptions/orders/pause");
        refused.assertStatus(405);
        assertThat(refused.response().headers().firstValue("Allow")).contains("POST");

        relay.send(relay.request("/api/me")
                        .header("Content-Type", "application/json")
                        .PUT(BodyPublishers.ofString("{}")))
                .assertStatus(405);
    }

    @Test
    void what_is_not_served_is_a_problem_too() throws Exception {
        relay.get("/api/nothing").assertStatus(404);
        assertThat(relay.get("/elsewhere").number("/status")).isEqualTo(404);
        relay.get("/api/../api/me").assertStatus(200);
        assertThat(relay.get("/").response().statusCode()).isEqualTo(302);
        relay.get("/console/../q/send").assertStatus(404);
    }

    @Test
    void too_many_requests_are_refused_until_a_second_later() throws Exception {
        eventually(
                () -> assertThat(relay.refusedOf(400, relay.request("/api/jobs").GET()))
                        .isNotEmpty()
                        .allSatisfy(response -> assertThat(response.headers().firstValue("Retry-After"))
                                .contains("1")));

        assertThat(relay.get("/observe/health").response().statusCode()).isNotEqualTo(429);
        relay.get("/api/me").assertStatus(200);
    }

    /** Sends a request, and repeats it while the relay answers 429. */
    private static String raw(String request) throws Exception {
        String[] answer = new String[1];
        eventually(() -> {
            answer[0] = rawOnce(request);
            assertThat(answer[0]).doesNotStartWith("HTTP/1.1 429").doesNotStartWith("HTTP/1.0 429");
        });
        return answer[0];
    }

    private static String rawOnce(String request) throws Exception {
        try (Socket socket = sent(request)) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Socket sent(String request) throws Exception {
        Socket socket = new Socket("127.0.0.1", relay.port);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        return socket;
    }
}
