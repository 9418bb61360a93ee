package dev.caravan.routes.tryout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.base.settings.Settings;
import dev.caravan.routes.destination.Answer;
import dev.caravan.routes.destination.HttpSent;
import dev.caravan.routes.destination.KafkaSent;
import dev.caravan.routes.destination.MailSent;
import dev.caravan.routes.destination.Sent;
import dev.caravan.routes.destination.SqlSent;
import dev.caravan.routes.tryout.Trial.End;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.spi.IdempotentRepository;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DryRunTest {
    private static final String BOOKING = """
            {"bookingId":"B-7","date":"2026-12-01","time":"18:30","seats":2,
             "customer":{"name":"Ada","phone":"+15005550001","email":"ada@example.com"}}
            """;

    @TempDir
    private Path folder;

    private final UUID id = UUID.randomUUID();

    @Test
    void an_http_request_is_recorded_as_it_would_leave_the_process() {
        try (DryRun run = DryRun.start(shipped())) {
            Trial trial = run.attempt("booking-sms", message("booking.confirmed", BOOKING));

            assertThat(trial.end()).isEqualTo(End.DELIVERED);
            HttpSent request = (HttpSent) trial.sent().get(0);
            assertThat(request.method()).isEqualTo("POST");
            assertThat(request.url()).isEqualTo("http://localhost:8080/2010-04-01/Accounts/demo/Messages.json");
            assertThat(request.header("Idempotency-Key").orElseThrow()).startsWith(id + "-");
            assertThat(request.header("Host")).contains("localhost:8080");
            assertThat(request.header("Content-Length"))
                    .contains(Integer.toString(request.body().array().length));
            assertThat(request.header("traceparent")).isEmpty();
            assertThat(request.text()).startsWith("To=%2B15005550001&From=%2B15005550006&Body=Your+booking+B-7");
        }
    }

    /** The request of a token contains a secret. */
    @Test
    void no_token_of_oauth_is_requested() throws IOException {
        try (ServerSocket tokens = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            tokens.setSoTimeout(1);
            route("orders", """
                    - to:
                        uri: https://shop.example/hook
                        parameters:
                          oauth2ClientId: shop
                          oauth2ClientSecret: topsecret
                          oauth2TokenEndpoint: http://localhost:%d/token
                          responseTimeout: 1000
                    """.formatted(tokens.getLocalPort()));
            try (DryRun run = DryRun.start(mine())) {
                Trial trial = run.attempt("orders", message("order.placed", "{}"));

                assertThat(trial.end()).isEqualTo(End.DELIVERED);
                assertThat(trial.sent()).hasSize(1);
                assertThatThrownBy(tokens::accept).isInstanceOf(SocketTimeoutException.class);
            }
        }
    }

    @Test
    @Tag("long")
    void a_repeat_is_recognized_without_a_database() {
        try (DryRun run = DryRun.start(shipped())) {
            run.attempt("booking-sms", message("booking.confirmed", BOOKING));

            Trial again = run.attempt("booking-sms", message("booking.confirmed", BOOKING));

            assertThat(again.end()).isEqualTo(End.REPEAT);
            assertThat(again.sent()).isEmpty();
        }
    }

    @Test
    @Tag("long")
    void a_mail_is_recorded_with_headers_and_parts() {
        try (DryRun run = DryRun.start(shipped())) {
            Trial trial = run.attempt("customer-email", message("booking.confirmed", BOOKING));

            MailSent mail = (MailSent) trial.sent().get(0);
            assertThat(mail.recipients()).containsExactly("ada@example.com");
            assertThat(mail.header("Message-ID").orElseThrow()).matches("<" + id + "-[0-9a-f]{12}@caravan.localhost>");
            assertThat(mail.parts())
                    .extracting(part -> part.type().replaceFirst(";.*", ""))
                    .containsExactly("text/plain", "text/html");
            assertThat(mail.parts().get(0).content().text()).contains("Hello Ada, we expect you on 2026-12-01");
        }
    }

    @Test
    @Tag("long")
    void a_record_is_recorded_with_key_and_headers() {
        try (DryRun run = DryRun.start(shipped())) {
            Trial trial = run.attempt("orders-to-kafka", message("order.placed", "{\"total\": 7.50}"));

            KafkaSent record = (KafkaSent) trial.sent().get(0);
            assertThat(record.topic()).isEqualTo("orders");
            assertThat(record.key().orElseThrow().text()).isEqualTo("B-7");
            assertThat(record.header("id")).contains(id.toString());
            assertThat(record.text()).isEqualTo("{\"total\": 7.50}");
        }
    }

    @Test
    void an_answer_is_classified_as_by_a_relay() {
        for (var expected : Map.of(
                        Answer.status(400), End.DEAD,
                        Answer.status(500), End.RETRIED,
                        Answer.status(429).withHeader("Retry-After", "30"), End.WAITS,
                        Answer.of(Answer.Kind.REFUSED), End.WAITS,
                        Answer.of(Answer.Kind.TIMEOUT), End.RETRIED,
                        Answer.of(Answer.Kind.CUT), End.RETRIED)
                .entrySet()) {
            try (DryRun run = DryRun.start(shipped().answers(sent -> expected.getKey()))) {
                Trial trial = run.attempt("booking-sms", message("booking.confirmed", BOOKING));
                assertThat(trial.end()).as("%s", expected.getKey()).isEqualTo(expected.getValue());
                if (expected.getKey().status() == 429) {
                    assertThat(trial.retryAfter()).isEqualTo(Duration.ofSeconds(30));
                }
            }
        }
    }

    @Test
    void sql_and_any_other_endpoint_are_recorded_and_routes_from_outside_are_not_started() throws IOException {
        route("""
                - route:
                    id: many
                    from:
                      uri: outbox:many
                      steps:
                        - multicast:
                            steps:
                              - to: "sql:insert into ledger (id, total) values (:#${header.id}, :#${jsonpath($.total)})?dataSource=#dataSource"
                              - to: "file:target/never?fileName=x.txt"
                              - toD: "http://localhost:9/${header.type}"
                        - to: "outbox:more?type=order.more"
                - route:
                    from:
                      uri: "timer:tick?period=1"
                      steps:
                        - to: "file:target/never"
                - route:
                    from:
                      uri: "kafka:never"
                      steps:
                        - to: "file:target/never"
                """);
        try (DryRun run = DryRun.start(mine())) {
            Trial trial = run.attempt("many", message("order.placed", "{\"total\": 7}"));

            assertThat(trial.end()).as("%s", trial).isEqualTo(End.DELIVERED);
            assertThat(trial.sent()).extracting(Sent::kind).containsExactly("sql", "file", "http", "sql");
            assertThat(((SqlSent) trial.sent().get(0)).statement())
                    .isEqualTo("insert into ledger (id, total) values (?, ?)");
            assertThat(((SqlSent) trial.sent().get(0)).parameters().get(0)).isEqualTo(id.toString());
            assertThat(((SqlSent) trial.sent().get(3)).statement()).contains("insert into outbox");
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.contains("KafkaConsumer[never]"));
        }
        assertThat(Path.of("target/never")).doesNotExist();
    }

    @Test
    void statements_are_recorded_one_by_one_with_the_parameters_that_the_driver_would_get() throws IOException {
        route("sql", """
                - to: "sql:delete from old"
                - setHeader: {name: ids, simple: {expression: "3,4"}}
                - to: "sql:delete from seen where id in (:#in:ids)"
                - unmarshal: {json: {}}
                - to: "sql:insert into seen values (:#a, :#b)?batch=true"
                - to: "sql:update seen set name = '${header.CamelSqlUpdateCount}'?useMessageBodyForSql=false"
                """);
        try (DryRun run = DryRun.start(mine())) {
            Trial trial = run.attempt("sql", message("order.placed", "[{\"a\":1,\"b\":null},{\"a\":2,\"b\":\"x\"}]"));

            assertThat(trial.end()).as("%s", trial).isEqualTo(End.DELIVERED);
            assertThat(trial.sent())
                    .map(SqlSent.class::cast)
                    .extracting(SqlSent::statement, SqlSent::parameters)
                    .containsExactly(
                            tuple("delete from old", List.of()),
                            tuple("delete from seen where id in (?,?)", List.of("3", "4")),
                            tuple("insert into seen values (?, ?)", Arrays.asList(1, null)),
                            tuple("insert into seen values (?, ?)", List.of(2, "x")),
                            tuple("update seen set name = '${header.CamelSqlUpdateCount}'", List.of()));
        }
    }

    @Test
    void an_answer_of_a_database_is_classified_as_by_a_relay() throws IOException {
        route("sql", """
                - to: "sql:delete from old"
                """);
        for (var expected : Map.of(
                        Answer.status(500), End.RETRIED,
                        Answer.of(Answer.Kind.REFUSED), End.WAITS,
                        Answer.of(Answer.Kind.TIMEOUT), End.RETRIED)
                .entrySet()) {
            try (DryRun run = DryRun.start(mine().answers(sent -> expected.getKey()))) {
                Trial trial = run.attempt("sql", message("order.placed", "{}"));
                assertThat(trial.end()).as("%s", trial).isEqualTo(expected.getValue());
                assertThat(trial.sent()).hasSize(1);
            }
        }
    }

    @Test
    void an_own_repository_in_the_database_is_replaced_and_a_bean_that_connects_fails_with_a_reason()
            throws IOException {
        route("""
                - beans:
                    - name: seen
                      type: org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository
                      constructors: {0: "#bean:dataSource", 1: mine}
                - route:
                    id: once
                    from:
                      uri: outbox:once
                      steps:
                        - idempotentConsumer:
                            idempotentRepository: seen
                            eager: false
                            header: {expression: id}
                            steps:
                              - to: kafka:once
                - route:
                    id: bean
                    from:
                      uri: outbox:bean
                      steps:
                        - bean: {ref: dataSource, method: getConnection}
                """);
        try (DryRun run = DryRun.start(mine())) {
            assertThat(run.attempt("once", message("order.placed", "{}")).end()).isEqualTo(End.DELIVERED);
            assertThat(run.rememberedInMemory()).isTrue();
            assertThat(run.attempt("once", message("order.placed", "{}")).end()).isEqualTo(End.REPEAT);
            run.forgetIds();
            assertThat(run.attempt("once", message("order.placed", "{}")).end()).isEqualTo(End.DELIVERED);

            Trial trial = run.attempt("bean", message("order.placed", "{}"));
            assertThat(trial.failure().errorText()).contains("A dry run opens no connection to a database");
        }
    }

    @Test
    void no_id_of_a_dry_run_is_stored_in_a_file_a_topic_and_the_like(@TempDir Path other) throws IOException {
        Path stored = other.resolve("ids");
        route("""
                - beans:
                    - name: file
                      type: java.io.File
                      constructors: {0: "%s"}
                    - name: seen
                      type: org.apache.camel.support.processor.idempotent.FileIdempotentRepository
                      properties: {fileStore: "#bean:file"}
                - route:
                    id: once
                    from:
                      uri: outbox:once
                      steps:
                        - idempotentConsumer:
                            idempotentRepository: "#bean:seen"
                            eager: false
                            header: {expression: id}
                            steps:
                              - to: kafka:once
                """.formatted(stored));
        try (DryRun run = DryRun.start(mine())) {
            assertThat(run.attempt("once", message("order.placed", "{}")).end()).isEqualTo(End.DELIVERED);
            assertThat(run.attempt("once", message("order.placed", "{}")).end()).isEqualTo(End.REPEAT);
        }
        assertThat(stored).satisfiesAnyOf(file -> assertThat(file).doesNotExist(), file -> assertThat(file)
                .isEmptyFile());
    }

    @Test
    void no_id_is_stored_however_a_step_names_its_repository_and_wherever_the_step_is() throws IOException {
        route("""
                - route:
                    id: other
                    from:
                      uri: outbox:other
                      steps:
                        - idempotentConsumer:
                            idempotentRepository: "#class:%1$s"
                            eager: false
                            header: {expression: id}
                            steps:
                              - to: kafka:once
                - routeConfiguration:
                    id: all
                    intercept:
                      - intercept:
                          steps:
                            - idempotentConsumer:
                                idempotentRepository: seen
                                eager: false
                                header: {expression: id}
                                steps:
                                  - log: {message: first}
                - routeTemplate:
                    id: template
                    parameters:
                      - name: ids
                    from:
                      uri: outbox:once
                      steps:
                        - idempotentConsumer:
                            idempotentRepository: "#bean:{{ids}}"
                            eager: false
                            header: {expression: id}
                            steps:
                              - to: kafka:once
                - templatedRoute:
                    routeId: once
                    routeTemplateRef: template
                    parameters:
                      - name: ids
                        value: seen
                - beans:
                    - name: seen
                      type: %1$s
                """.formatted(StoredIds.class.getName()));
        StoredIds.STORED.clear();
        try (DryRun run = DryRun.start(mine())) {
            for (String route : List.of("other", "once")) {
                assertThat(run.attempt(route, message("order.placed", "{}")).end())
                        .as(route)
                        .isEqualTo(End.DELIVERED);
            }
        }
        assertThat(StoredIds.STORED).isEmpty();
    }

    @Test
    void no_message_of_a_dry_run_is_stored_in_a_repository_of_aggregate() throws IOException {
        route("""
                - beans:
                    - name: groups
                      type: org.apache.camel.processor.aggregate.jdbc.JdbcAggregationRepository
                      properties: {dataSource: "#bean:elsewhere", repositoryName: groups, transactionManager: "#bean:tx"}
                    - name: elsewhere
                      type: org.springframework.jdbc.datasource.DriverManagerDataSource
                      constructors: {0: "jdbc:postgresql://127.0.0.1:1/x"}
                    - name: tx
                      type: org.springframework.jdbc.datasource.DataSourceTransactionManager
                      constructors: {0: "#bean:elsewhere"}
                    - name: last
                      type: org.apache.camel.processor.aggregate.UseLatestAggregationStrategy
                - route:
                    id: grouped
                    from:
                      uri: outbox:grouped
                      parameters: {earlyAcknowledge: true}
                      steps:
                        - aggregate:
                            aggregationRepository: groups
                            aggregationStrategy: last
                            completionSize: 2
                            correlationExpression: {constant: {expression: all}}
                            steps:
                              - to: kafka:grouped
                """);
        try (DryRun run = DryRun.start(mine())) {
            Trial trial = run.attempt("grouped", message("order.placed", "{}"));
            assertThat(trial.end()).as("%s", trial).isEqualTo(End.DELIVERED);
        }
    }

    /** A repository that stores outside of the process. */
    public static final class StoredIds implements IdempotentRepository {
        static final Set<String> STORED = ConcurrentHashMap.newKeySet();

        @Override
        public boolean add(String id) {
            return STORED.add(id);
        }

        @Override
        public boolean contains(String id) {
            return STORED.contains(id);
        }

        @Override
        public boolean remove(String id) {
            return STORED.remove(id);
        }

        @Override
        public boolean confirm(String id) {
            return true;
        }

        @Override
        public void clear() {
            STORED.clear();
        }

        @Override
        public void start() {
            // not needed
        }

        @Override
        public void stop() {
            // not needed
        }
    }

    @Test
    void a_poll_of_another_system_fails_with_a_reason_instead_of_reading_it() throws IOException {
        Path file = Files.writeString(folder.resolve("in.txt"), "content");
        route("polls", """
                - pollEnrich:
                    constant: "file:%s?fileName=in.txt"
                """.formatted(folder));
        try (DryRun run = DryRun.start(mine())) {
            Trial trial = run.attempt("polls", message("order.placed", "{}"));

            assertThat(trial.end()).isEqualTo(End.RETRIED);
            assertThat(trial.failure().errorText()).contains("pollEnrich from file:");
        }
        assertThat(file).exists();
    }

    @Test
    void a_route_that_does_not_end_is_given_up() throws IOException {
        route("slow", """
                - delay:
                    constant: "600000"
                """);
        try (DryRun run = DryRun.start(mine().limit(Duration.ofMillis(50)))) {
            assertThat(run.attempt("slow", message("order.placed", "{}")).end()).isEqualTo(End.UNFINISHED);
        }
    }

    @Test
    void a_missing_component_is_reported_with_file_and_line() throws IOException {
        route("missing", """
                - log: hello
                - to: "twitter:ada"
                """);
        assertThatThrownBy(() -> DryRun.start(mine()))
                .isInstanceOf(DryRunException.class)
                .hasMessageContaining("own.camel.yaml:7")
                .hasMessageContaining("twitter");
    }

    @Test
    void a_function_that_nothing_computes_is_named_with_its_line_at_the_start() throws IOException {
        route("own", "- to: \"kafka:orders?key=${header.id}\"");

        assertThatThrownBy(() -> DryRun.start(mine()))
                .hasMessageContaining("own.camel.yaml:6: step to has ${…} in the option key of kafka:");
    }

    @Test
    void a_route_of_batches_gets_a_batch_of_one() throws IOException {
        route("""
                - route:
                    id: batches
                    from:
                      uri: outbox:batches
                      parameters:
                        batching: true
                      steps:
                        - to: kafka:batches
                """);
        try (DryRun run = DryRun.start(mine())) {
            Trial trial = run.attempt("batches", message("order.placed", "{\"total\": 7}"));

            assertThat(trial.end()).as("%s", trial).isEqualTo(End.DELIVERED);
            assertThat(trial.sent()).hasSize(1);
            assertThat(trial.sent().get(0).text()).isEqualTo("{\"total\": 7}");
            assertThat(((KafkaSent) trial.sent().get(0)).key().orElseThrow().text())
                    .isEqualTo("B-7");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "header tenant | choice: {when: [{expression: {simple: {expression: \"${header.tenant} == 'a'\"}}, steps: [{to: 'kafka:x'}]}], otherwise: {steps: [{to: 'kafka:y'}]}}",
                "header tenant | filter: {expression: {language: {language: payload, expression: \"header.tenant == 'a'\"}}, steps: [{to: 'kafka:x'}]}",
                "header tenant | filter: {expression: {header: {expression: tenant}}, steps: [{to: 'kafka:x'}]}",
                "header tenant | removeProperties: {pattern: '*'}}, {filter: {expression: {header: {expression: tenant}}, steps: [{to: 'kafka:x'}]}",
                "header tenant | setBody: {expression: {simple: {expression: '${body.ndjson}'}}}}, {filter: {expression: {header: {expression: tenant}}, steps: [{to: 'kafka:x'}]}",
                "header tenant | recipientList: {expression: {header: {expression: tenant}}}",
                "header tenant | routingSlip: {expression: {header: {expression: tenant}}}",
                "header tenant | to: {uri: 'direct:read'}",
                "header tenant | multicast: {steps: [{to: 'direct:read'}]}",
                "header tenant | setHeader: {name: to, expression: {constant: {expression: 'direct:read'}}}}, {toD: {uri: '${header.to}'}",
                "header tenant | setHeader: {name: CamelHttpPath, expression: {simple: {expression: '${header.tenant}'}}}}, {to: {uri: 'http://localhost:1/x'}",
                "header tenant | setBody: {expression: {language: {language: text-template, expression: 'For ${header.tenant:nobody}'}}}}, {to: {uri: 'kafka:x'}",
                "header tenant | setBody: {expression: {language: {language: text-template, expression: 'file:tenant.txt'}}}}, {to: {uri: 'kafka:x'}",
                "header tenant | sms: {}",
                "header tenant | split: {expression: {simple: {expression: '${body.bodies}'}}, steps: [{filter: {expression: {header: {expression: tenant}}, steps: [{to: 'kafka:x'}]}}]}",
                "header type | setHeader: {name: to, expression: {constant: {expression: 'direct:template'}}}}, {toD: {uri: '${header.to}'}",
                "The body is a batch | to: {uri: 'file:out'}",
                "The body is a batch | setBody: {expression: {simple: {expression: 'Orders: ${body}'}}}}, {to: {uri: 'kafka:x'}",
                "The body is a batch | convertBodyTo: {type: String}}, {to: {uri: 'kafka:x'}",
                "The body is a batch | to: {uri: 'http://localhost:1/x'}",
                "jsonpath reads one message | setHeader: {name: to, expression: {constant: {expression: 'direct:path'}}}}, {toD: {uri: '${header.to}'}"
            })
    void a_step_that_reads_one_message_where_the_exchange_has_a_batch_sends_nothing(String reason, String steps)
            throws IOException {
        Files.writeString(folder.resolve("tenant.txt"), "For ${header.tenant:nobody}");
        String sms = "to: {uri: 'sms:gateway', parameters: {url: 'http://localhost:1', from: '1', to: '+15005550001',"
                + " text: 'For ${header.tenant:you}'}}";
        route("""
                - route: {id: read, from: {uri: "direct:read", steps: [{filter: {expression: {header: {expression: tenant}}, steps: [{to: "kafka:x"}]}}]}}
                - route: {id: template, from: {uri: "direct:template", steps: [{setBody: {expression: {language: {language: text-template, expression: "file:${header.type}.txt"}}}}]}}
                - route: {id: path, from: {uri: "direct:path", steps: [{setBody: {expression: {jsonpath: {expression: "$[0]"}}}}]}}
                - route: {id: batches, from: {uri: "outbox:batches", parameters: {batching: true}, steps: [{%s}]}}
                """.formatted(steps.equals("sms: {}") ? sms : steps));
        try (DryRun run = DryRun.start(mine())) {
            Trial trial = run.attempt("batches", ofTenant());

            assertThat(trial.end()).as("%s", trial).isEqualTo(End.RETRIED);
            assertThat(trial.failure().errorText()).contains(reason);
            assertThat(trial.sent()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "setHeader: {name: tenant, expression: {constant: {expression: a}}}}, {filter: {expression: {header: {expression: tenant}}, steps: [{to: 'kafka:x'}]}",
                "split: {expression: {simple: {expression: '${body}'}}, steps: [{filter: {expression: {header: {expression: tenant}}, steps: [{to: 'kafka:x'}]}}]}",
                "split: {expression: {simple: {expression: '${body}'}}, steps: [{choice: {when: [{expression: {header: {expression: other}}, steps: [{to: 'kafka:y'}]}], otherwise: {steps: [{to: 'direct:read'}]}}}]}",
                "filter: {expression: {simple: {expression: '${header.unknown} == null'}}, steps: [{to: 'kafka:x'}]}",
                "log: {message: '${body} for ${header.tenant}'}}, {to: {uri: 'log:x'}}, {to: {uri: 'kafka:x'}"
            })
    void a_step_that_reads_what_a_batch_has_sends_it(String steps) throws IOException {
        route("""
                - route: {id: read, from: {uri: "direct:read", steps: [{filter: {expression: {header: {expression: tenant}}, steps: [{to: "kafka:x"}]}}]}}
                - route: {id: batches, from: {uri: "outbox:batches", parameters: {batching: true}, steps: [{%s}]}}
                """.formatted(steps));
        try (DryRun run = DryRun.start(mine())) {
            Trial trial = run.attempt("batches", ofTenant());

            assertThat(trial.end()).as("%s", trial).isEqualTo(End.DELIVERED);
            assertThat(trial.sent()).extracting(Sent::text).containsExactly("{}");
        }
    }

    private Message ofTenant() {
        return new Message(
                1, id, new Key("booking", "B-7"), "order.placed", "{\"tenant\": \"a\"}", "{}", Instant.EPOCH);
    }

    @Test
    void the_route_of_dead_letters_runs_too() throws IOException {
        route("""
                - route:
                    id: dies
                    from:
                      uri: outbox:dies
                      steps:
                        - to: outbox:dead-letter
                - route:
                    from:
                      uri: direct:dead-letter
                      steps:
                        - to: kafka:dead-letters
                """);
        try (DryRun run = DryRun.start(mine())) {
            Trial trial = run.attempt("dies", message("order.placed", "{}"));

            assertThat(trial.end()).isEqualTo(End.DEAD);
            assertThat(trial.afterDeath()).hasSize(1);
        }
    }

    /** A route from a subscription of its name. */
    private void route(String id, String steps) throws IOException {
        route("""
                - route:
                    id: %1$s
                    from:
                      uri: outbox:%1$s
                      steps:
                %2$s""".formatted(id, steps.indent(8)));
    }

    private void route(String yaml) throws IOException {
        Files.writeString(folder.resolve("own.camel.yaml"), yaml);
    }

    private DryRunOptions mine() {
        return new DryRunOptions(Settings.load(
                folder.resolve("none.properties"),
                Map.of("caravan.routes", folder.toString(), "camel.component.kafka.brokers", "localhost:1")));
    }

    private static DryRunOptions shipped() {
        return new DryRunOptions(Settings.load(Path.of("application.properties"), Map.of()));
    }

    private Message message(String type, String payload) {
        return new Message(1, id, new Key("booking", "B-7"), type, null, payload, Instant.EPOCH);
    }
}
