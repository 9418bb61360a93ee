package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestHttp;
import dev.caravan.WrittenLog;
import dev.caravan.base.settings.Settings;
import dev.caravan.routes.tryout.DryRun;
import dev.caravan.routes.tryout.DryRunOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TryCommandTest {
    private static final String MESSAGE = """
            {"messageId": "3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a", "aggregateType": "order", "aggregateId": "42",
             "type": "order.placed", "headers": {"tenant": "north", "evil": "a\\r\\nX-Injected: 1"},
             "payload": {"total":  7.50, "note": "über"}}
            """;

    @TempDir
    private Path folder;

    private Path route;
    private String config;

    @BeforeEach
    void write() throws IOException {
        Path routes = Files.createDirectory(folder.resolve("routes"));
        route = routes.resolve("shop.camel.yaml");
        route("{{shop.url}}?httpMethod=POST&token={{shop.token}}");
        Path settings = folder.resolve("application.properties");
        Files.writeString(settings, """
                caravan.routes = routes
                shop.url = http://127.0.0.1:1/orders
                shop.token = verysecret
                """);
        config = settings.toString();
    }

    private void route(String url) throws IOException {
        Files.writeString(route, """
                - route:
                    id: orders-to-shop
                    from:
                      uri: outbox:shop
                      parameters:
                        types: "order.*"
                      steps:
                        - setHeader:
                            name: Authorization
                            constant: "Bearer verysecret"
                        - to: "%s"
                """.formatted(url));
    }

    @Test
    @Tag("long")
    void a_file_replaces_one_of_the_routes_folder_with_the_same_name_whatever_its_problems() throws IOException {
        Path draft = Files.createDirectory(folder.resolve("drafts")).resolve("shop.camel.yaml");
        Files.copy(route, draft);
        Files.writeString(route, Files.readString(route).replace("types:", "typse:"));

        assertThat(CommandRun.of("try", draft.toString(), "--message", message(), "--config", config)
                        .assertDone()
                        .err())
                .doesNotContain("shop.camel.yaml");
        assertThat(tried("--message", message()).err()).contains("typse");
    }

    @Test
    void a_wrong_header_of_the_answer_is_refused() throws IOException {
        assertThat(tried("--message", message(), "--answer-header", "Retry-After")
                        .err())
                .contains("--answer-header must be NAME: VALUE, got Retry-After")
                .doesNotContain("--answer --answer-header");
    }

    @Test
    void the_request_is_shown_with_its_secrets_hidden() throws IOException {
        assertThat(tried("--message", message())
                        .assertDone(
                                "http  POST http://127.0.0.1:1/orders?token=•••",
                                "Authorization: Bearer •••",
                                "tenant: north",
                                "body       {\"total\":  7.50, \"note\": \"über\"}",
                                "Result: delivered.",
                                "Nothing was sent or written.")
                        .out())
                .doesNotContain("verysecret")
                .doesNotContain("\nX-Injected");
    }

    @Test
    void a_query_is_said_to_be_not_run_wherever_its_rows_would_be_the_body() throws IOException {
        route("sql:select name from customer where id = :#id?dataSource=#dataSource");
        CommandRun query = tried("--message", message());
        route("sql:insert into sent (id) values (:#id) returning id");
        CommandRun returning = tried("--message", message());
        route("sql:insert into sent (id) values (:#id)");
        CommandRun insert = tried("--message", message());

        for (CommandRun run : List.of(query, returning)) {
            assertThat(run.out())
                    .contains("The query was not run. The next steps have used the body before it instead of its rows.")
                    .contains("Result: delivered, if the query returns what the next steps need: it was not run.");
        }
        assertThat(insert.out()).contains("Result: delivered.").doesNotContain("not run");
    }

    @Test
    void numbers_are_exact_after_unmarshal_and_marshal_of_json() throws IOException {
        for (String options : List.of("{}", "{unmarshalType: com.fasterxml.jackson.databind.JsonNode}")) {
            Files.writeString(route, """
                    - route:
                        id: json
                        from:
                          uri: outbox:shop
                          steps:
                            - unmarshal: {json: %s}
                            - marshal: {json: {}}
                            - to: "{{shop.url}}?httpMethod=POST"
                    """.formatted(options));

            CommandRun run = CommandRun.of(
                    "try",
                    route.toString(),
                    "--type",
                    "a",
                    "--payload",
                    "{\"a\":84.50,\"b\":1e400,\"c\":0.1,\"d\":12345678901234567890.123}",
                    "--config",
                    config);

            assertThat(run.out()).contains("{\"a\":84.50,\"b\":1E+400,\"c\":0.1,\"d\":12345678901234567890.123}");
        }
    }

    @Test
    void a_value_of_json_is_shown_as_it_is_sent() throws IOException {
        Files.writeString(route, """
                - route:
                    id: json
                    from:
                      uri: outbox:shop
                      steps:
                        - unmarshal: {json: {}}
                        - to: "file:orders"
                        - to: "kafka:orders?brokers=localhost:1"
                """);

        CommandRun run = CommandRun.of(
                "try", route.toString(), "--type", "a", "--payload", "{\"a\":84.50,\"b\":true}", "--config", config);

        assertThat(run.out().split("\\{\"a\":84.50,\"b\":true}", -1)).hasSize(3);
    }

    @Test
    void exit_codes_report_the_outcome() throws IOException {
        CommandRun retried = tried("--message", message(), "--answer", "500");
        assertThat(retried.exit()).isEqualTo(3);
        assertThat(retried.out()).contains("retried: the failure counts as attempt 1 of 10");
        CommandRun other = tried("--type", "invoice.sent");
        assertThat(other.exit()).isEqualTo(5);
        assertThat(other.out()).contains("orders-to-shop reads order.*");
    }

    @Test
    void json_output_has_the_same_facts() throws IOException {
        Files.writeString(route, """
                - route:
                    id: json
                    from:
                      uri: outbox:shop
                      steps:
                        - to: "kafka:drafts?brokers=localhost:1"
                        - to: "sql:insert into seen values (:#type, 'a')"
                        - to: "{{shop.url}}?httpMethod=POST"
                """);

        CommandRun run = tried("--message", message());

        assertThat(run.out()).contains("parameter  order.placed");
        String json = tried("--message", message(), "--output", "json", "--answer-header", "a: b")
                .out();
        assertThat(json.replaceAll("\\s+", " "))
                .startsWith("[ { \"messageId\" : \"3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a\", \"type\" : \"order.placed\","
                        + " \"route\" : \"json\", \"subscription\" : \"shop\", \"result\" : \"delivered\","
                        + " \"outcome\" : \"delivered\", \"retryAfterSeconds\" : 0, \"sent\" : [ {"
                        + " \"kind\" : \"kafka\", \"destination\" : \"drafts\", \"key\" : \"42\", \"partition\" : null,"
                        + " \"headers\" : [ { \"name\" : ")
                .contains("\"headers\" : [ ], \"parameters\" : [ \"order.placed\" ], \"bodyBytes\" : 12,"
                        + " \"answer\" : { \"answer\" : \"200\", \"headers\" : { \"a\" : \"b\" }, \"body\" : null,"
                        + " \"detail\" : null } }")
                .endsWith("\"sentByDeadLetterRoute\" : [ ] } ] ");
    }

    @Test
    void samples_beside_the_route_are_used() throws IOException {
        Path samples = Files.createDirectory(route.resolveSibling("samples"));
        Files.writeString(samples.resolve("order.placed.json"), MESSAGE);

        CommandRun run = tried("--samples");

        assertThat(run.out()).contains("3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a").doesNotContain("Generated");
    }

    @Test
    void a_sample_has_the_fields_and_lists_of_the_templates() throws IOException {
        Files.writeString(route.resolveSibling("lines.mustache"), """
                {{#items}}{{quantity * price}} {{article}} {{/items}}{{#language == 'de'}}Summe{{/language == 'de'}}
                {{sum(positions, weight)}} {{#customer.vip}}{{customer.name}}{{/customer.vip}}{{^note}}{{/note}}
                """);
        Files.writeString(route.resolveSibling("foot-sample.created.txt"), "${total} of ${shop.name}");
        Files.writeString(route, """
                - route:
                    id: lines
                    from:
                      uri: outbox:lines
                      steps:
                        - setBody: {expression: {language: {language: text-template, expression: "file:lines.mustache"}}}
                        - to: "kafka:drafts?brokers=localhost:1"
                        - setBody: {expression: {language: {language: text-template, expression: "file:foot-${header.type}.txt"}}}
                """);

        assertThat(tried("--samples").out())
                .contains("\"items\":[{\"quantity\":2,\"price\":184.50,\"article\":\"sample article\"}]")
                .contains(
                        "\"total\":184.50", "\"shop\":{\"name\":\"sample name\"}", "\"language\":", "\"positions\":[{")
                .contains("369.00 sample article");
    }

    @Test
    @Tag("long")
    void each_of_two_routes_that_read_a_type_gets_its_sample_once() throws IOException {
        Path samples = Files.createDirectory(route.resolveSibling("samples"));
        Files.writeString(samples.resolve("order.placed.json"), MESSAGE);
        String first = Files.readString(route);
        Files.writeString(
                route, first + first.replace("orders-to-shop", "orders-to-mall").replace("outbox:shop", "outbox:mall"));

        CommandRun run = tried("--samples");

        assertThat(run.out()).containsOnlyOnce("by route orders-to-shop").containsOnlyOnce("by route orders-to-mall");
    }

    @Test
    void a_file_outside_of_the_folder_is_tried_as_if_it_were_in_it() throws IOException {
        Path draft = folder.resolve("draft.camel.yaml");
        Files.writeString(draft, """
                - route:
                    id: draft
                    from:
                      uri: outbox:draft
                      steps:
                        - to: "kafka:drafts?brokers=localhost:1"
                """);

        CommandRun run = CommandRun.of("try", draft.toString(), "--type", "order.placed", "--config", config);

        assertThat(run.out()).contains("kafka  drafts").contains("key        1");
    }

    @Test
    void wrong_use_is_reported_before_anything_runs() throws IOException {
        tried().assertWrongUse();
        assertThat(tried("--message", message(), "--answer", "maybe").err())
                .contains("must be a status from 200 to 599");
        assertThat(tried("--samples", "--send").err()).contains("--send needs a message that you name");
        Files.writeString(folder.resolve("bad.json"), "{\"type\": 1}");
        assertThat(tried("--message", folder.resolve("bad.json").toString()).err())
                .contains("message 1: type must be a string");
        Files.writeString(folder.resolve("bad.json"), "{\"typ\": \"a\"}");
        assertThat(tried("--message", folder.resolve("bad.json").toString()).err())
                .contains("unknown field typ, did you mean type? Nothing was sent.");
        tried("--message", folder.resolve("absent.json").toString())
                .assertWrongUse("Could not find the file", "absent.json");
        route("nosuch:thing");
        tried("--samples").assertWrongUse("shop.camel.yaml:11: route orders-to-shop: nosuch:thing is refused");
    }

    @Test
    void send_sends_one_message_and_shows_the_answer() throws IOException {
        TestHttp.Answer taken = new TestHttp.Answer(202, Map.of("X-Receipt", "77"), "taken");
        try (TestHttp server = new TestHttp(request -> taken)) {
            route(server.url() + "/in");

            CommandRun run = tried("--message", message(), "--send");

            assertThat(server.requests().get(0).text()).isEqualTo("{\"total\":  7.50, \"note\": \"über\"}");
            assertThat(run.out()).contains("answer     202").contains("\"77\"").contains("taken");
        }
        CommandRun dead = tried("--message", message(), "--send");
        assertThat(dead.exit()).isEqualTo(3);
        assertThat(dead.out()).contains("Connection refused");
    }

    @Test
    @Tag("long")
    void settings_of_a_component_that_is_not_added_prevent_no_trial_of_other_routes() throws IOException {
        Files.writeString(route.resolveSibling("queue.properties"), """
                camel.beans.amqpBroker = #class:org.example.Broker
                camel.beans.amqpBroker.address = amqp://localhost
                camel.component.amqp.port = 5672
                camel.component.amqp.connectionFactory = #bean:amqpBroker
                """);

        tried("--message", message()).assertDone("Result: delivered.");
    }

    @Test
    @Tag("long")
    void a_setting_takes_precedence_over_an_environment_variable_of_its_name() throws IOException {
        Files.writeString(route.resolveSibling("mine.properties"), "path = http://127.0.0.1:1/mine\n");
        route("{{path}}?httpMethod=POST");

        assertThat(tried("--message", message()).out()).contains("POST http://127.0.0.1:1/mine");
    }

    @Test
    void the_built_in_error_handling_applies_to_a_folder_with_one_route() throws IOException {
        CommandRun waits = tried("--message", message(), "--answer", "refused");
        assertThat(waits.exit()).isEqualTo(3);
        assertThat(waits.out()).contains("waits: the destination counts as unavailable");

        assertThat(tried("--message", message(), "--answer", "422").out()).contains("Result: dead");
        assertThat(tried("--message", message(), "--answer", "400", "--answer-body", "{\"code\": 21611}")
                        .out())
                .as("a known answer")
                .contains("waits: the destination counts as unavailable");

        Files.writeString(route.resolveSibling("zz.camel.yaml"), """
                - routeConfiguration:
                    onException:
                      - onException:
                          exception: [org.apache.camel.http.base.HttpOperationFailedException]
                          onWhen: {simple: {expression: "${exception.statusCode} == 422"}}
                          steps:
                            - setProperty:
                                name: CamelOutboxFailure
                                expression: {constant: {expression: destination}}
                """);
        assertThat(tried("--message", message(), "--answer", "422").out())
                .as("a clause of another file takes precedence")
                .contains("waits: the destination counts as unavailable");

        Files.delete(route.resolveSibling("zz.camel.yaml"));
        Files.writeString(route.resolveSibling("error-handling.camel.yaml"), "- routeConfiguration: {onException: []}");
        assertThat(tried("--message", message(), "--answer", "422").out())
                .as("with a file of that name")
                .contains("retried: the failure counts as attempt 1 of 10");
    }

    @Test
    @Tag("long")
    void what_a_route_logs_is_marked() throws IOException {
        route("direct:dead");
        Files.writeString(folder.resolve("routes/dead.camel.yaml"), """
                - route:
                    id: dead
                    from:
                      uri: direct:dead
                      steps:
                        - log: "order ${header.aggregate-id} is dead"
                """);
        try (var log = WrittenLog.of("dead")) {
            tried("--message", message());

            assertThat(log.lines()).containsExactly("(dry run) order 42 is dead");
        }
    }

    @Test
    void a_route_of_another_file_that_cannot_be_created_is_left_out_here_and_named_by_the_dry_run_itself()
            throws IOException {
        Files.writeString(route.resolveSibling("other.camel.yaml"), """
                - route:
                    id: other
                    from:
                      uri: direct:other
                      steps:
                        - marshal:
                            gzipDeflater: {}
                """);

        assertThat(tried("--message", message()).assertDone().err())
                .contains("Left out, because check finds problems in them: other.camel.yaml.");
        DryRunOptions all = new DryRunOptions(Settings.load(Path.of(config), Map.of()));
        assertThatThrownBy(() -> DryRun.start(all))
                .hasMessageContaining("other.camel.yaml: route other: ")
                .hasMessageContaining("./caravan component add zip-deflater");
    }

    @Test
    @Tag("long")
    void a_large_body_is_shown_whole_and_bytes_as_digits() throws IOException {
        String note = "n".repeat(10 << 20);
        Path large = Files.writeString(folder.resolve("large.json"), MESSAGE.replace("über", note));
        Path binary = Files.writeString(
                folder.resolve("binary.json"),
                "{\"aggregateType\": \"order\", \"aggregateId\": \"42\", \"type\": \"order.placed\", \"payloadBase64\": \""
                        + Base64.getEncoder().encodeToString(new byte[] {0, (byte) 0xff, 'A', 0x1b}) + "\"}");

        assertThat(tried("--message", large.toString()).out()).contains(note);
        assertThat(tried("--message", binary.toString()).out())
                .contains("binary, 4 bytes", "00 ff 41 1b")
                .doesNotContain("\0", "\u001b");
    }

    private String message() throws IOException {
        return Files.writeString(folder.resolve("m.json"), MESSAGE).toString();
    }

    private CommandRun tried(String... more) {
        return CommandRun.of(List.of("try", route.toString(), "--config", config), more);
    }
}
