package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an HTTP receiver reads from the socket, byte by byte, for a route without options for headers. */
class HttpHeadersIT {
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void values_beyond_ascii_arrive_percent_encoded_and_others_unchanged() throws Exception {
        List<String> request = requestFor(
                "ü😀 100%",
                "{\"city\": \"Köln\", \"plain\": \"a b, 50% \\\"c\\\"\", \"lines\": \"a\\r\\nX-Evil: 1\", \"ends\": \" a\","
                        + " \"empty\": \"\", \"none\": null, \"object\": {\"a\": \"ö\"}}");

        assertThat(values(request, "aggregate-id")).containsExactly("%C3%BC%F0%9F%98%80%20100%25");
        assertThat(URLDecoder.decode(values(request, "aggregate-id").get(0), StandardCharsets.UTF_8))
                .isEqualTo("ü😀 100%");
        assertThat(values(request, "city")).containsExactly("K%C3%B6ln");
        assertThat(values(request, "plain")).containsExactly("a b, 50% \"c\"");
        assertThat(values(request, "lines")).containsExactly("a%0D%0AX-Evil:%201");
        assertThat(values(request, "ends")).containsExactly("%20a");
        assertThat(values(request, "empty")).containsExactly("");
        assertThat(values(request, "none")).isEmpty();
        assertThat(values(request, "object")).containsExactly("{%22a%22:%22%C3%B6%22}");
        assertThat(values(request, "X-Evil")).isEmpty();
    }

    @Test
    void numbers_arrive_as_the_column_shows_them() throws Exception {
        List<String> request = requestFor(
                "a",
                "{\"price\": 1.50, \"large\": 1e300, \"tiny\": 0.00000001, \"id-like\": 123456789012345678901234567890,"
                        + " \"minus\": -0.10, \"spelled\": \"1e300\", \"in\": {\"price\": 1.50, \"tiny\": 0.00000001}}");

        assertThat(values(request, "price")).containsExactly("1.50");
        assertThat(values(request, "large")).containsExactly("1" + "0".repeat(300)); // jsonb stores no exponent
        assertThat(values(request, "tiny")).containsExactly("0.00000001");
        assertThat(values(request, "id-like")).containsExactly("123456789012345678901234567890");
        assertThat(values(request, "minus")).containsExactly("-0.10");
        assertThat(values(request, "spelled")).containsExactly("1e300");
        assertThat(values(request, "in")).containsExactly("{\"tiny\":0.00000001,\"price\":1.50}");
    }

    @Test
    void names_that_http_does_not_know_and_those_of_camel_are_not_sent() throws Exception {
        List<String> request = requestFor(
                "a",
                "{\"a:b\": \"1\", \"größe\": \"2\", \"two words\": \"3\", \"\": \"4\", \"a\\r\\nb\": \"5\", \"x_1.y~z\": \"6\"}");

        assertThat(values(request, "x_1.y~z")).containsExactly("6");
        assertThat(request.stream().skip(1).map(line -> line.substring(0, line.indexOf(':'))
                        .toLowerCase(Locale.ROOT)))
                .contains("id", "type", "aggregate-type", "aggregate-id", "created-at", "outbox-id")
                .noneMatch(name -> name.startsWith("kafka") || name.startsWith("camel"))
                .doesNotContain("a", "b", "two words", "gr??e", "");
    }

    @Test
    void a_header_that_the_route_sets_arrives_unchanged_if_http_allows_it() throws Exception {
        List<String> request = requestFor("a", "{}");

        assertThat(values(request, "X-Signed")).containsExactly("a%2Fb; q=\"1\"");
        assertThat(values(request, "Authorization")).containsExactly("Basic dTpw");
    }

    /** With Expect, each request of the row would wait 3 s for the receiver. With another login, it would be refused. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection",
                "Content-Range",
                "Expect",
                "Forwarded",
                "HTTP2-Settings",
                "keep-alive",
                "Proxy-Authorization",
                "Proxy-Connection",
                "Range",
                "TE",
                "Trailer",
                "Transfer-Encoding",
                "Upgrade",
                "X-Forwarded-Host",
                "X-Forwarded-Prefix",
                "X-HTTP-Method",
                "X-HTTP-Method-Override",
                "X-Method-Override",
                "X-Original-URL",
                "X-Rewrite-URL",
                "X_HTTP_METHOD_OVERRIDE", // as CGI programs read X-HTTP-Method-Override
                "X.Original.URL",
                "aggregate_id",
                "AUTHORIZATION"
            })
    void a_row_does_not_say_how_a_request_is_sent(String name) throws Exception {
        List<String> request = requestFor("a", "{\"" + name + "\": \"100-continue\", \"X-Other\": \"1\"}");

        assertThat(values(request, "X-Other")).containsExactly("1");
        assertThat(request).noneMatch(line -> line.contains("100-continue"));
        assertThat(values(request, "Authorization")).containsExactly("Basic dTpw");
    }

    private List<String> requestFor(String key, String headers) throws Exception {
        RawHttp receiver = RawHttp.answering(RawHttp.EMPTY);
        String uri = receiver.url()
                + "/orders?httpMethod=POST&authMethod=Basic&authUsername=u&authPassword=p&authenticationPreemptive=true";
        outbox.execute(
                "insert into outbox (aggregate_type, aggregate_id, type, headers, payload)"
                        + " values ('order', ?, 'order.created', ?::jsonb, '{}')",
                key,
                headers);
        try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .setHeader("X-Signed", routes.constant("a%2Fb; q=\"1\""))
                .to(uri))) {
            eventually(() -> assertThat(receiver.requests()).hasSize(1));
            return receiver.requests().get(0).head();
        }
    }

    private static List<String> values(List<String> request, String name) {
        return request.stream()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":"))
                .map(line -> line.substring(name.length() + 1))
                .map(value -> value.startsWith(" ") ? value.substring(1) : value)
                .toList();
    }
}
