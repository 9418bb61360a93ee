package dev.caravan.base.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorTextTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "550 5.1.1 <bob@example.com> unknown | 550 5.1.1 <•••@example.com> unknown",
                "Invalid Addresses: bob.o'neil+news@mail.example.co.uk; try again | Invalid Addresses: bob.o'•••@mail.example.co.uk; try again",
                "553 <\"bob smith\"@example.com> refused | 553 <•••@example.com> refused",
                "no user jörg@müller.de here | no user •••@müller.de here",
                "to=bob%2Bnews%40example.com | to=•••%40example.com",
                "The number +49 (0) 170 123-4567 is not valid | The number ••• is not valid",
                "+491701234567 answered 400 | ••• answered 400",
                "No route to 0049170 1234567, sorry | No route to •••, sorry",
                "The 'To' number 4917012345678 is not reachable. | The 'To' number ••• is not reachable.",
                "HTTP operation failed invoking http://gw:8080/sms/491701234567?text=Hello+Bob with statusCode: 400 | HTTP operation failed invoking http://gw:8080/sms/•••?••• with statusCode: 400",
                "invoking https://gw/v1/%2B491701234567/messages with statusCode: 404 | invoking https://gw/v1/•••/messages with statusCode: 404",
                "https://gw/numbers/01701234567/#bob | https://gw/numbers/•••/#•••",
                "invoking https://hooks.chat.example/services/T0AA/B0BB/XxX1yYyY2zZz?a=b with statusCode: 404 | invoking https://hooks.chat.example/services/T0AA/B0BB/•••?••• with statusCode: 404",
                "telegram://bots/123456:AAHdqTcvCH1 and http://gw7.mail-host2.example/v1beta | telegram://bots/••• and http://gw7.mail-host2.example/v1beta",
                "https://hooks.chat.example/services/T0AA/B0BB/XxXyYyZzZaBcDeFgHiJkLmNo | https://hooks.chat.example/services/T0AA/B0BB/•••",
                "https://chat.example/hooks/qwhgfyxbnmlkjtrezuiopasd/-BcDe_FgHiJkLmNoPq | https://chat.example/hooks/•••/•••",
                "Connect to smtp://bob:secret@mail.example.com:25 failed | Connect to smtp://•••@mail.example.com:25 failed",
                "POST /sms?to=491701234567&text=Hi failed | POST /sms?••• failed",
                "{\"Authorization\": \"Basic dTpwYXNzd29yZA==\", \"a\": 1} | {\"Authorization\": \"Basic •••\", \"a\": 1}",
                "{\\\"authorization\\\":[\\\"Bearer eyJh.eyJz.c2ln\\\"]} | {\\\"authorization\\\":[\\\"Bearer •••\\\"]}",
                "Cookie: session=abcdef12; csrf=34 refused | Cookie: ••• refused",
                "[HTTP_X_API_KEY] => topsecret1, no such key | [HTTP_X_API_KEY] => •••, no such key",
                "Cannot read Basic c2hvcDpwdW1hVE9LRU54cTc3eA== as a login | Cannot read Basic ••• as a login",
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl has expired | ••• has expired",
                "<password>topsecret1</password> | <password>•••</password>",
                "Illegal character in query at index 20: http://gw/sms?text=Hello Bob, your code is 1 | Illegal character in query at index 20: •••",
                "no driver for jdbc:sqlserver://db;user=sa;Password=tiger | no driver for jdbc:sqlserver://db;user=sa;Password=•••",
                "no driver for jdbc:oracle:thin:scott/tiger@//db:1521/shop | no driver for jdbc:oracle:thin:•••@//db:1521/shop",
                "invoking http://gw:8080/to/bob@example.com/end with statusCode: 400 | invoking http://gw:8080/to/•••@example.com/end with statusCode: 400",
                "smtp://joe:pa/ss@host:25 and smtp://joe:pa?ss@host | smtp://•••@host:25 and smtp://•••@host",
            })
    void personal_data_is_masked(String text, String masked) {
        assertThat(ErrorText.masked(text)).isEqualTo(masked);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection refused: localhost/127.0.0.1:9092",
                "The message is 1048592 bytes when serialized which is larger than 1048576",
                "Message 4711 of 550e8400-e29b-41d4-a716-446655440000 at 2026-11-21T22:28:41.123+0100",
                "invoking http://gw:8080/orders/4711/lines with statusCode: 503",
                "invoking https://very-long-name-of-a-host.example/order-confirmations/incoming_notifications with statusCode: 503",
                "invoking https://a.example/services/CustomerOrderConfirmationService/internationalization with statusCode: 503",
                "invoking http://gw:8080/2010-04-01/Accounts/demo/Messages.json with statusCode: 503",
                "class java.lang.Object@6d06d69c is no order; is it? Really",
                "\tat dev.caravan.Send$$Lambda/0x00007f1c3c000400.run(Send.java:123)",
                "Missing property in path $['customer']['phone']",
                "Missing property in path $['password'], and the Authorization header is missing: Basic authentication",
                "Password: must be set",
                "Bearer realm=shop-production-2 is required, not Basic authentication-of-users",
                "Topic orders-2026 not present in metadata after 60000 ms.",
                ""
            })
    void other_text_is_unchanged(String text) {
        assertThat(ErrorText.masked(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://localhost:5432/app/?user=joe&password=one1 | jdbc:postgresql://localhost:5432/app/?•••",
                "jdbc:postgresql://joe:x/one1@localhost:5432/app | jdbc:postgresql://•••@localhost:5432/app",
                "jdbc:postgresql://localhost:one1/app | jdbc:postgresql://localhost:•••/app",
                "jdbc:postgresql://localhost:5432,other:one1/app | jdbc:postgresql://localhost:5432,other:•••/app",
                "jdbc:mariadb:failover://joe:one1@h:3306/shop | jdbc:mariadb:failover://•••@h:3306/shop",
                "jdbc:sqlserver://h:1433;user=sa;password=one1 | jdbc:sqlserver://h:1433;user=sa;password=•••",
                "jdbc:postgresql://[::1]:5432/app | jdbc:postgresql://[::1]:5432/app",
                "jdbc:oracle:thin:@//h:1521/app | jdbc:oracle:thin:@//h:1521/app",
                "http://joe:one/1@h:80/a@b.c | http://•••@b.c",
                "http://h:80/a@b.c | http://h:80/a@b.c",
                "http://h:{{port}}/a@b.c and http://h:${header.port}/a@b.c | http://h:{{port}}/a@b.c and http://h:${header.port}/a@b.c",
            })
    void a_text_of_a_library_has_no_login_in_whatever_place_of_an_address(String text, String masked) {
        assertThat(ErrorText.withoutSecrets(text)).isEqualTo(masked);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://h:80/to/max@b.c/end?a=x@y.z&password=one1 | http://h:80/to/max@b.c/end?a=x@y.z&password=xxxxxx",
                "http://joe:one1@h:80/to/max@b.c | http://joe:xxxxxx@h:80/to/max@b.c",
                "smtp://joe:one/1@h:25?password=one1 | smtp://joe:xxxxxx@h:25?password=xxxxxx",
                "smtp://joe:one?1@h:25?password=one1 | smtp://joe:xxxxxx@h:25?password=xxxxxx",
                "smtp:h?url=http://joe:one1@h&password=one1 | smtp:h?url=http://joe:xxxxxx@h&password=xxxxxx",
            })
    void an_address_has_no_password_and_its_path_stays(String address, String sanitized) {
        assertThat(ErrorText.sanitized(address)).isEqualTo(sanitized);
    }

    @Test
    void a_payload_is_masked_whole_or_from_its_beginning_and_within_json() {
        String payload = "{\"name\": \"Bob Smith\", \"total\": 84.50}";

        assertThat(ErrorText.masked(ErrorText.without(
                        List.of(payload),
                        "Cannot read " + payload
                                + " as Order, nor {\"name\": \"Bob Sm... in {\\\"name\\\": \\\"Bob Smith\\\"")))
                .isEqualTo("Cannot read ••• as Order, nor •••... in •••");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\\n  \\\"name\\\": \\\"J\\u00f6rg & S\\u00f6hne\\\",\\n  \\\"to\\\": \\\"a\\/b\\ud83d\\ude00\\\"\\n}",
                "{\\\\n  \\\\\\\"name\\\\\\\": \\\\\\\"J\\\\u00f6rg & S\\\\u00f6hne\\\\\\\",\\\\n  \\\\\\\"to\\\\\\\": \\\\\\\"a\\\\/b\\\\ud83d\\\\ude00\\\\\\\"\\\\n}",
                "{\\\\n  \\\\\\\"name\\\\\\\": \\\\\\\"Jörg & Söhne\\\\\\\",\\\\n  \\\\\\\"to\\\\\\\": \\\\\\\"a/b😀\\\\\\\"\\\\n}",
                "{\n  &quot;name&quot;: &quot;Jörg &amp; Söhne&quot;,\n  &quot;to&quot;: &quot;a&#x2f;b&#128512;&quot;\n}",
                "{\n  &#34;name&#34;: &#034;J&#246;rg &amp; S&#xF6;hne&#34;,\n  &#34;to&#34;: &#34;a/b😀&#34;\n}",
                "%7B%0A++%22name%22%3A+%22J%C3%B6rg+%26+S%c3%b6hne%22%2C%0A++%22to%22%3A+%22a%2Fb%F0%9F%98%80%22%0A%7D",
                "%7B%0A%20%20%22name%22:%20%22J%C3%B6rg%20&%20S%C3%B6hne%22,%0A%20%20%22to%22:%20%22a/b%F0%9F%98%80%22%0A%7D",
                "ewogICJuYW1lIjogIkrDtnJnICYgU8O2aG5lIiwKICAidG8iOiAiYS9i8J+YgCIKfQ"
            })
    void a_payload_is_masked_in_each_way_in_which_a_destination_writes_it(String quoted) {
        String payload = "{\n  \"name\": \"Jörg & Söhne\",\n  \"to\": \"a/b😀\"\n}";

        assertThat(ErrorText.masked(ErrorText.without(List.of(payload), "Cannot read <" + quoted + "> as Order")))
                .isEqualTo("Cannot read <•••> as Order");
    }

    /** Each could be a character of the payload, or escape the next one. */
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 7})
    void a_long_run_of_backslashes_is_masked_however_they_are_escaped(int factor) {
        String backslashes = "\\".repeat(300);
        String payload = "hello " + backslashes + " end " + "\\a&".repeat(300) + "%25".repeat(300);
        String quoted = "hello " + backslashes.repeat(factor) + " end " + "\\a&".repeat(300) + "%25".repeat(300);

        assertThat(ErrorText.masked(ErrorText.without(List.of(payload), "no " + quoted + "!")))
                .startsWith("no •••")
                .endsWith("•••!");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<p>1 &amp; 2%25 &amp;amp; C:\\new</p>",
                "&lt;p&gt;1 &amp;amp; 2%25 &amp;amp;amp; C:\\new&lt;/p&gt;",
                "%3Cp%3E1+%26amp%3B+2%2525+%26amp%3Bamp%3B+C%3A%5Cnew%3C%2Fp%3E",
                "<p>1 &amp; 2%25 &amp;amp; C:\\\\new<\\/p>"
            })
    void a_payload_with_escapes_of_its_own_is_masked_whole(String quoted) {
        String payload = "<p>1 &amp; 2%25 &amp;amp; C:\\new</p>";

        assertThat(ErrorText.masked(ErrorText.without(List.of(payload), "no " + quoted + "!")))
                .isEqualTo("no •••!");
    }

    @Test
    void a_short_value_is_masked_where_it_is_quoted_whole() {
        List<String> headers = List.of("application/json", "tok-Hans-Meier", "abc", "x".repeat(300));

        assertThat(ErrorText.withoutWhole(
                        headers, "abc: application/xml, no tok\\u002dHans-Meier, application/json; " + "x".repeat(120)))
                .isEqualTo("abc: application/xml, no •••, •••; •••");
    }

    @Test
    void a_short_payload_is_not_masked() {
        assertThat(ErrorText.masked(ErrorText.without(List.of("1", "{}"), "status 1 of {}")))
                .isEqualTo("status 1 of {}");
    }

    @Test
    void null_stays_null() {
        assertThat(ErrorText.without(List.of("{\"a\": \"payload\"}"), null)).isNull();
    }

    @Test
    void in_a_stack_trace_each_line_is_masked_and_the_frames_stay() {
        assertThat(
                        ErrorText.masked(
                                "java.lang.RuntimeException: to bob@example.com\n\tat a.B.c(B.java:1)\nCaused by:"
                                        + " java.net.URISyntaxException: Illegal character in query at index 9: http://x?a=Hello\nBob\n\tat d.E.f(E.java:2)"))
                .isEqualTo(
                        "java.lang.RuntimeException: to •••@example.com\n\tat a.B.c(B.java:1)\nCaused by:"
                                + " java.net.URISyntaxException: Illegal character in query at index 9: •••\n\tat d.E.f(E.java:2)");
    }

    @Test
    void a_long_text_is_cut_between_words_so_that_no_half_of_an_address_remains() {
        String payload = "x".repeat(20_000);

        assertThat(ErrorText.masked(ErrorText.without(List.of(payload), "no " + payload)))
                .isEqualTo("no •••");
        assertThat(ErrorText.masked("word ".repeat(1_990) + "for bob@example.com"))
                .endsWith("word for •••@example.com");
        assertThat(ErrorText.masked("word ".repeat(1_998) + "for bob@example.com"))
                .endsWith("word for");
        assertThat(ErrorText.masked("word ".repeat(1_998) + "+491701234567890")).endsWith("word");
        assertThat(ErrorText.masked(payload)).hasSize(10_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a.",
                "+1 ",
                "1",
                "://",
                "://a@",
                "?a",
                "?a=",
                "%40",
                "a@",
                "\"a",
                "Illegal character in a",
                "00",
                "+(",
                "{",
                "password: ",
                "cookie:a; ",
                "basic a",
                "basic ",
                "eyJ"
            })
    void every_text_is_masked_in_linear_time(String part) {
        String hostile = part.repeat(100_000);

        assertTimeoutPreemptively(
                Duration.ofSeconds(5),
                () -> ErrorText.masked(ErrorText.without(List.of(hostile + "x", part.repeat(5_000)), hostile)));
    }

    /** Camel's own lines and stack traces name endpoints with their options. */
    @Test
    void the_log_masks_options_of_endpoints_that_may_be_secrets() throws Exception {
        LoggerContext logging = new LoggerContext();
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(logging);
        configurator.doConfigure(ErrorTextTest.class.getResource("/logback.xml"));
        Logger logger = logging.getLogger(Logger.ROOT_LOGGER_NAME);
        var appender = (OutputStreamAppender<ILoggingEvent>) logger.getAppender("console");

        byte[] line = appender.getEncoder()
                .encode(new LoggingEvent(
                        "a",
                        logger,
                        Level.WARN,
                        "No shop://a?b=RAW(hid)den)&c=d",
                        new IllegalStateException("k://x?y=RAW(whsec\n)&u=RAW(v)"),
                        null));

        assertThat(new String(line, StandardCharsets.UTF_8))
                .contains("No shop://a?b=RAW(•••)&c=d", "k://x?y=RAW(•••)&u=RAW(•••)")
                .doesNotContain("hid", "den)", "whsec", "(v)");
    }

    @Test
    void a_credential_of_an_address_is_removed_as_it_is_sent_and_as_a_receiver_decodes_it() {
        List<String> credentials =
                ErrorText.credentials("https://h.example/orders?k=raven%2BQUERY%3D%3D&x=100%-of-orders");

        assertThat(ErrorText.without(credentials, "raven+QUERY== and raven%2BQUERY%3D%3D are wrong"))
                .isEqualTo("••• and ••• are wrong");
    }

    /** A route may compute an address of many parts, and each takes time. */
    @Test
    void the_credentials_of_an_address_are_limited() {
        String parts = IntStream.range(0, 900).mapToObj("/raven%07d"::formatted).collect(Collectors.joining());

        assertThat(ErrorText.credentials("https://h.example" + parts))
                .hasSize(100)
                .contains("raven0000000");
    }

    @Test
    void what_kafka_quotes_of_a_login_is_hidden() {
        assertThat(ErrorText.withoutSecrets("Invalid login module control flag 'Sk_Live-Abc123' in JAAS config"))
                .isEqualTo("Invalid login module control flag '•••' in JAAS config");
        assertThat(ErrorText.masked("Value not specified for key 'im-'Abc123' in JAAS config"))
                .isEqualTo("Value not specified for key '•••' in JAAS config");
        assertThat(ErrorText.withoutLogins("Value not specified for key 'password' in JAAS config"))
                .isEqualTo("Value not specified for key 'password' in JAAS config");
    }
}
