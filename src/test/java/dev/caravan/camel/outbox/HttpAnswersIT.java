package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.camel.builder.Builder.constant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.camel.guard.CutAnswer;
import dev.caravan.camel.outbox.TestOutbox.Waiting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.component.http.HttpComponent;
import org.apache.camel.component.jackson.JacksonDataFormat;
import org.apache.camel.model.language.JsonPathExpression;
import org.apache.camel.model.language.LanguageExpression;
import org.apache.camel.model.language.MethodCallExpression;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.camel.support.ExpressionAdapter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a receiver answers is input from outside: its length, its time, and whether it answers at all. */
class HttpAnswersIT {
    private final List<Object> bodies = new CopyOnWriteArrayList<>();
    private final List<String> read = new CopyOnWriteArrayList<>();
    private final TestOutbox outbox = TestOutbox.create();
    private TestRelay relay;
    private RawHttp receiver;

    @Test
    void after_the_first_megabyte_of_an_endless_answer_the_attempt_has_the_result_of_its_status() throws Exception {
        receiver = endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true);
        start(receiver.url() + "/hook?httpMethod=POST");
        long id = outbox.insert("a");

        outbox.awaitPassed("orders", id);
        assertThat(receiver.requests()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "http,     HTTP/1.1 200 OK, Content-Length: 3221225472,    delivered",
        "ignored,  HTTP/1.1 200 OK, Transfer-Encoding: chunked,    delivered",
        "http,     HTTP/1.1 500 No, Content-Length: 3221225472,    retried",
        "http,     HTTP/1.1 422 No, Transfer-Encoding: chunked,    dead",
        "sms,      HTTP/1.1 200 OK, Transfer-Encoding: chunked,    delivered",
        "sms,      HTTP/1.1 500 No, Transfer-Encoding: chunked,    retried",
        "webhook,  HTTP/1.1 200 OK, Content-Length: 3221225472,    delivered",
        "webhook,  HTTP/1.1 422 No, Transfer-Encoding: chunked,    dead",
        "http,     HTTP/1.1 200 OK, Endless-Name,                  delivered",
        "http,     HTTP/1.1 200 OK, Endless-Value: a,              delivered",
        "http,     HTTP/1.1 200 OK, Many: b,                       delivered"
    })
    @Tag("long")
    void no_step_reads_an_endless_answer(String step, String status, String header, String result) throws Exception {
        receiver = endless(
                status + "\r\n" + header
                        + (header.contains("-Encoding") || header.contains("-Length") ? "\r\n\r\n" : ""),
                header.contains("chunked"));
        String url = receiver.url() + "/hook";
        start(
                switch (step) {
                    case "sms" -> "sms:any?url=" + url + "&from=RAW(+15005550006)&to=RAW(+15005550001)&text=hello";
                    case "webhook" ->
                        "standard-webhook:any?allowPrivateAddresses=true&secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw&url="
                                + url;
                    case "ignored" -> url + "?httpMethod=POST&ignoreResponseBody=true";
                    default -> url + "?httpMethod=POST";
                });
        long id = outbox.insert("a");

        awaitResult(id, result);
    }

    /** Many gateways answer 200 to a message that they refuse, and say so in the body only. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "http,      200 OK,       {\"status\": \"failed\"},  retried",
                "http,      200 OK,       {\"status\": \"queued\"},  delivered",
                "http,      201 Created,  No such number,        dead",
                "http,      200 OK,       No such number,        delivered",
                "http,      404 No,       {\"status\": \"failed\"},  dead",
                "echo,      200 OK,       {\"status\": \"failed\"},  delivered",
                "http,      200 OK,       \u00ef\u00bb\u00bf{\"status\": \"failed\"}, retried",
                "alike,     200 OK,       {\"status\": \"failed\"},  retried",
                "packed,    200 OK,       {\"status\": \"failed\"},  retried",
                "endless,   200 OK,       {\"status\": \"failed\"},  retried",
                "ignored,   200 OK,       {\"status\": \"failed\"},  retried",
                "ignored,   200 OK,       {\"status\": \"queued\"},  delivered",
                "streamed,  200 OK,       {\"status\": \"failed\"},  retried",
                "streamed,  200 OK,       {\"status\": \"queued\"},  delivered",
                "read,      200 OK,       {\"status\": \"failed\"},  delivered",
                "sms,       200 OK,       {\"status\": \"failed\"},  retried",
                "sms,       201 Created,  No such number,        dead",
                "sms,       200 OK,       {\"status\": \"queued\"},  delivered",
                "webhook,   202 Accepted, {\"status\": \"failed\"},  retried",
                "webhook,   202 Accepted, {\"status\": \"queued\"},  delivered"
            })
    void an_answer_with_the_status_of_a_success_is_a_failure_if_a_setting_knows_its_text(
            String step, String status, String body, String result) throws Exception {
        String begin = "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nConnection: close\r\n";
        receiver = switch (step) {
            case "packed" ->
                RawHttp.start((request, out) -> out.text(begin + "Content-Encoding: gzip\r\n\r\n")
                        .bytes(gzip(body.getBytes(StandardCharsets.UTF_8))));
            case "endless" -> endless(begin + "\r\n" + body, false);
            default -> RawHttp.answering(begin + "\r\n" + body);
        };
        String url = receiver.url() + "/hook";
        String to =
                switch (step) {
                    case "sms" -> "sms:any?url=" + url + "&from=RAW(+15005550006)&to=RAW(+15005550001)&text=hello";
                    case "webhook" ->
                        "standard-webhook:any?allowPrivateAddresses=true&secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw&url="
                                + url;
                    case "ignored" -> url + "?httpMethod=POST&ignoreResponseBody=true";
                    case "streamed" -> url + "?httpMethod=POST&disableStreamCache=true";
                    case "read" -> url + "?httpMethod=POST&throwExceptionOnFailure=false";
                    default -> url + "?httpMethod=POST";
                };
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            Properties answers = new Properties();
            answers.setProperty("caravan.answers.failed", "message 2xx ^\\{\"status\": ?\"failed\"");
            answers.setProperty("caravan.answers.number", "poison 201 ^no such number");
            routes.getContext().getPropertiesComponent().setInitialProperties(answers);
            routes.from("outbox:orders")
                    .to(to)
                    .process(exchange ->
                            read.add(String.valueOf(exchange.getMessage().getBody(String.class))));
        });
        long id = outbox.insert(
                "a",
                "order.created",
                step.equals("echo") ? body : step.equals("alike") ? "{\"status\": \"paid\"}" : "{}");

        awaitResult(id, result);
        assertThat(read).hasSize(result.equals("delivered") ? 1 : 0);
        if (result.equals("delivered")) {
            assertThat(read)
                    .containsExactly(
                            List.of("http", "echo", "streamed", "read").contains(step)
                                    ? body
                                    : step.equals("ignored") ? "null" : "{}");
        }
    }

    /** Each message in flight holds the head of its answer: with 13 MB each, a few fill the memory. */
    @ParameterizedTest
    @CsvSource({
        "200 OK,            Long,  delivered",
        "204 No Content,    Many,  delivered",
        "200 OK,            Wrong, delivered",
        "422 No,            Long,  dead",
        "400 No,            Many,  dead",
        "103 Early Hints,   Other, retried"
    })
    void a_head_that_is_not_read_further_does_not_change_the_result_of_the_status(
            String status, String head, String result) throws Exception {
        receiver = answeringWithHead(status, head);
        start(receiver.url() + "/hook?httpMethod=POST");
        long id = outbox.insert("a");

        awaitResult(id, result);
        assertThat(outbox.waiting("orders")).hasSize(result.equals("retried") ? 1 : 0);
    }

    @Test
    void a_step_that_reads_an_answer_whose_head_is_not_read_further_fails_and_says_why() throws Exception {
        receiver = answeringWithHead("200 OK", "Many");
        start(
                receiver.url() + "/hook?httpMethod=POST",
                exchange -> read.add(exchange.getMessage().getBody(String.class)));
        outbox.insert("a");

        eventually(() -> assertThat(outbox.text("select error_text from outbox_retry"))
                .contains("its head cannot be read: Maximum header count exceeded"));
        assertThat(read).isEmpty();
    }

    private static RawHttp answeringWithHead(String status, String head) throws IOException {
        String lines =
                switch (head) {
                    case "Long" -> "X-Long: " + "a".repeat(17_000) + "\r\n";
                    case "Many" -> "X-Many: a\r\n".repeat(150);
                    case "Other" -> "X-Long: " + "a".repeat(17_000) + "\r\nHTTP/1.1 200 OK\r\n";
                    default -> "no header\r\n";
                };
        return RawHttp.answering(
                "HTTP/1.1 " + status + "\r\n" + lines + "Content-Length: 2\r\nConnection: close\r\n\r\nok");
    }

    private void awaitResult(long id, String result) throws Exception {
        eventually(Duration.ofSeconds(30), () -> {
            switch (result) {
                case "delivered" -> assertThat(outbox.passed("orders", id)).isTrue();
                case "dead" -> assertThat(outbox.dead("orders")).containsExactly(id);
                default -> assertThat(attempts()).isGreaterThan(0);
            }
        });
    }

    @Test
    void an_answer_that_unpacks_to_much_more_is_not_unpacked_further() throws Exception {
        byte[] packed = gzip(new byte[64 * 1024 * 1024]);
        receiver = RawHttp.start((request, out) -> out.text(
                        RawHttp.OK + "Content-Encoding: gzip\r\nContent-Length: " + packed.length + "\r\n\r\n")
                .bytes(packed));
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .enrich(receiver.url() + "/hook", (message, answer) -> {
                    bodies.add(answer.getMessage().getBody());
                    return message;
                }));
        long id = outbox.insert("a");

        outbox.awaitPassed("orders", id);
        assertThat(bodies).as("nothing of it is kept").singleElement().isInstanceOf(CutAnswer.class);
    }

    /** Three times, 43 kilobytes took half a minute, in which nothing was left that could be read. */
    @Test
    void an_answer_that_is_packed_more_than_once_is_not_unpacked() throws Exception {
        byte[] packed = gzip(gzip("ok".getBytes(StandardCharsets.US_ASCII)));
        receiver = RawHttp.start((request, out) -> out.text(
                        RawHttp.OK + "Content-Encoding: gzip, gzip\r\nContent-Length: " + packed.length + "\r\n\r\n")
                .bytes(packed));
        start(
                receiver.url() + "/hook",
                exchange -> read.add(exchange.getMessage().getBody(String.class)));
        outbox.insert("a");

        eventually(() ->
                assertThat(outbox.text("select error_text from outbox_retry")).contains("packed more than once"));
        assertThat(read).isEmpty();
    }

    /** Java follows them with a call in a call. */
    @Test
    void an_answer_of_thousands_of_empty_packed_parts_has_the_result_of_its_status() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        for (int i = 0; i < 1_000; i++) {
            packed.writeBytes(gzip(new byte[0]));
        }
        receiver = RawHttp.start((request, out) -> {
            out.text(RawHttp.OK + "Content-Encoding: gzip\r\n\r\n");
            while (true) {
                out.bytes(packed.toByteArray());
            }
        });
        start(receiver.url() + "/hook");

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(receiver.requests()).hasSize(1);
    }

    @Test
    void an_answer_that_is_packed_many_times_has_the_result_of_its_status() throws Exception {
        receiver = RawHttp.answering(
                RawHttp.OK + "Content-Encoding: gzip" + ",gzip".repeat(3_000) + "\r\nContent-Length: 2\r\n\r\nok");
        start(receiver.url() + "/hook");

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    @Test
    void a_step_reads_an_empty_answer_that_is_called_packed() throws Exception {
        receiver = RawHttp.answering(
                RawHttp.OK + "Content-Encoding: gzip\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        start(
                receiver.url() + "/hook",
                exchange -> read.add(exchange.getMessage().getBody(String.class)));

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(read).containsExactly("");
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    /** Java takes a part for the last one if nothing of the next has arrived. */
    @ParameterizedTest
    @CsvSource({
        "Transfer-Encoding: chunked, 0,   whole, false",
        "Transfer-Encoding: chunked, 300, whole, false",
        "Content-Length: %d,         300, whole, false",
        "Connection: close,          0,   whole, false",
        "Transfer-Encoding: chunked, 300, whole, true",
        "Content-Length: %d,         300, cut,   false",
        "Content-Length: %d,         0,   cut,   true",
        "Transfer-Encoding: chunked, 0,   cut,   false"
    })
    void a_packed_answer_of_several_parts_is_read_to_its_end(String head, int pause, String kind, boolean isStreamed)
            throws Exception {
        byte[][] parts = {gzip("{\"one\": 1,".getBytes(UTF_8)), gzip(new byte[0]), gzip("\"two\": 2}".getBytes(UTF_8))};
        int length = Stream.of(parts).mapToInt(part -> part.length).sum();
        boolean isChunked = head.contains("chunked");
        receiver = RawHttp.start((request, out) -> {
            out.text(RawHttp.OK + "Content-Encoding: gzip\r\n" + String.format(head, length) + "\r\n\r\n");
            for (byte[] part : kind.equals("cut") ? Arrays.copyOf(parts, 1) : parts) {
                out.text(isChunked ? Integer.toHexString(part.length) + "\r\n" : "")
                        .bytes(part)
                        .text(isChunked ? "\r\n" : "");
                Thread.sleep(pause);
            }
            out.text(isChunked && kind.equals("whole") ? "0\r\n\r\n" : "");
        });
        start(
                receiver.url() + "/hook?disableStreamCache=" + isStreamed,
                exchange -> read.add(exchange.getMessage().getBody(String.class)));
        long id = outbox.insert("a");

        awaitResult(id, kind.equals("whole") ? "delivered" : "retried");
        assertThat(read).isEqualTo(kind.equals("whole") ? List.of("{\"one\": 1,\"two\": 2}") : List.of());
        if (kind.equals("cut")) {
            assertThat(outbox.text("select error_text from outbox_retry")).contains("the answer is not complete: ");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'gzip,',           packed",
        "'gzip, identity',  packed",
        "'X-GZIP',          packed",
        "gzip|gzip,         refused",
        "br|gzip,           refused",
        "identity|gzip,     packed",
        "gzip,              empty"
    })
    void all_lines_of_a_coding_count(String lines, String kind) throws Exception {
        byte[] packed = kind.equals("empty") ? new byte[0] : gzip("ok".getBytes(UTF_8));
        receiver = RawHttp.start((request, out) -> out.text(RawHttp.OK + "Connection: close\r\nContent-Encoding: "
                        + lines.replace("|", "\r\nContent-Encoding: ") + "\r\n\r\n")
                .bytes(packed));
        start(
                receiver.url() + "/hook",
                exchange -> read.add(exchange.getMessage().getBody(String.class)));
        long id = outbox.insert("a");

        awaitResult(id, kind.equals("refused") ? "retried" : "delivered");
        assertThat(read).isEqualTo(kind.equals("refused") ? List.of() : List.of(kind.equals("empty") ? "" : "ok"));
    }

    @Test
    void an_answer_of_many_empty_packed_parts_before_its_content_is_read() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        for (int i = 0; i < 45_000; i++) {
            packed.writeBytes(gzip(new byte[0]));
        }
        packed.writeBytes(gzip("ok".getBytes(UTF_8)));
        receiver = RawHttp.start((request, out) ->
                out.text(RawHttp.OK + "Content-Encoding: gzip\r\n\r\n").bytes(packed.toByteArray()));
        start(
                receiver.url() + "/hook",
                exchange -> read.add(exchange.getMessage().getBody(String.class)));

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(read).containsExactly("ok");
    }

    @Test
    void a_streamed_answer_that_is_cut_off_says_so() throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + "Content-Length: 100\r\n\r\nok");
        start(
                receiver.url() + "/hook?disableStreamCache=true",
                exchange -> read.add(exchange.getMessage().getBody(String.class)));
        outbox.insert("a");

        eventually(() -> assertThat(outbox.text("select error_text from outbox_retry"))
                .contains("the answer is not complete: "));
    }

    @Test
    void a_status_that_is_none_is_no_answer() throws Exception {
        receiver = RawHttp.answering("HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n");
        try (WrittenLog log = WrittenLog.of(AttemptLog.class)) {
            start(receiver.url() + "/hook");
            outbox.insert("a");

            eventually(() -> assertThat(log.lines())
                    .anyMatch(line -> line.contains("the status of the answer is not valid")
                            && line.contains("The receiver may have accepted the message")));
        }
    }

    @Test
    void of_two_content_types_the_first_is_that_of_the_answer() throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + "Content-Type: application/json\r\nContent-Type: text/plain\r\n"
                + "Content-Length: 2\r\nConnection: close\r\n\r\n{}");
        relay = TestRelay.startAsShipped(
                outbox.pool(),
                routes -> routes.from("outbox:orders").to(receiver.url() + "/a").to(receiver.url() + "/b"));

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(receiver.requests().get(1).header("Content-Type")).contains("application/json");
    }

    /** Camel takes a name in single quotes, and an unknown one is UTF-8. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '#',
            value = {
                "charset='windows-1252', windows-1252",
                "charset='windows-1252'; x=1, windows-1252",
                "charset=, utf-8",
                "charset=\"\", utf-8",
                "charset= ; x=1, utf-8",
                "charset='', utf-8",
            })
    void a_character_set_is_the_one_that_an_answer_means(String parameter, String charset) throws Exception {
        receiver = RawHttp.start((request, out) -> out.text(
                        RawHttp.OK + "Content-Type: text/plain; " + parameter + "\r\nConnection: close\r\n\r\n")
                .bytes("Zo\u00eb \u20ac".getBytes(Charset.forName(charset))));
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .to(receiver.url() + "/first")
                .convertBodyTo(String.class)
                .to(receiver.url() + "/next"));

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(receiver.requests().get(1).text()).isEqualTo("Zo\u00eb \u20ac");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"to", "toD", "toV", "variable", "enrich", "enrichV", "strategy", "first", "back", "poll", "file"
            })
    void an_answer_without_a_content_type_is_not_read_in_the_character_set_of_an_earlier_one(
            String kind, @TempDir Path folder) throws Exception {
        receiver = RawHttp.start((request, out) -> {
            boolean isFirst = request.line().contains("/first");
            out.text(RawHttp.OK + (isFirst ? "Content-Type: text/plain; charset=windows-1252\r\n" : "")
                            + "Connection: close\r\n\r\n")
                    .bytes("Zo\u00eb \u20ac".getBytes(isFirst ? Charset.forName("windows-1252") : UTF_8));
        });
        Files.writeString(folder.resolve("a"), "Zo\u00eb \u20ac");
        String next = receiver.url() + "/next";
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            var route = routes.from("outbox:orders")
                    .setVariable("own", routes.body())
                    .to(receiver.url() + "/first");
            switch (kind) {
                case "toD" -> route.toD(receiver.url() + "/${header.type}");
                case "toV" -> route.toV(next, null, "answer").setBody(routes.simple("${variable.answer}"));
                case "variable" ->
                    route.to(next).setVariable("answer", routes.body()).setBody(routes.variable("answer"));
                case "enrich" -> route.enrich(next);
                case "enrichV" ->
                    route.enrich().constant(next).variableReceive("answer").setBody(routes.variable("answer"));
                case "strategy" ->
                    route.enrich(next, (old, answer) -> {
                        old.getMessage().setBody(answer.getMessage().getBody(String.class));
                        return old;
                    });
                case "first" -> route.toV(next, null, "answer"); // the body is still that of the first
                case "back" -> route.setBody(routes.variable("own"));
                case "poll" -> route.pollEnrich(next);
                case "file" -> route.pollEnrich("file:" + folder + "?fileName=a&noop=true");
                default -> route.to(next);
            }
            route.setBody(routes.simple("N=${body}"))
                    .process(exchange -> read.add(exchange.getMessage().getBody(String.class)));
        });

        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload_bytes)"
                + " values ('order', 'a', 'order.created', convert_to('Zo\u00eb \u20ac', 'UTF8'))");
        outbox.awaitPassed("orders", 1);
        assertThat(read).containsExactly("N=Zo\u00eb \u20ac");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x?y#z", "x#", "../../a/x"})
    void a_circle_of_redirects_ends_at_once(String location) throws Exception {
        AtomicInteger count = new AtomicInteger();
        receiver = RawHttp.start((request, out) -> out.text("HTTP/1.1 307 There\r\nLocation: " + location
                + (location.endsWith("#") ? count.incrementAndGet() : "")
                + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
        start(receiver.url() + "/a/hook?followRedirects=true");
        outbox.insert("a");

        eventually(() -> assertThat(attempts()).isPositive());
        assertThat(receiver.requests()).hasSizeLessThan(4);
    }

    @ParameterizedTest
    @CsvSource({"mygzip, false, ok", "mygzip, true, ok", "gzip, true, ''"})
    void a_coding_that_camel_cannot_unpack_does_not_change_the_result_of_the_status(
            String coding, boolean isIgnored, String body) throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + "Content-Encoding: " + coding + "\r\nContent-Length: " + body.length()
                + "\r\nConnection: close\r\n\r\n" + body);
        start(
                receiver.url() + "/hook?ignoreResponseBody=" + isIgnored,
                exchange -> read.add(exchange.getMessage().getBody(String.class) + ""));

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(read).containsExactly(isIgnored ? "null" : body);
    }

    @Test
    void a_step_that_reads_a_longer_answer_fails_and_says_why() throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + "Content-Length: 2000000\r\n\r\n" + "a".repeat(2_000_000));
        start(
                receiver.url() + "/hook?httpMethod=POST",
                exchange -> read.add(exchange.getMessage().getBody(String.class)));
        outbox.insert("a");

        eventually(() -> assertThat(outbox.text("select error_text from outbox_retry"))
                .contains("longer than 1048576 bytes (maxAnswerBytes)"));
        assertThat(read).isEmpty();
    }

    /** A receiver that recognizes repeats would store the empty or cut body, and ignore the repetition. */
    @ParameterizedTest
    @CsvSource({
        "to,            cut",
        "to,            long",
        "to,            packed",
        "toD,           cut",
        "recipientList, cut",
        "multicast,     cut",
        "direct,        cut",
        "variable,      cut",
        "file,          cut"
    })
    void a_step_that_would_send_an_answer_that_cannot_be_read_sends_nothing(
            String kind, String answer, @TempDir Path folder) throws Exception {
        receiver = RawHttp.start(
                (request, out) -> out.text(request.line().contains("/first") ? unreadable(answer) : RawHttp.EMPTY));
        String next = receiver.url() + "/next";
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.from("direct:next").to(next);
            var route = routes.from("outbox:orders");
            if (kind.equals("variable")) {
                route.toV(receiver.url() + "/first", null, "answer").toV(next, "answer", null);
                return;
            }
            route.to(receiver.url() + "/first?httpMethod=POST");
            switch (kind) {
                case "toD" -> route.toD(receiver.url() + "/${header.type}");
                case "recipientList" -> route.recipientList(constant(next));
                case "multicast" -> route.multicast().to(next, "log:a").end();
                case "direct" -> route.to("direct:next");
                case "file" -> route.to("file:" + folder + "?fileName=a");
                default -> route.to(next + "?httpMethod=POST");
            }
        });
        outbox.insert("a");

        eventually(() -> assertThat(attempts()).isPositive());
        assertThat(outbox.text("select error_text from outbox_retry")).contains(reason(answer));
        assertThat(receiver.requests()).isNotEmpty().allMatch(request -> request.line()
                .contains("/first"));
        assertThat(folder).isEmptyDirectory();
    }

    private static String unreadable(String kind) {
        return switch (kind) {
            case "long" -> RawHttp.OK + "Content-Length: 2000000\r\n\r\n" + "a".repeat(2_000_000);
            case "packed" -> RawHttp.OK + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok";
            default -> RawHttp.OK + "Content-Length: 1000\r\n\r\n{\"score\": 5}";
        };
    }

    private static String reason(String kind) {
        return kind.equals("long") ? "maxAnswerBytes" : "the answer is not complete";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "${body} contains 'score'",
                "${body} !contains 'score'",
                "${body} == 'a'",
                "${header.a} == 'a' && ${in.body} != 'a'",
                "'a' == ${body}",
                "${body} is 'String'",
                "${exchange.in.body} in 'a,b'",
                "${length()} > 0",
                "${contains('failed')}",
                "${size()} == 1",
                "${header.type} ~> ${safeQuote()} == 'a'",
                "${variable.answer} contains 'score'",
                "${variable.route:answer} contains 'score'"
            })
    void a_condition_about_an_answer_that_cannot_be_read_fails(String condition) throws Exception {
        receiver = RawHttp.answering(unreadable("cut"));
        String url = receiver.url() + "/first";
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            var route = routes.from("outbox:orders");
            String variable = condition.contains("route:") ? "route:answer" : "answer";
            (condition.contains("variable") ? route.toV(url, null, variable) : route.enrich(url))
                    .choice()
                    .when(routes.simple(condition))
                    .process(exchange -> read.add("yes"))
                    .otherwise()
                    .process(exchange -> read.add("no"));
        });
        outbox.insert("a");

        eventually(() -> assertThat(attempts() + read.size()).isPositive());
        assertThat(read).isEmpty();
        assertThat(outbox.text("select error_text from outbox_retry")).contains("the answer is not complete");
    }

    /** What such a step makes of it would be sent as if it were the answer. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "function",
                "header",
                "address",
                "bean",
                "method",
                "bean of simple",
                "processor",
                "suppressed",
                "while",
                "router",
                "json",
                "sql",
                "variable in java",
                "template with a default",
                "list"
            })
    void a_step_that_may_read_an_answer_that_cannot_be_read_fails(String kind) throws Exception {
        receiver = RawHttp.start(
                (request, out) -> out.text(request.line().contains("/first") ? unreadable("cut") : RawHttp.EMPTY));
        String first = receiver.url() + "/first";
        String next = receiver.url() + "/next";
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.bindToRegistry("appDataSource", outbox.pool());
            JsonPathExpression path = new JsonPathExpression("$.score");
            path.setSuppressExceptions("true");
            var from = routes.from("outbox:orders");
            (switch (kind) {
                        case "function" -> from.to(first).setBody(routes.simple("${length()}"));
                        case "header" ->
                            from.to(first)
                                    .setHeader("a", routes.simple("${uppercase()}"))
                                    .setBody(routes.constant("a"));
                        case "address" -> from.to(first).toD(next + "?a=${length()}");
                        case "bean" -> from.to(first).bean(Objects.class, "toString(${body})");
                        case "method" ->
                            from.to(first).setBody(new MethodCallExpression(Objects.class, "toString(${body})"));
                        case "bean of simple" ->
                            from.to(first)
                                    .setBody(routes.simple("${bean:type:java.util.Objects?method=toString(${body})}"));
                        case "processor" ->
                            from.to(first)
                                    .process(exchange -> exchange.getMessage().setBody("a"));
                        case "suppressed" ->
                            from.to(first).filter(path).stop().end().setBody(routes.constant("a"));
                        case "while" ->
                            from.setBody(routes.constant("score"))
                                    .loopDoWhile(routes.simple("${length()} > 3"))
                                    .to(first)
                                    .end()
                                    .setBody(routes.constant("a"));
                        case "router" ->
                            from.dynamicRouter(new ExpressionAdapter() {
                                        @Override
                                        public Object evaluate(Exchange exchange) {
                                            return exchange.getProperty(Exchange.SLIP_ENDPOINT) == null ? first : null;
                                        }
                                    })
                                    .setBody(routes.constant("a"));
                        case "json" -> from.to(first).marshal(new JacksonDataFormat());
                        case "sql" -> from.to(first).to("sql:select :#${body}::text?dataSource=#appDataSource");
                        case "variable in java" ->
                            from.toV(first, null, "answer").process(exchange -> exchange.getMessage()
                                    .setBody(String.valueOf(exchange.getVariable("answer"))));
                        case "template with a default" ->
                            from.toV(first, null, "answer")
                                    .setBody(new LanguageExpression("text-template", "${variable.answer:none}"));
                        default ->
                            from.recipientList(routes.constant(first))
                                    .aggregationStrategy(new GroupedBodyAggregationStrategy())
                                    .end();
                    })
                    .to(next);
        });
        outbox.insert("a");

        eventually(() -> assertThat(attempts() + outbox.dead("orders").size()).isPositive());
        assertThat(outbox.dead("orders")).isEmpty();
        assertThat(outbox.text("select error_text from outbox_retry"))
                .containsAnyOf("the answer is not complete", "cannot use the answer")
                .doesNotContain("CutAnswer");
        assertThat(receiver.requests()).allMatch(request -> request.line().contains("/first"));
    }

    @Test
    void a_variable_gets_an_answer_that_camel_does_not_cache() throws Exception {
        receiver = RawHttp.answering(
                RawHttp.OK + "Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .toV(receiver.url() + "/first?disableStreamCache=true", null, "answer")
                .setBody(routes.simple("a ${variable.answer}"))
                .process(exchange -> read.add(exchange.getMessage().getBody(String.class))));

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(read).containsExactly("a {}");
    }

    @Test
    void steps_that_do_not_read_an_answer_that_cannot_be_read_go_on() throws Exception {
        receiver = RawHttp.answering(unreadable("cut"));
        String url = receiver.url() + "/first";
        JsonPathExpression source = new JsonPathExpression("$.n");
        source.setSource("variable:body");
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .setVariable("body", routes.body())
                .to(url)
                .toV(url + "?httpMethod=GET", null, "answer")
                .filter(routes.simple("${header.type} == 'order.created' && ${variable.body} contains 'n'"))
                .setHeader("text", routes.constant("the body ${body}"))
                .setProperty(
                        "time",
                        routes.simple("${date:now:yyyy} ${exchangeId} ${variable.body} ${header.type.length()}"))
                .filter(routes.header("type").isEqualTo("order.created"))
                .setHeader("score", source)
                .choice()
                .when(routes.simple("${exchangeProperty.time} == null || ${header.none} == 'a'"))
                .stop()
                .end()
                .log("the answer")
                .to("log:a?showBody=false")
                .setBody(routes.variable("body"))
                .process(exchange -> read.add(exchange.getMessage().getBody(String.class))));

        outbox.awaitPassed("orders", outbox.insert("a", "order.created", "{\"n\": 1}"));
        assertThat(read).containsExactly("{\"n\": 1}");
    }

    @Test
    void a_step_that_reads_an_answer_of_a_megabyte_gets_it_whole() throws Exception {
        receiver = RawHttp.answering(RawHttp.OK + "Content-Length: 1048576\r\n\r\n" + "a".repeat(1024 * 1024));
        start(
                receiver.url() + "/hook?httpMethod=POST",
                exchange -> read.add(exchange.getMessage().getBody(String.class)));
        long id = outbox.insert("a");

        outbox.awaitPassed("orders", id);
        assertThat(read).containsExactly("a".repeat(1024 * 1024));
    }

    @Test
    void an_answer_of_a_byte_now_and_then_ends_at_the_response_timeout_with_the_result_of_its_status()
            throws Exception {
        receiver = dripping(RawHttp.OK + "Content-Length: 1000000\r\n\r\n");
        start(receiver.url() + "/hook?httpMethod=POST&responseTimeout=500");
        long id = outbox.insert("a");

        outbox.awaitPassed("orders", id);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void options_in_a_constant_address_of_enrich_apply_and_are_not_sent(boolean isFast) throws Exception {
        receiver = RawHttp.start((request, out) -> {
            Thread.sleep(isFast ? 0 : 60_000);
            out.text(RawHttp.EMPTY);
        });
        try (WrittenLog log = WrittenLog.of(AttemptLog.class)) {
            relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                    .enrich()
                    .constant(receiver.url()
                            + "/e?a=1&responseTimeout=500&connectTimeout=3000&httpMethod=PUT&authMethod=Basic"
                            + "&authUsername=shop&authPassword=RAW(to?psecret)&authenticationPreemptive=true&b=2"));
            long id = outbox.insert("a");

            if (isFast) {
                outbox.awaitPassed("orders", id);
                assertThat(outbox.waiting("orders")).isEmpty();
            } else {
                eventually(() -> assertThat(log.lines()).anyMatch(line -> line.contains("not complete within 500 ms")));
            }
        }
        RawHttp.Request request = receiver.requests().get(0);
        assertThat(request.line()).isEqualTo("PUT /e?a=1&b=2 HTTP/1.1");
        assertThat(request.header("Authorization")).contains("Basic c2hvcDp0bz9wc2VjcmV0");
    }

    @Test
    void a_head_of_a_byte_now_and_then_is_no_answer_and_an_attempt() throws Exception {
        receiver = dripping("HTTP/1.1 200 OK\r\nSlow: ");
        try (WrittenLog log = WrittenLog.of(AttemptLog.class)) {
            start(receiver.url() + "/hook?httpMethod=POST&responseTimeout=500");
            outbox.insert("a");

            eventually(() -> assertThat(attempts()).isGreaterThan(0));
            assertThat(log.lines())
                    .anyMatch(line -> line.contains("not complete within 500 ms")
                            && line.contains("The receiver may have accepted the message"));
        }
    }

    @Test
    void a_receiver_that_stops_reading_ends_the_attempt() throws Exception {
        receiver = RawHttp.withoutReadingBodies((request, out) -> Thread.sleep(60_000));
        start(receiver.url() + "/hook?httpMethod=POST", 1_000, exchange -> {});
        outbox.insert("a", "order.created", "\"" + "a".repeat(16_000_000) + "\"");

        eventually(() -> assertThat(attempts()).isGreaterThan(0));
    }

    @Test
    void a_missing_answer_to_a_complete_request_is_an_attempt() throws Exception {
        receiver = RawHttp.start((request, out) -> Thread.sleep(60_000));
        try (WrittenLog log = WrittenLog.of(AttemptLog.class)) {
            start(receiver.url() + "/hook?httpMethod=POST&responseTimeout=300");
            outbox.insert("a");

            eventually(() -> assertThat(attempts()).isGreaterThan(0));
            assertThat(log.lines()).anyMatch(line -> line.contains("The receiver may have accepted the message"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HTT", "SSH-2.0-any\r\n\r\n"})
    void a_connection_that_ends_without_an_answer_is_an_attempt(String begin) throws Exception {
        receiver = RawHttp.answering(begin);
        start(receiver.url() + "/hook?httpMethod=POST");
        outbox.insert("a");

        eventually(() -> assertThat(attempts()).isGreaterThan(0));
    }

    @Test
    void a_receiver_that_resets_the_connection_while_the_body_is_sent_gets_a_counted_attempt() throws Exception {
        receiver = RawHttp.withoutReadingBodies((request, out) -> out.socket().setSoLinger(true, 0));
        start(receiver.url() + "/hook?httpMethod=POST");
        outbox.insert("a", "order.created", "\"" + "a".repeat(8_000_000) + "\"");

        eventually(() -> assertThat(attempts()).isGreaterThan(0));
    }

    @Test
    void a_receiver_that_answers_413_and_resets_makes_the_message_dead() throws Exception {
        receiver = RawHttp.withoutReadingBodies(
                (request, out) -> out.text("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
        start(receiver.url() + "/hook?httpMethod=POST");
        long id = outbox.insert("a", "order.created", "\"" + "a".repeat(8_000_000) + "\"");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(receiver.requests()).hasSize(1);
    }

    /** In an application, whose HTTP client repeats requests. */
    @Test
    void a_wait_that_an_answer_demands_occupies_no_thread() throws Exception {
        receiver = RawHttp.answering(
                "HTTP/1.1 503 Busy\r\nRetry-After: 100000\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        try (WrittenLog log = WrittenLog.of(AttemptLog.class)) {
            relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
                routes.getContext().getComponent("http", HttpComponent.class).setAutomaticRetriesDisabled(false);
                routes.from("outbox:orders").to(receiver.url() + "/hook?responseTimeout=15000");
            });
            outbox.insert("a");

            eventually(() -> assertThat(log.lines()).anyMatch(line -> line.contains("is unavailable")));
            assertThat(receiver.requests()).hasSize(1);
        }
    }

    @Test
    void an_acceptance_of_a_part_of_the_message_is_no_answer() throws Exception {
        receiver = RawHttp.withoutReadingBodies((request, out) -> out.text(RawHttp.EMPTY));
        start(receiver.url() + "/hook?httpMethod=POST");
        outbox.insert("a", "order.created", "\"" + "a".repeat(8_000_000) + "\"");

        eventually(() -> assertThat(attempts()).isGreaterThan(0));
    }

    /** The operating system has the rest of the message. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "HTTP/1.1 200 OK   | Connection: close%nContent-Length: 2  | ok",
                "HTTP/1.0 200 OK   | Content-Length: 2                     | ok",
                "HTTP/1.1 200 OK   | Server: a                             | ok",
                "HTTP/1.1 204 None | Connection: close                     | ''",
                "HTTP/1.1 200 OK   | Content-Length: 1500000               | long",
                "HTTP/1.1 200 OK   | Content-Encoding: gzip, gzip          | ok",
                "HTTP/1.1 200 OK   | no header                             | ok"
            })
    void a_receiver_that_accepts_a_message_early_gets_the_rest_of_it(String status, String head, String body)
            throws Exception {
        CompletableFuture<Integer> got = new CompletableFuture<>();
        receiver = RawHttp.withoutReadingBodies((request, out) -> {
            out.text(status + "\r\n" + head.replace("%n", "\r\n") + "\r\n\r\n"
                    + (body.equals("long") ? "a".repeat(1_500_000) : body));
            if (!head.contains("close") && !head.contains("Length")) {
                out.socket().shutdownOutput();
            }
            Thread.sleep(500);
            int length = 0;
            try {
                InputStream in = out.socket().getInputStream();
                byte[] bytes = new byte[100_000];
                for (int more = in.read(bytes); more >= 0; more = in.read(bytes)) {
                    length += more;
                    Thread.sleep(10);
                }
            } finally {
                got.complete(length);
            }
        });
        start(receiver.url() + "/hook");

        outbox.awaitPassed("orders", outbox.insert("a", "order.created", "\"" + "a".repeat(2_500_000) + "\""));
        assertThat(got.get(20, TimeUnit.SECONDS)).isGreaterThan(2_490_000);
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    @Test
    void a_receiver_that_accepts_a_message_and_does_not_end_the_connection_delays_it_for_seconds_only()
            throws Exception {
        receiver = RawHttp.start((request, out) -> {
            out.text("HTTP/1.1 204 None\r\nConnection: close\r\n\r\n");
            Thread.sleep(60_000);
        });
        start(receiver.url() + "/hook");

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    /** Otherwise 204 would lose the message, which the receiver has never got, and 404 would make it dead. */
    @ParameterizedTest
    @ValueSource(
            strings = {"HTTP/1.1 204 No Content", "HTTP/1.1 404 No such host", "HTTP/1.1 502 Bad Gateway", "any", ""})
    void what_a_proxy_answers_instead_of_a_connection_to_the_receiver_is_no_answer_and_no_attempt(String answer)
            throws Exception {
        receiver = RawHttp.answering(answer.isEmpty() ? "" : answer + "\r\nConnection: close\r\n\r\n");
        String port = receiver.url().replaceFirst(".*:", "");
        try (WrittenLog log = WrittenLog.of(AttemptLog.class)) {
            start("https://partner.example/hook?proxyAuthScheme=http&proxyHost=localhost&proxyPort=" + port);
            long id = outbox.insert("a");

            eventually(() -> assertThat(log.lines()).anyMatch(line -> line.contains("is unavailable")));
            assertThat(outbox.passed("orders", id)).isFalse();
        }
    }

    /** With stale=true the client does not end by itself. The login of the receiver is none of the proxy. */
    @ParameterizedTest
    @CsvSource({
        "'Digest realm=a, nonce=n, qop=auth, stale=true', proxyAuthUsername=proxy&proxyAuthPassword=p, true",
        "Basic realm=a, authMethod=Basic&authUsername=shop&authPassword=topsecret, false"
    })
    void a_proxy_that_demands_a_login_gets_its_own_in_a_few_requests(String demand, String login, boolean isItsOwn)
            throws Exception {
        receiver = RawHttp.answering("HTTP/1.1 407 No\r\nProxy-Authenticate: " + demand
                + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        String port = receiver.url().replaceFirst(".*:", "");
        start(
                "https://partner.example/hook?proxyAuthScheme=http&proxyHost=localhost&proxyPort=" + port + "&" + login,
                5_000,
                exchange -> {});
        outbox.insert("a");

        eventually(() -> assertThat(outbox.text("select destination_error from outbox_subscription"))
                .isNotNull());
        assertThat(receiver.requests()).hasSizeLessThan(30);
        assertThat(receiver.requests().stream().anyMatch(request -> request.header("Proxy-Authorization")
                        .isPresent()))
                .isEqualTo(isItsOwn);
    }

    @ParameterizedTest
    @ValueSource(strings = {"partner.example", "Partner.example:80", "partner.example:8080"})
    void a_receiver_behind_a_proxy_gets_its_login_and_the_proxy_the_same_if_both_have_it(String host) throws Exception {
        receiver = RawHttp.start((request, out) -> out.text(
                request.header("Proxy-Authorization").isEmpty()
                        ? "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                        : request.header("Authorization").isEmpty()
                                ? "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                                : RawHttp.EMPTY));
        String port = receiver.url().replaceFirst(".*:", "");
        start(
                "http://" + host + "/hook?proxyAuthScheme=http&proxyHost=localhost&proxyPort=" + port
                        + "&proxyAuthUsername=shop&proxyAuthPassword=topsecret&authMethod=Basic&authUsername=shop&authPassword=topsecret");

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://localhost:1", "http://unknown.invalid", "https"})
    void what_fails_before_the_request_is_sent_is_no_attempt(String url) throws Exception {
        receiver = RawHttp.greeting("no TLS\r\n"); // the handshake fails
        try (WrittenLog log = WrittenLog.of(AttemptLog.class)) {
            start((url.equals("https") ? receiver.url().replace("http", "https") : url) + "/hook?httpMethod=POST");
            outbox.insert("a");

            eventually(() -> assertThat(log.lines()).anyMatch(line -> line.contains("is unavailable")));
            assertThat(outbox.waiting("orders")).isEmpty();
        }
    }

    /** Many servers quote the path of a request that they refuse, and some its key. The role read sees the answer. */
    @Test
    void what_an_answer_quotes_of_the_credentials_of_a_request_is_not_stored() throws Exception {
        String quoting = "{\"path\":\"/services/T0SLACK/ravenSLACK8token99\",\"login\":\"pumaTOKENxq77x\","
                + "\"error\":\"Invalid key pumaAPIKEYxq7 or pumaAZUREkey9 of ibexQUERYxq55\"}";
        receiver = RawHttp.answering("HTTP/1.1 400 No\r\nContent-Type: application/json\r\nContent-Length: "
                + quoting.length() + "\r\nConnection: close\r\n\r\n" + quoting);
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .setHeader("X-Api-Key", constant("pumaAPIKEYxq7"))
                .setHeader("Ocp-Apim-Subscription-Key", constant("pumaAZUREkey9"))
                .setHeader("Authorization", constant("Bearer pumaTOKENxq77x"))
                .to(receiver.url() + "/services/T0SLACK/ravenSLACK8token99?httpMethod=POST&k=ibexQUERYxq55"));
        long id = outbox.insert("a");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(outbox.text("select answer from outbox_dead_letter"))
                .isEqualTo(
                        "{\"path\":\"/services/T0SLACK/•••\",\"login\":\"•••\",\"error\":\"Invalid key ••• or ••• of •••\"}");
        assertThat(outbox.text("select error_text || error_stack from outbox_dead_letter"))
                .doesNotContain("raven", "puma", "ibex");
    }

    /** Nothing is sent to the receiver, so no message can have arrived, and none is the reason. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "endless",
                "silence",
                "unreachable",
                "503 Busy",
                "401 Unknown client",
                "204 None",
                "[]",
                "{}",
                "long",
                "{\"access_token\": \"two words\"}",
                "{\"access_token\": {}}"
            })
    void without_a_token_the_destination_is_unavailable(String kind) throws Exception {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        try (WrittenLog log = WrittenLog.of(AttemptLog.class)) {
            start(
                    receiver.url() + "/hook?oauth2ClientId=shop&oauth2ClientSecret=topsecret&oauth2TokenEndpoint="
                            + tokens(kind) + "/token",
                    1_000,
                    exchange -> {});
            outbox.insert("a");

            eventually(() -> assertThat(log.lines())
                    .anyMatch(line -> line.contains("is unavailable") && line.contains("no token"))
                    .noneMatch(line -> line.contains("may have accepted")));
            assertThat(outbox.waiting("orders")).isEmpty();
            assertThat(receiver.requests()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void a_token_that_the_receiver_refuses_costs_no_attempt_and_is_requested_anew(int status) throws Exception {
        AtomicInteger given = new AtomicInteger();
        RawHttp tokens = RawHttp.start((request, out) -> {
            String token = "{\"access_token\": \"t" + given.incrementAndGet() + "\", \"expires_in\": 3600}";
            out.text(RawHttp.OK + "Content-Length: " + token.length() + "\r\nConnection: close\r\n\r\n" + token);
        });
        receiver = RawHttp.start((request, out) -> out.text(
                request.header("Authorization").equals(Optional.of("Bearer t1"))
                        ? "HTTP/1.1 " + status + " Revoked\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                        : RawHttp.EMPTY));
        start(receiver.url() + "/hook?oauth2ClientId=shop&oauth2ClientSecret=topsecret&oauth2CacheTokens=true"
                + "&oauth2TokenEndpoint=" + tokens.url());

        outbox.awaitPassed("orders", outbox.insert("a"));
        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(receiver.requests())
                .extracting(request -> request.header("Authorization").orElse(""))
                .containsExactly("Bearer t1", "Bearer t2", "Bearer t2");
    }

    /** Both steps send to the same address with the same client. */
    @ParameterizedTest
    @ValueSource(strings = {"oauth2Scope", "oauth2TokenEndpoint"})
    void a_token_is_kept_for_what_was_asked_only(String differing) throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        RawHttp tokens = RawHttp.start((request, out) -> {
            String name = request.line().replaceFirst("POST /(\\w+).*", "$1") + "-"
                    + request.text().replaceFirst(".*scope=", "");
            asked.add(name);
            out.text(token(name, "3600"));
        });
        receiver = RawHttp.answering(RawHttp.EMPTY);
        String url = receiver.url() + "/hook?oauth2ClientId=shop&oauth2ClientSecret=topsecret&oauth2CacheTokens=true"
                + "&httpMethod=POST&oauth2Scope=%s&oauth2TokenEndpoint=" + tokens.url() + "/%s";
        boolean isScope = differing.equals("oauth2Scope");
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .to(String.format(url, "read", "one"))
                .to(isScope ? String.format(url, "write", "one") : String.format(url, "read", "two")));

        outbox.awaitPassed("orders", outbox.insert("a"));
        outbox.awaitPassed("orders", outbox.insert("a"));
        String second = isScope ? "one-write" : "two-read";
        assertThat(asked).containsExactly("one-read", second);
        assertThat(receiver.requests())
                .extracting(request -> request.header("Authorization").orElse(""))
                .containsExactly("Bearer one-read", "Bearer " + second, "Bearer one-read", "Bearer " + second);
    }

    /** Each attempt would hold the connection of which the request of its token needs another one. */
    @Test
    void a_token_of_the_receiver_itself_needs_no_second_connection() throws Exception {
        receiver = RawHttp.start(
                (request, out) -> out.text(request.line().contains("/token") ? token("t", "3600") : RawHttp.EMPTY));
        start(receiver.url() + "/hook?oauth2ClientId=shop&oauth2ClientSecret=topsecret&connectionsPerRoute=1"
                + "&httpMethod=POST&oauth2TokenEndpoint=" + receiver.url() + "/token");

        outbox.awaitPassed("orders", outbox.insert("a"));
    }

    @ParameterizedTest
    @CsvSource({"soon, 2", "-1, 2", "1e400, 1", "3600.0, 1"})
    void the_time_for_which_a_token_is_kept_may_be_any_text(String expiresIn, int requested) throws Exception {
        RawHttp tokens = RawHttp.answering(token("t", expiresIn));
        receiver = RawHttp.answering(RawHttp.EMPTY);
        start(receiver.url() + "/hook?oauth2ClientId=shop&oauth2ClientSecret=topsecret&oauth2CacheTokens=true"
                + "&oauth2TokenEndpoint=" + tokens.url());

        outbox.awaitPassed("orders", outbox.insert("a"));
        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(tokens.requests()).hasSize(requested);
    }

    private static String token(String token, String expiresIn) {
        return json("{\"access_token\": \"" + token + "\", \"expires_in\": \"" + expiresIn + "\"}");
    }

    private static String json(String body) {
        return RawHttp.OK + "Content-Length: " + body.length() + "\r\nConnection: close\r\n\r\n" + body;
    }

    private static String tokens(String kind) throws IOException {
        RawHttp tokens =
                switch (kind) {
                    case "unreachable" -> null;
                    case "endless" -> endless(RawHttp.OK + "Transfer-Encoding: chunked\r\n\r\n", true);
                    case "silence" -> RawHttp.start((request, out) -> Thread.sleep(60_000));
                    case "long" -> RawHttp.answering(token("a".repeat(20_000), "3600"));
                    default ->
                        RawHttp.answering(
                                kind.startsWith("{") || kind.startsWith("[")
                                        ? json(kind)
                                        : "HTTP/1.1 " + kind + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                };
        return tokens == null ? "http://localhost:1" : tokens.url();
    }

    @Test
    void endless_heads_before_the_answer_end_the_attempt() throws Exception {
        receiver = RawHttp.start((request, out) -> {
            while (true) {
                out.text("HTTP/1.1 103 Early Hints\r\nX-Hint: a\r\n\r\n");
            }
        });
        start(receiver.url() + "/hook?httpMethod=POST", 1_000, exchange -> {});
        outbox.insert("a");

        eventually(() -> assertThat(attempts()).isGreaterThan(0));
    }

    @ParameterizedTest
    @CsvSource({"200 OK, nonsense", "200 OK, \u0001", "422 No, nonsense"})
    void an_unknown_character_set_does_not_change_the_result_of_the_status(String status, String charset)
            throws Exception {
        receiver = RawHttp.answering("HTTP/1.1 " + status + "\r\nContent-Type: text/plain; charset=" + charset
                + "\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
        start(
                receiver.url() + "/hook?httpMethod=POST",
                exchange -> read.add(exchange.getMessage().getBody(String.class)));
        long id = outbox.insert("a");

        outbox.awaitPassed("orders", id);
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(outbox.dead("orders")).hasSize(status.startsWith("4") ? 1 : 0);
    }

    /** A service behind a load balancer, one node of which gives a page instead of an answer. */
    @ParameterizedTest
    @ValueSource(strings = {"concurrency=1", "batching=true", "pipelined=true&concurrency=20"})
    void a_message_is_delivered_when_a_later_answer_is_right(String options) throws Exception {
        AtomicInteger requests = new AtomicInteger();
        receiver = RawHttp.start((request, out) -> {
            String body = requests.incrementAndGet() <= 3 ? "<html>Back soon</html>" : "{\"rate\": 7}";
            out.text(RawHttp.OK + "Content-Length: " + body.length() + "\r\nConnection: close\r\n\r\n" + body);
        });
        for (int i = 0; i < 5; i++) {
            outbox.insert("key" + i);
        }
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            var from = routes.from("outbox:orders?backoff=100ms&" + options);
            var each = options.startsWith("batch") ? from.split(routes.body()) : from;
            each.to(receiver.url())
                    .setBody(routes.jsonpath("$.rate"))
                    .process(exchange -> read.add(exchange.getMessage().getBody(String.class)));
        });

        eventually(() -> assertThat(read).containsExactly("7", "7", "7", "7", "7"));
        outbox.awaitPassed("orders", 5);
        assertThat(outbox.dead("orders")).isEmpty();
        assertThat(requests).hasValue(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"204 No Content", "200 OK"})
    void an_answer_without_a_body_is_not_appended(String status) throws Exception {
        receiver = RawHttp.answering("HTTP/1.1 " + status + (status.startsWith("200") ? "\r\nContent-Length: 0" : "")
                + "\r\nConnection: close\r\n\r\n");
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders?types=order.created")
                .to(receiver.url() + "?httpMethod=POST")
                .convertBodyTo(String.class)
                .to("outbox:answers?type=order.checked"));
        outbox.insert("a");

        eventually(() -> assertThat(attempts()).isPositive());
        assertThat(outbox.text("select count(*)::text from outbox")).isEqualTo("1");
    }

    @ParameterizedTest
    @CsvSource({
        "200 OK, Content-Length: some,                          delivered",
        "200 OK, Content-Length: -1,                            delivered",
        "200 OK, Content-Length: 2 & Content-Length: 3,         delivered",
        "200 OK, 'Transfer-Encoding: gzip, chunked',            delivered",
        "422 No, Content-Length: some,                          dead"
    })
    void a_body_whose_length_is_not_valid_does_not_change_the_result_of_the_status(
            String status, String length, String result) throws Exception {
        receiver = RawHttp.answering("HTTP/1.1 " + status + "\r\n" + length.replace(" & ", "\r\n") + "\r\n\r\nok");
        start(receiver.url() + "/hook?httpMethod=POST");
        long id = outbox.insert("a");

        awaitResult(id, result);
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(receiver.requests()).hasSize(1);
    }

    private int attempts() {
        return outbox.waiting("orders").stream().mapToInt(Waiting::attempts).sum();
    }

    private void start(String to) throws Exception {
        relay = TestRelay.startAsShipped(
                outbox.pool(), routes -> routes.from("outbox:orders").to(to));
    }

    private void start(String to, Processor after) throws Exception {
        start(to, 0, after);
    }

    private void start(String to, long attemptTimeout, Processor after) throws Exception {
        relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            if (attemptTimeout > 0) {
                routes.getContext()
                        .getComponent("outbox", OutboxComponent.class)
                        .setAttemptTimeout(attemptTimeout);
            }
            routes.from("outbox:orders").to(to).process(after);
        });
    }

    /** @param begin the status and the headers, or a part of them that never ends */
    private static RawHttp endless(String begin, boolean isChunked) throws IOException {
        String more = begin.contains("Many") ? "\r\nMany: b".repeat(1000) : "-".repeat(8192);
        String part = isChunked ? "2000\r\n" + more + "\r\n" : more;
        return RawHttp.start((request, out) -> {
            out.text(begin);
            while (true) {
                out.text(part);
            }
        });
    }

    /** The pause waits for nothing: it is the pace of this receiver, which must be shorter than the timeout of the client, and not end. */
    private static RawHttp dripping(String begin) throws IOException {
        return RawHttp.start((request, out) -> {
            out.text(begin);
            while (true) {
                Thread.sleep(50);
                out.text("a");
            }
        });
    }

    private static byte[] gzip(byte[] content) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(content);
        }
        return packed.toByteArray();
    }
}
