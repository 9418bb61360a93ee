package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.camel.builder.Builder.constant;
import static org.apache.camel.builder.Builder.simple;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.caravan.TestHttp;
import dev.caravan.camel.FieldException;
import dev.caravan.lab.servers.mail.MailServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.Exchange;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.model.language.LanguageExpression;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses that a route computes from texts of a message: the message goes where the route says, or nowhere. */
class ValuesInAddressesIT {
    private static final String WEBHOOK = "standard-webhook:orders?allowPrivateAddresses=true&secrets="
            + "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw&url=";

    private final TestOutbox outbox = TestOutbox.create();
    private RawHttp receiver;
    private RawHttp other;

    @BeforeEach
    void listen() throws IOException {
        receiver = RawHttp.answering(RawHttp.EMPTY);
        other = RawHttp.answering(RawHttp.EMPTY);
    }

    @ParameterizedTest
    @CsvSource({
        "toD,           7?httpMethod=DELETE",
        "toD,           7?throwExceptionOnFailure=false",
        "toD,           ../admin",
        "toD,           %2e%2e/admin",
        "toD method,    GET&proxyHost=OTHER",
        "toD host,      @OTHER/x",
        "toD scheme,    ://OTHER/x",
        "uri scheme,    ://OTHER/x",
        "webhook scheme, ://OTHER/x",
        "recipientList, 7?httpMethod=DELETE",
        "recipientList, ../admin",
        "recipientList, ..%2Fadmin",
        "webhook,       OTHER/",
        "webhook,       OTHER%2F",
        "webhook raw,   OTHER/",
        "rest host,     OTHER/",
        "host name,     a_b",
        "host name,     bücher",
        "sql,           ''); drop table outbox; --",
        "sql header,    1 or true",
        "kafka,         a/b",
        "enrich,        ../admin",
        "pollEnrich,    ../admin",
        "toD method,    %23class:java.lang.System%23getenv('PATH')",
        "toD method,    ' %23class:java.util.ArrayList'",
        "list method,   %23class:java.lang.System%23getenv('PATH')",
        "enrich method, %23class:java.lang.System%23getenv('PATH')",
        "sms text,      file:/etc/hostname",
        "list file,     resource:file:/etc/hostname",
        "query,         7&admin=1",
        "rawQuery,      7&admin=1",
        "queries,       7&admin=1",
        "uri,           7?admin=1",
        "uri host,      @OTHER/x",
        "template,      ../admin",
        "template toD,  7?httpMethod=DELETE",
        "template slip, ../admin",
        "template query, 7&admin=1",
        "template uri,  7?admin=1",
        "template path, ''",
        "template cc,   'x@other.example>, <y@other.example'",
        "template sql,  ''), (''b",
        "template file, ../x",
        "sql comment,   'Apt #4'",
    })
    void a_value_that_would_lead_elsewhere_makes_the_message_dead(String kind, String key) throws Exception {
        TestRelay.startAsShipped(outbox.pool(), routes -> addressed(routes.from("outbox:orders"), kind));
        long id = outbox.insert(key.replace("OTHER", other.url().replace("http://", "")));

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(receiver.requests()).isEmpty();
        assertThat(other.requests()).isEmpty();
        assertThat(outbox.text("select error_text from outbox_dead_letter")).startsWith("A value of the message ");
    }

    @ParameterizedTest
    @CsvSource({
        "toD,           R&D,       POST /orders/R&D",
        "toD,           7/lines,   POST /orders/7/lines",
        "toD path,      R&D,       POST /orders/R&D?tenant=7&b=1",
        "toD,           'a ',      POST /orders/a%20",
        "toD path,      'a ',      POST /orders/a%20?tenant=7&b=1",
        "toD path plain, 'a  ',    POST /orders/a%20%20",
        "toD query,     'a ',      POST /orders?tenant=7&id=a+",
        "toD plain,     'a ',      POST /orders?tenant=7&id=a+",
        "recipientList, 'a ',      POST /orders/a%20",
        "routingSlip,   'a ',      POST /orders/a%20",
        "enrich,        'a ',      POST /orders/a%20",
        "list spaces,   a,         POST /orders/a",
        "list spaces,   'a ',      POST /orders/a%20",
        "toD whole,     'a ',      POST /orders/a",
        "uri,           'a ',      POST /orders/a%20",
        "path,          'a ',      POST /orders/a%20",
        "query,         'a ',      POST /orders?tenant=7&id=a%20",
        "toD query,     a b,       POST /orders?tenant=7&id=a+b",
        "toD query,     +49 30,    POST /orders?tenant=7&id=%2B49+30",
        "toD query,     a%2Bb,     POST /orders?tenant=7&id=a%252Bb",
        "toD plain,     +49,       POST /orders?tenant=7&id=%2B49",
        "toD setting,   +49,       POST /orders?sig=a%2Bb%2Fc%3D&id=%2B49",
        "toD signed,    +49,       POST /orders?sig=a%2Bb%2Fc%3D%26&id=%2B49",
        "list query,    +49,       POST /orders?tenant=7&id=%2B49",
        "list query,    a)%2B,     POST /orders?tenant=7&id=a%29%252B",
        "list signed,   '+(4)',      POST /orders?sig=a%2Bb%2Fc%3D&id=%2B%284%29",
        "enrich query,  +49,       GET /orders?tenant=7&id=%2B49",
        "routingSlip query, +49,   POST /orders?tenant=7&id=%2B49",
        "toD whole url, a%2Bb+c,   POST /orders?id=a%2Bb+c",
        "toD parameters, id=a+b,   POST /orders?tenant=7&id=a+b",
        "toD plus,      a,         POST /orders?q=1+a",
        "toD plus,      1+1,       POST /orders?q=1+1%2B1",
        "toD query,     7&admin=1, POST /orders?tenant=7&id=7%26admin%3D1",
        "toD query,     7&httpMethod=GET, POST /orders?tenant=7&id=7%26httpMethod%3DGET",
        "toD plain,     7&admin=1, POST /orders?tenant=7&id=7%26admin%3D1",
        "list query,    7&httpMethod=GET, POST /orders?tenant=7&id=7%26httpMethod%3DGET",
        "list query,    7%26httpMethod=DELETE, POST /orders?tenant=7&id=7%2526httpMethod%3DDELETE",
        "toD plain,     7%26httpMethod=DELETE, POST /orders?tenant=7&id=7%2526httpMethod%3DDELETE",
        "list query,    'a)}+', POST /orders?tenant=7&id=a%29%7D%2B",
        "list query,    'a)&b', POST /orders?tenant=7&id=a%29%26b",
        "toD query,     'a)&b}', POST /orders?tenant=7&id=a%29%26b%7D",
        "recipientList, 'a,http://OTHER/x', 'POST /orders/a,http://OTHER/x'",
        "routingSlip,   'a,http://OTHER/x', 'POST /orders/a,http://OTHER/x'",
        "template,      'a,http://OTHER/x', 'POST /orders/a,http://OTHER/x'",
        "toD,           e\u0301.pdf, POST /orders/e%CC%81.pdf",
        "recipientList, \u00e9, POST /orders/%C3%A9",
        "path,          e\u0301.pdf, POST /orders/e%CC%81.pdf",
        "uri,           e\u0301.pdf, POST /orders/e%CC%81.pdf",
        "query,         e\u0301,  POST /orders?tenant=7&id=e%CC%81",
        "list query,    e\u0301,  POST /orders?tenant=7&id=e%CC%81",
        "toD end,       'a\nb',    POST /orders?id=a%0Ab",
        "begins with value, a&b+%41, POST /orders?id=a%26b%2B%2541",
        "value after name, a&httpMethod=GET, POST /orders?f_order=a%26httpMethod%3DGET",
        "list end,      trail&,    POST /orders?id=trail%26",
        "toD login,     7,         POST /orders/7",
        "enrich login,  7,         POST /orders/7",
        "toD whole,     a%2Fb,     POST /orders/a%2Fb",
        "toD text,      1+1,       POST /orders?1%2B1-order",
        "toD host,      /a%2Fb,    POST /a%2Fb",
        "toD timeout,   7,         POST /orders/7?x=1",
        "toD host,      /orders/7, POST /orders/7",
        "recipientList, R&D,       POST /orders/R&D",
        "recipientList, 50%,       POST /orders/50%25",
        "list query,    7%3Fa,     POST /orders?tenant=7&id=7%253Fa",
        "query,         7%26a,     POST /orders?tenant=7&id=7%26a",
        "query,         a b?c/..,  POST /orders?tenant=7&id=a%20b?c/..",
        "query,         a#b,       POST /orders?tenant=7&id=a%23b",
        "uri,           7/8,       POST /orders/7/8",
        "toD,           [7],       POST /orders/%5B7%5D",
        "toD,           ^`|<>{}\\,  POST /orders/%5E%60%7C%3C%3E%7B%7D%5C",
        "toD,           1\u00a0000\u2028a, POST /orders/1%C2%A0000%E2%80%A8a",
        "recipientList, [7],       POST /orders/%5B7%5D",
        "template,      'a ',      POST /orders/a%20",
        "template,      [7],       POST /orders/%5B7%5D",
        "template query, a+b,      POST /orders?tenant=7&id=a+b",
        "recipientList, %5B7%5D%20, POST /orders/%5B7%5D%20",
        "recipientList, %25%5B$%2B%5D, POST /orders/%25%5B$%2B%5D",
        "recipientList, ^`|<>{}\\,  POST /orders/%5E%60%7C%3C%3E%7B%7D%5C",
        "recipientList, 1\u00a0000, POST /orders/1%C2%A0000",
        "routingSlip,   [7],       POST /orders/%5B7%5D",
        "enrich,        [7],       POST /orders/%5B7%5D",
        "toD path plain, [7],      POST /orders/%5B7%5D",
        "toD whole,     [7],       POST /orders/%5B7%5D",
        "list query,    [7],       POST /orders?tenant=7&id=%5B7%5D",
        "query,         [7],       POST /orders?tenant=7&id=[7]",
        "uri,           [7],       POST /orders/%5B7%5D",
        "path,          [7],       POST /orders/%5B7%5D",
        "toD query,     +$simple{sys:user.name}, POST /orders?tenant=7&id=%2B%24simple%7Bsys%3Auser.name%7D",
        "list query,    +$simple{sys:user.name}, POST /orders?tenant=7&id=%2B%24simple%7Bsys%3Auser.name%7D",
        "toD whole url, %2B$simple{sys:user.name}, POST /orders?id=%2B$simple%7Bsys:user.name%7D",
        "toD whole url, %2B%24simple{sys:user.name}, POST /orders?id=%2B%24simple%7Bsys:user.name%7D",
        "template raw,  +$simple{sys:user.name}, POST /orders?id=%2B%24simple%7Bsys%3Auser.name%7D",
        "toD end,       'a\n', POST /orders?id=a%0A",
        "list query,    'a\nb', POST /orders?tenant=7&id=a%0Ab",
        "list query,    10\u00a0000, POST /orders?tenant=7&id=10%C2%A0000",
        "toD,           group%2Fname, POST /orders/group%2Fname",
        "recipientList, R&, POST /orders/R&",
        "name of parameter, proxyHost, POST /orders?proxyHost=a",
        "begins with value, RAW(a), POST /orders?id=RAW%28a%29",
        "recipientList, \u212a-1, POST /orders/%E2%84%AA-1",
        "enrich,        e\u0301, POST /orders/e%CC%81",
        "routingSlip,   e\u0301, POST /orders/e%CC%81",
        "recipientList, 7%3FhttpMethod=DELETE, POST /orders/7%3FhttpMethod=DELETE",
        "recipientList, 7%253Fadmin=1, POST /orders/7%253Fadmin=1",
    })
    void another_value_is_sent(String kind, String key, String request) throws Exception {
        TestRelay.startAsShipped(outbox.pool(), routes -> addressed(routes.from("outbox:orders"), kind));

        outbox.awaitPassed("orders", outbox.insert(key));
        assertThat(receiver.requests()).extracting(RawHttp.Request::line).containsExactly(request + " HTTP/1.1");
    }

    /** Camel splits no list at a comma in parentheses. */
    @Test
    void a_text_with_a_comma_arrives_as_it_is_written() throws Exception {
        start(route -> route.recipientList(
                simple(receiver.url() + "/a?note=RAW(${header.aggregate-id}), " + receiver.url() + "/b")));

        outbox.awaitPassed("orders", outbox.insert("Hello, you"));

        assertThat(receiver.requests())
                .extracting(RawHttp.Request::line)
                .containsExactlyInAnyOrder("POST /a?note=Hello%2C+you HTTP/1.1", "POST /b HTTP/1.1");
    }

    /** Otherwise DELETE would go to all customers, the topic orders- would be created, and all messages would be written to one file. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "toD",
                "toD path",
                "recipientList",
                "kafka",
                "uri",
                "name",
                "file",
                "file option",
                "temporary file",
                "toD file option",
                "list file option"
            })
    void a_message_without_a_value_for_a_path_or_a_name_is_dead(String kind) throws Exception {
        start(route -> {
            route.removeHeader("aggregate-id");
            addressed(route, kind);
        });

        long id = outbox.insert("a");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(outbox.text("select error_text from outbox_dead_letter")).contains("is empty in");
        assertThat(receiver.requests()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"to", "toD"})
    void the_name_of_a_file_in_an_option_has_a_part_that_may_be_empty(String kind, @TempDir Path folder)
            throws Exception {
        String to =
                "file:" + folder + "?fileName=orders${header.none != null ? '-eu' : ''}-${header.aggregate-id}.json";
        start(route -> {
            if (kind.equals("to")) {
                route.to(to);
            } else {
                route.toD(to);
            }
        });

        outbox.awaitPassed("orders", outbox.insert("7"));
        assertThat(files(folder)).containsExactly("orders-7.json");
    }

    /** Otherwise a message would be appended with an empty type or key, or the step would be tried again and again. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox:next?type=${header.none}",
                "outbox:next?type=x&aggregateId=${header.none}",
                "outbox:next?type=x&aggregateType=${header.none}",
                "sms:gateway?url=http://localhost:1/&from=Shop&text=a&to=${header.none}",
                "email:shop?server=smtp://localhost:1&from=a@b.example&subject=a&text=b&to=${header.none}",
            })
    void a_message_without_a_value_that_a_computed_step_needs_is_dead(String address) throws Exception {
        start(route -> route.toD(address));

        long id = outbox.insert("a");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(outbox.text("select error_text from outbox_dead_letter")).contains("has no value for the option ");
        assertThat(outbox.text("select count(*) from outbox")).isEqualTo("1");
    }

    /** A message that is refused may come here as a dead letter. */
    /** Camel decodes options and paths after the values are in them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "toD",
                "toD raw",
                "recipientList",
                "routingSlip",
                "enrich",
                "sms",
                "sms parameters",
                "email",
                "smtp",
                "toD sql",
                "enrich sql",
                "list sql",
                "toD file",
                "list file",
            })
    void a_value_arrives_as_it_is(String kind, @TempDir Path folder) throws Exception {
        List<String> keys = Stream.of(
                        "+4917012345678",
                        "a+b",
                        "a b",
                        "a%2Bb",
                        "a%20b",
                        "50%25",
                        "50%",
                        "a%41@b.example",
                        "a ",
                        "ü%€",
                        "a)b}%41")
                .filter(key -> !kind.equals("smtp") || key.matches(".+@.+"))
                .toList();
        outbox.execute("create table written (key text)");
        List<String> mails = new CopyOnWriteArrayList<>();
        try (MailServer server = MailServer.start(mail -> mails.add(
                kind.equals("smtp") ? mail.recipient() : mail.subject().replaceFirst("s(.*)e", "$1")))) {
            TestRelay.startAsShipped(outbox.pool(), routes -> {
                routes.getContext().getRegistry().bind("shop", DataSource.class, outbox.pool());
                valued(routes.from("outbox:orders?types=order.created"), kind, folder, server.url());
            });
            for (String key : keys) {
                outbox.awaitPassed("orders", outbox.insert(key));
            }
        }

        assertThat(outbox.jdbc().queryForList("select error_text from outbox_dead_letter"))
                .isEmpty();
        List<String> arrived =
                switch (kind.replaceFirst("^\\w+ ", "")) {
                    case "sql" -> outbox.jdbc().queryForList("select key from written", String.class);
                    case "file" -> files(folder);
                    case "sms", "parameters" ->
                        receiver.requests().stream()
                                .map(request -> URLDecoder.decode(
                                        request.text().replaceFirst(".*Body=t-", ""), StandardCharsets.UTF_8))
                                .toList();
                    case "email", "smtp" -> mails;
                    default ->
                        outbox.jdbc()
                                .queryForList(
                                        "select aggregate_id from outbox where type = 'order.next' order by id",
                                        String.class);
                };
        assertThat(arrived).containsExactlyInAnyOrderElementsOf(keys);
    }

    private void valued(RouteDefinition route, String kind, Path folder, String server) {
        String next = "outbox:next?type=order.next&aggregateType=order&aggregateId=${header.aggregate-id}";
        String sms = "sms:a?url=RAW(" + receiver.url() + ")&from=Shop&to=RAW(+15550100001)&text=";
        String sql = "sql:insert into written values ('${header.aggregate-id}')?dataSource=#shop";
        String file = "file:" + folder + "?fileName=${header.aggregate-id}";
        switch (kind) {
            case "toD" -> route.toD(next);
            case "toD raw" -> route.toD(next.replace("=$", "=RAW($") + ")");
            case "recipientList" -> route.recipientList(simple(next));
            case "routingSlip" -> route.routingSlip(simple(next));
            case "enrich" -> route.enrich().simple(next).end();
            case "sms" -> route.toD(sms + "t-${header.aggregate-id}");
            case "sms parameters" -> route.toD(sms + "RAW(t-${header.aggregate-id})");
            case "email" ->
                route.toD("email:a?server=" + server
                        + "&from=shop@example.com&to=a@b.example&text=x&subject=s${header.aggregate-id}e");
            case "smtp" -> route.toD(server + "?from=shop@example.com&to=${header.aggregate-id}");
            case "toD sql" -> route.toD(sql);
            case "enrich sql" -> route.enrich().simple(sql).end();
            case "list sql" -> route.recipientList(simple(sql), "false").end();
            case "toD file" -> route.toD(file);
            default -> route.recipientList(simple(file));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"dead letter", "dead letter, name", "wireTap", "behind wireTap"})
    void a_value_names_no_file_of_another_folder_in_other_exchanges_either(String kind, @TempDir Path folder)
            throws Exception {
        String address = "file:" + folder + "/t1?fileName=${header.aggregate-id}";
        CountDownLatch refused = new CountDownLatch(1);
        TestRelay.start(outbox.pool(), routes -> {
            routes.onException(FieldException.class).process(exchange -> refused.countDown());
            RouteDefinition orders = routes.from("outbox:orders?earlyAcknowledge=true");
            switch (kind) {
                case "wireTap" -> orders.wireTap(address);
                case "behind wireTap" -> {
                    orders.wireTap("direct:tap");
                    routes.from("direct:tap").toD(address);
                }
                case "dead letter" -> {
                    orders.to("outbox:dead-letter");
                    routes.from("direct:dead-letter").toD(address);
                }
                default -> {
                    orders.to("outbox:dead-letter");
                    routes.from("direct:dead-letter")
                            .setHeader("CamelFileName", simple("${header.aggregate-id}"))
                            .to("file:" + folder + "/t1");
                }
            }
        });

        outbox.insert("../t2/x");

        assertThat(refused.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(files(folder)).isEmpty();
    }

    /** The folder of the message is that of another tenant, which is in the folder of the step. */
    @ParameterizedTest
    @CsvSource({
        "header,       ../t2/x",
        "header,       '..\\t2\\x'",
        "header,       './x'",
        "header,       2026/../../t2/x",
        "begin,        /t2",
        "begin,        \\t2",
        "whole,        ../t2/x",
        "headers,      ../t2/x",
        "overrule,     ../t2/x",
        "language,     a/../../t2/x",
        "option,       ../t2/x",
        "whole option, a/../../t2/x",
        "temporary,    ../t2/x",
        "prefix,       ../t2/x",
        "toD,          ../t2/x",
        "toD,          ..%2Ft2%2Fx",
        "toD prefix,   ../t2/x",
        "toD,          ${header.type}",
        "toD,          $simple{header.type}",
        "list,         ../t2/x",
        "second,       ../t2/x",
    })
    void a_value_names_no_file_of_another_folder(String kind, String key, @TempDir Path folder) throws Exception {
        TestRelay.startAsShipped(outbox.pool(), routes -> file(routes, kind, folder));

        long id = outbox.insert(key);

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(files(folder)).isEmpty();
        assertThat(outbox.text("select error_text from outbox_dead_letter")).startsWith("A value of the message ");
    }

    @ParameterizedTest
    @CsvSource({
        "header,       2026/05/x, t1/2026/05/x.json",
        "header,       ..x..,     t1/..x...json",
        "header,       %2F..,     t1/%2F...json",
        "whole,        /2026/x,   2026/x",
        "headers,      a b,       t1/a b.json",
        "overrule,     x,         t1/x.json",
        "language,     2026/x,    2026/x",
        "option,       2026/x,    t1/2026/x.json",
        "temporary,    x,         x.json",
        "prefix,       x,         out.json",
        "toD,          2026/x,    t1/2026/x.json",
        "toD prefix,   x,         out.json",
        "toD,          %24%7Bheader.type%7D, t1/%24%7Bheader.type%7D.json",
        "list,         2026/x,    t1/2026/x.json",
        "second,       2026/x,    t1/2026/x.json",
        "of the route, x,         t2/x.json",
        "constant,     x,         t2/x.json",
    })
    void another_value_names_a_file(String kind, String key, String file, @TempDir Path folder) throws Exception {
        TestRelay.startAsShipped(outbox.pool(), routes -> file(routes, kind, folder));

        outbox.awaitPassed("orders", outbox.insert(key));

        assertThat(outbox.jdbc().queryForList("select error_text from outbox_dead_letter"))
                .isEmpty();
        assertThat(files(folder)).containsExactly(file);
    }

    private void file(RouteBuilder routes, String kind, Path folder) {
        RouteDefinition route = routes.from("outbox:orders").setHeader("tenant", constant("t1"));
        String name = "${header.tenant}/${header.aggregate-id}.json";
        String to = "file:" + folder;
        switch (kind) {
            case "header" -> route.setHeader("CamelFileName", simple(name)).to(to);
            case "begin" ->
                route.setHeader("CamelFileName", simple("${header.aggregate-id}/x.json"))
                        .to(to);
            case "whole" ->
                route.setHeader("camelFileName", simple("${header.aggregate-id}"))
                        .to(to);
            case "headers" ->
                route.setHeaders("X-Any", constant("a"), "CamelFileName", simple(name))
                        .to(to);
            case "overrule" ->
                route.setHeader("CamelOverruleFileName", simple(name)).to(to);
            case "language" ->
                route.setHeader("CamelFileName", routes.header("aggregate-id")).to(to);
            case "option" -> route.to(to + "?fileName=" + name);
            case "whole option" -> route.to(to + "?fileName=${header.aggregate-id}");
            case "temporary" ->
                route.to(to + "?fileName=x.json&tempFileName=tmp/${header.tenant}/${header.aggregate-id}");
            case "prefix" -> route.to(to + "?fileName=out.json&tempPrefix=${header.aggregate-id}-");
            case "toD" -> route.toD(to + "?fileName=" + name);
            case "toD prefix" -> route.toD(to + "?fileName=out.json&tempPrefix=${header.aggregate-id}-");
            case "list" -> route.recipientList(simple(to + "?fileName=" + name + ",log:orders"));
            case "second" -> route.recipientList(simple(receiver.url() + ", " + to + "?fileName=" + name));
            case "of the route" ->
                route.setHeader("CamelFileName", simple("./t2/${header.aggregate-id}.json"))
                        .to(to);
            default ->
                route.setHeader("CamelFileName", constant("../" + folder.getFileName() + "/t2/x.json"))
                        .to(to);
        }
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString())
                    .toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "/orders/7", "mailto:a@b.example"})
    void an_address_of_a_header_that_is_none_of_http_makes_the_message_dead(String address) throws Exception {
        start(route -> route.setHeader("CamelHttpUri", simple("${header.aggregate-id}"))
                .to(receiver.url()));

        long id = outbox.insert(address);

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(outbox.text("select error_text from outbox_dead_letter")).contains("is no address that begins with");
    }

    @ParameterizedTest
    @ValueSource(strings = {"path", "query", "rawQuery", "uri"})
    void a_control_character_makes_the_message_dead_and_any_space_is_encoded(String kind) throws Exception {
        String path = "/orders" + (kind.equals("path") ? "/" : "?id=");
        String text = (kind.equals("path") || kind.equals("uri") ? "" : "id=") + "${header.aggregate-id}";
        String name = Map.of(
                        "path",
                        "CamelHttpPath",
                        "query",
                        "CamelHttpQuery",
                        "rawQuery",
                        "CamelHttpRawQuery",
                        "uri",
                        "CamelHttpUri")
                .get(kind);
        start(route -> route.setHeader(name, simple((kind.equals("uri") ? receiver.url() + path : "") + text))
                .to(receiver.url() + "/orders"));
        long control = outbox.insert("a\u0085b");
        long space = outbox.insert("10\u00a0000\u2028");

        outbox.awaitPassed("orders", space);
        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(control));
        assertThat(receiver.requests())
                .extracting(RawHttp.Request::line)
                .containsExactly("POST " + path + "10%C2%A0000%E2%80%A8 HTTP/1.1");
    }

    /** Camel would send to the host null, which is an outage without end. */
    @Test
    void an_address_of_ipv6_is_a_host_of_a_computed_address() throws Exception {
        InetAddress loopback = InetAddress.getByName("::1");
        assumeTrue(NetworkInterface.getByInetAddress(loopback) != null);
        List<String> requests = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
        server.createContext("/", request -> {
            requests.add(request.getRequestURI().toString());
            request.sendResponseHeaders(204, -1);
            request.close();
        });
        server.start();
        try {
            start(route ->
                    route.toD("http://[::1]:" + server.getAddress().getPort() + "/orders/${header.aggregate-id}"));

            outbox.awaitPassed("orders", outbox.insert("a"));
            assertThat(requests).containsExactly("/orders/a");
        } finally {
            server.stop(0);
        }
    }

    private void addressed(RouteDefinition route, String kind) {
        String orders = receiver.url() + "/orders";
        String address = orders + "/${header.aggregate-id}";
        String query = "tenant=7&id=${header.aggregate-id}";
        String method = orders + "?httpMethod=${header.aggregate-id}";
        String inner = "http://${header.aggregate-id}." + receiver.url().replace("http://", "");
        switch (kind) {
            case "toD" -> route.toD(address);
            case "toD path" -> route.toD(address + "?tenant=7&b=1");
            case "toD query" -> route.toD(orders + "?" + query);
            case "toD signed" -> route.toD(orders + "?sig=a%2Bb%2Fc%3D%26&id=${header.aggregate-id}");
            case "toD setting" -> {
                route.getCamelContext()
                        .getPropertiesComponent()
                        .addInitialProperty("hook", orders + "?sig=a%2Bb%2Fc%3D");
                route.toD("{{hook}}&id=${header.aggregate-id}");
            }
            case "toD plus" -> route.toD(orders + "?q=1+${header.aggregate-id}");
            case "toD parameters" -> route.toD(orders + "?tenant=7&${header.aggregate-id}");
            case "toD whole url" ->
                route.setHeader("url", simple(orders + "?id=${header.aggregate-id}"))
                        .toD("${header.url}");
            case "list signed" -> route.recipientList(simple(orders + "?sig=a%2Bb%2Fc%3D&id=${header.aggregate-id}"));
            case "enrich query" -> route.enrich().simple(orders + "?" + query).end();
            case "routingSlip query" -> route.routingSlip(simple(orders + "?" + query));
            case "toD host" -> route.toD(receiver.url() + "${header.aggregate-id}");
            case "toD scheme" ->
                route.toD("http${header.aggregate-id}" + receiver.url().substring(4));
            case "uri scheme" ->
                route.setHeader(
                                "CamelHttpUri",
                                simple("http${header.aggregate-id}"
                                        + receiver.url().substring(4)))
                        .to(orders);
            case "webhook scheme" ->
                route.toD(
                        WEBHOOK + "http${header.aggregate-id}" + receiver.url().substring(4));
            case "toD method" -> route.toD(method);
            case "list method" -> route.recipientList(simple(method));
            case "enrich method" -> route.enrich().simple(method).end();
            case "sms text" ->
                route.toD("sms:a?url=RAW(" + orders + ")&from=Shop&to=RAW(+15550100001)&text=${header.aggregate-id}");
            case "list file" -> route.recipientList(simple("file:target/never?fileName=${header.aggregate-id}"));
            case "recipientList" -> route.recipientList(simple(address));
            case "list spaces" -> route.recipientList(simple(address + " , log:second "));
            case "toD end" -> route.toD(orders + "?id=${header.aggregate-id}");
            case "list end" -> route.recipientList(simple(orders + "?id=${header.aggregate-id}"));
            case "begins with value" ->
                route.setHeader("url", constant(orders)).toD("${header.url}?id=${header.aggregate-id}");
            case "name of parameter" -> route.toD(orders + "?${header.aggregate-id}=a");
            case "value after name" -> route.toD(orders + "?f_${header.aggregate-type}=${header.aggregate-id}");
            case "toD login" ->
                route.toD(address + "?authMethod=Basic&authenticationPreemptive=true&authUsername=u"
                        + "&authPassword=RAW(p+w%41&z9)");
            case "enrich login" ->
                route.enrich()
                        .simple(address + "?authMethod=Basic&authenticationPreemptive=true&authUsername=u"
                                + "&authPassword=RAW(p+w%41&z9)")
                        .end();
            case "toD text" -> route.toD(orders + "?${header.aggregate-id}-${header.aggregate-type}");
            case "toD timeout" -> route.toD(address + "?x=1&responseTimeout=5000&connectTimeout=5000");
            case "template raw" -> route.recipientList(template(orders + "?id=RAW(${header.aggregate-id})"));
            case "list query" -> route.recipientList(simple(orders + "?" + query));
            case "toD plain" -> route.toD().allowOptimisedComponents(false).uri(orders + "?" + query);
            case "toD path plain" -> route.toD().allowOptimisedComponents(false).uri(address);
            case "toD whole" -> route.setHeader("url", simple(address)).toD("${header.url}");
            case "webhook" -> route.toD(WEBHOOK + inner + "/hooks");
            case "webhook raw" -> route.toD(WEBHOOK + "RAW(" + inner + "/hooks)");
            case "rest host" -> route.toD("rest:post:orders?host=" + inner);
            case "host name" -> route.toD(inner + "/orders");
            case "sql" -> route.toD("sql:insert into orders_log values ('${header.aggregate-id}')");
            case "template" -> route.recipientList(template(address));
            case "template toD" -> route.toD("language:text-template:" + address);
            case "template slip" -> route.routingSlip(template(address));
            case "template query" ->
                route.setHeader("CamelHttpQuery", template(query)).to(orders);
            case "template uri" ->
                route.setHeader("CamelHttpUri", template(address)).to(orders);
            case "template path" ->
                route.setHeader("CamelHttpPath", template("lines/${header.aggregate-id}"))
                        .to(orders);
            case "template cc" ->
                route.setHeader("Cc", template("${header.type} <${header.aggregate-id}>"))
                        .to(orders);
            case "template sql" ->
                route.setHeader("CamelSqlQuery", template("insert into a values ('${header.aggregate-id}')"))
                        .to("log:sql");
            case "template file" ->
                route.setHeader("CamelFileName", template("t1/${header.aggregate-id}"))
                        .to("file:target/never");
            case "sql comment" ->
                route.setHeader("CamelSqlQuery", simple("insert into a values ('${header.aggregate-id}')"))
                        .to("log:sql");
            case "sql header" ->
                route.setHeader("CamelSqlQuery", simple("delete from outbox where id = ${header.aggregate-id}"))
                        .to("log:sql");
            case "kafka" -> route.toD("kafka:orders-${header.aggregate-id}");
            case "name" ->
                route.setHeader("CamelHttpPath", simple("lines/${header.aggregate-id}"))
                        .to(orders);
            case "file" ->
                route.setHeader("CamelFileName", simple("${header.aggregate-id}.json"))
                        .to("file:target/never");
            case "file option" -> route.to("file:target/never?fileName=orders-${header.aggregate-id}.json");
            case "temporary file" ->
                route.to("file:target/never?fileName=a.json&tempFileName=${header.aggregate-id}.tmp");
            case "toD file option" ->
                route.toD("file:target/never?charset=utf-8&fileName=orders-${header.aggregate-id}.json");
            case "list file option" ->
                route.recipientList(
                        simple("log:orders,file:target/never?fileName=${header.type}/${header.aggregate-id}"));
            case "path" ->
                route.setHeader("CamelHttpPath", simple("${header.aggregate-id}"))
                        .to(orders);
            case "routingSlip" -> route.routingSlip(simple(address));
            case "dynamicRouter" -> route.dynamicRouter(simple(address));
            case "enrich" -> route.enrich().simple(address).end();
            case "pollEnrich" ->
                route.pollEnrich().simple(address).timeout(1_000).end();
            case "query" -> route.setHeader("CamelHttpQuery", simple(query)).to(orders);
            case "rawQuery" ->
                route.setHeader("CamelHttpRawQuery", simple(query)).to(orders);
            case "queries" ->
                route.setHeaders("X-Any", constant("a"), "camelHttpQuery", simple(query))
                        .to(orders);
            case "uri" -> route.setHeader("CamelHttpUri", simple(address)).to(orders);
            default ->
                route.setHeader("CamelHttpUri", simple(receiver.url() + "${header.aggregate-id}"))
                        .to(orders);
        }
    }

    @Test
    void a_value_is_in_a_login_as_it_is() throws Exception {
        start(
                route -> route.toD(
                        receiver.url()
                                + "/orders?authMethod=Basic&authenticationPreemptive=true&authUsername=u&authPassword=${header.aggregate-id}"));

        outbox.awaitPassed("orders", outbox.insert("p+w%41&z "));
        assertThat(receiver.requests()).singleElement().satisfies(request -> {
            assertThat(request.line()).isEqualTo("POST /orders HTTP/1.1");
            assertThat(request.header("authorization"))
                    .hasValue("Basic " + Base64.getEncoder().encodeToString("u:p+w%41&z ".getBytes(UTF_8)));
        });
    }

    /** They have one address, and are two steps to Camel. */
    @Test
    void the_options_of_an_address_are_not_those_of_another_one() throws Exception {
        String address = receiver.url() + "/${header.aggregate-id}?httpMethod=";
        start(route -> route.recipientList(simple(address + "PUT," + address + "DELETE," + address + "PATCH")));

        for (String key : List.of("a", "b")) {
            outbox.awaitPassed("orders", outbox.insert(key));
        }
        assertThat(receiver.requests())
                .extracting(RawHttp.Request::line)
                .containsExactly(
                        "PUT /a HTTP/1.1",
                        "DELETE /a HTTP/1.1",
                        "PATCH /a HTTP/1.1",
                        "PUT /b HTTP/1.1",
                        "DELETE /b HTTP/1.1",
                        "PATCH /b HTTP/1.1");
    }

    /** Each user agent needs a client of its own, as each host does. */
    @Test
    void the_connections_of_computed_addresses_are_closed_when_others_are_used() throws Exception {
        AtomicInteger open = new AtomicInteger();
        try (RawHttp server = RawHttp.start((request, out) -> {
            open.incrementAndGet();
            out.text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            while (out.socket().getInputStream().read() >= 0) {
                // until the client closes the connection
            }
            open.decrementAndGet();
        })) {
            start(route -> route.toD().cacheSize(5).uri(server.url() + "/orders?userAgent=${header.aggregate-id}"));

            for (int i = 0; i < 40; i++) {
                outbox.awaitPassed("orders", outbox.insert("agent-" + i));
            }

            eventually(() -> assertThat(open.get()).isLessThan(12));
            assertThat(server.requests()).hasSize(40);
        }
    }

    /** All addresses of a host have one producer in toD and enrich, and one each in other steps. */
    @Test
    void messages_that_are_sent_at_once_go_to_their_own_addresses() throws Exception {
        List<String> steps = List.of("toD", "enrich", "list", "slip");
        try (TestHttp server = new TestHttp(request -> {
            LockSupport.parkNanos(2_000_000); // so that others are sent meanwhile
            return TestHttp.Answer.of(200);
        })) {
            String key = "/${header.aggregate-id}";
            start(route -> route.toD(server.url() + "/toD" + key)
                    .enrich()
                    .simple(server.url() + "/enrich" + key + "?httpMethod=POST")
                    .recipientList(simple(server.url() + "/list" + key))
                    .routingSlip(simple(server.url() + "/slip" + key)));

            List<String> keys =
                    IntStream.range(0, 150).mapToObj(i -> "key-" + i).toList();
            long last = 0;
            for (String each : keys) {
                last = outbox.insert(each);
            }
            outbox.awaitPassed("orders", last);

            assertThat(server.requests())
                    .allSatisfy(request -> assertThat(request.path()).endsWith("/" + request.header("aggregate-id")))
                    .extracting(TestHttp.Request::path)
                    .containsExactlyInAnyOrderElementsOf(steps.stream()
                            .flatMap(step -> keys.stream().map(each -> "/" + step + "/" + each))
                            .toList());
        }
    }

    /** Camel stops the endpoint of a computed address when it needs its place for another one. */
    @Test
    void an_endpoint_that_another_route_no_longer_uses_goes_on_sending() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        try (RawHttp server = RawHttp.start((request, out) -> {
            if (request.line().startsWith("POST")) {
                answered.await();
            }
            out.text(RawHttp.EMPTY);
        })) {
            TestRelay relay = TestRelay.startAsShipped(
                    outbox.pool(), routes -> routes.from("outbox:orders").to(server.url() + "/a"));
            long first = outbox.insert("a");
            eventually(() -> assertThat(server.requests()).hasSize(1));
            relay.context().hasEndpoint(server.url() + "/a").stop();
            answered.countDown();
            outbox.awaitPassed("orders", first);
            outbox.awaitPassed("orders", outbox.insert("b"));

            assertThat(server.requests())
                    .filteredOn(request -> request.line().startsWith("POST"))
                    .hasSize(2);
        }
    }

    /** As Camel does, which sends both in these headers. */
    @Test
    void a_path_and_a_query_of_toD_replace_those_of_headers() throws Exception {
        start(route -> route.setHeader("CamelHttpPath", constant("old"))
                .setHeader("CamelHttpQuery", constant("old=1"))
                .toD(receiver.url() + "/${header.aggregate-id}?new=2")
                .to(receiver.url() + "/next")
                .setHeader("CamelHttpPath", constant("path"))
                .setHeader("CamelHttpQuery", constant("query=1"))
                .toD(receiver.url() + "${header.none != null ? '/x' : ''}")
                .setHeader("CamelHttpPath", constant("path"))
                .recipientList(simple(receiver.url() + "/${header.aggregate-id}?new=2")));

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(receiver.requests())
                .extracting(RawHttp.Request::line)
                .containsExactly(
                        "POST /a?new=2 HTTP/1.1",
                        "POST /next HTTP/1.1",
                        "POST /path?query=1 HTTP/1.1",
                        "POST /a/path?new=2 HTTP/1.1");
    }

    @Test
    void an_option_that_a_value_cannot_be_makes_the_message_dead() throws Exception {
        start(route -> route.toD(receiver.url() + "/orders?httpMethod=${header.aggregate-id}"));

        long id = outbox.insert("FETCH");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(outbox.text("select error_text from outbox_dead_letter")).contains("cannot be an option");
    }

    /** Camel drops the usual port of the other protocol, as if none were given. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://shop.example:443",
                "http://shop.example:8080",
                "http://shop.example",
                "http://[fd00::1]:80"
            })
    void the_port_of_a_computed_address_is_the_one_of_the_route(String shop) throws Exception {
        int port = Integer.parseInt(receiver.url().replaceFirst(".*:", ""));
        start(route -> route.toD(
                shop + "/orders/${header.aggregate-id}?proxyAuthScheme=http&proxyHost=localhost&proxyPort=" + port));

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(receiver.requests())
                .extracting(RawHttp.Request::line)
                .containsExactly("POST " + shop + "/orders/a HTTP/1.1");
    }

    /** Camel would replace it by a setting, or by a variable of the environment. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "recipientList",
                "routingSlip",
                "dynamicRouter",
                "enrich",
                "pollEnrich",
                "toD",
                "list",
                "array",
                "iterator",
                "second"
            })
    void an_address_that_a_bean_returns_shows_no_setting(String kind) throws Exception {
        Addresses addresses = new Addresses(receiver.url());
        TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.getContext().getRegistry().bind("addresses", addresses);
            RouteDefinition route = routes.from("outbox:orders");
            switch (kind) {
                case "routingSlip" -> route.routingSlip(routes.method(addresses, "one"));
                case "dynamicRouter" -> route.dynamicRouter(routes.method(addresses, "one"));
                case "enrich" -> route.enrich().method(addresses, "one").end();
                case "pollEnrich" ->
                    route.pollEnrich().method(addresses, "one").timeout(1_000).end();
                case "toD" -> route.toD("language:bean:addresses?method=one");
                case "recipientList" -> route.recipientList(routes.method(addresses, "one"));
                default -> route.recipientList(routes.method(addresses, kind));
            }
        });
        long id = outbox.insertWithHeaders("{\"place\": \"{{sys:user.name}}\"}");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(receiver.requests()).noneMatch(request -> request.line().contains(System.getProperty("user.name")));
        assertThat(outbox.text("select error_text from outbox_dead_letter")).contains("{{");
    }

    @ParameterizedTest
    @ValueSource(strings = {"%7B%7Bsys:user.name%7D%7D", "{%7bsys:user.name}}"})
    void an_option_with_a_value_of_the_message_shows_no_setting(String key) throws Exception {
        start(route -> route.toD(WEBHOOK + receiver.url() + "&contentType=${header.aggregate-id}"));
        long id = outbox.insert(key);

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(receiver.requests()).isEmpty();
    }

    /** A bean of a user, whose address is a text of the row. */
    public static final class Addresses {
        private final String url;
        private final AtomicInteger calls = new AtomicInteger();

        Addresses(String url) {
            this.url = url;
        }

        public String one(Exchange exchange) {
            return url + "/" + exchange.getMessage().getHeader("place");
        }

        public List<String> list(Exchange exchange) {
            return new ArrayList<>(List.of(one(exchange)));
        }

        public String[] array(Exchange exchange) {
            return new String[] {one(exchange)};
        }

        public Object iterator(Exchange exchange) {
            return list(exchange).iterator();
        }

        /** Another address with each call. */
        public String second(Exchange exchange) {
            return calls.getAndIncrement() == 0 ? one(exchange) : url + "/again";
        }
    }

    @Test
    void a_bean_is_asked_once_for_an_address() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Object counting = new Object() {
            @SuppressWarnings("unused")
            public String address() {
                calls.incrementAndGet();
                return receiver.url() + "/orders";
            }
        };
        TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .recipientList(routes.method(counting, "address")));

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(calls).hasValue(1);
    }

    @Test
    void a_setting_in_an_address_with_a_value_is_used() throws Exception {
        TestRelay.startAsShipped(outbox.pool(), routes -> routes.from("outbox:orders")
                .recipientList(simple(receiver.url() + "/{{sys:user.name}}/${header.aggregate-id}")));

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(receiver.requests())
                .extracting(RawHttp.Request::line)
                .containsExactly("POST /" + System.getProperty("user.name") + "/a HTTP/1.1");
    }

    /** The next step would send a GET without the message, which counts as delivered. */
    @ParameterizedTest
    @ValueSource(strings = {"to", "toD", "enrich"})
    void the_method_of_rest_is_not_that_of_the_next_step(String kind) throws Exception {
        String rest = "rest:get:customers/{aggregate-id}?host=" + other.url();
        start(route -> (switch (kind) {
                    case "to" -> route.to(rest);
                    case "toD" -> route.toD(rest + "&produces=${header.type}");
                    default -> route.enrich(rest);
                })
                .setBody(constant("{}"))
                .to(receiver.url() + "/orders"));

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(other.requests()).extracting(RawHttp.Request::line).containsExactly("GET /customers/a HTTP/1.1");
        assertThat(receiver.requests()).singleElement().satisfies(request -> {
            assertThat(request.line()).isEqualTo("POST /orders HTTP/1.1");
            assertThat(request.text()).isEqualTo("{}");
        });
    }

    @Test
    void the_address_of_a_rest_step_that_fails_is_not_that_of_the_next_step() throws Exception {
        start(route -> route.doTry()
                .to("rest:put:{type}/{missing}?host=" + other.url())
                .doCatch(IllegalArgumentException.class)
                .to(receiver.url() + "/failed")
                .end());

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(other.requests()).isEmpty();
        assertThat(receiver.requests()).extracting(RawHttp.Request::line).containsExactly("POST /failed HTTP/1.1");
    }

    private static LanguageExpression template(String text) {
        return new LanguageExpression("text-template", text);
    }

    private void start(Consumer<RouteDefinition> steps) throws Exception {
        TestRelay.startAsShipped(outbox.pool(), routes -> steps.accept(routes.from("outbox:orders")));
    }
}
