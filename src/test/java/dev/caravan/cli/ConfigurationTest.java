package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.check.CheckResult;
import dev.caravan.check.Configuration;
import dev.caravan.outbox.TestOutbox;
import dev.caravan.settings.Settings;
import dev.caravan.settings.SettingsFirst;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code check} reports of settings and routes keeps {@code run} from starting, with the same words. */
class ConfigurationTest {
    /** No address: Kafka's client does not try for seconds to reach it. */
    private static final String NO_BROKERS = "camel.component.kafka.brokers=none";

    /** Nothing listens there. */
    private static final String NO_DATABASE = "jdbc:postgresql://localhost:1/none";

    private static TestOutbox database;

    @TempDir
    Path folder;

    private Path routes;

    @BeforeAll
    static void createDatabase() throws Exception {
        database = TestOutbox.create();
    }

    @BeforeEach
    void createRoutes() throws IOException {
        routes = Files.createDirectory(folder.resolve("routes"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "camel.component.outbox.leaseDuration=banana | camel.component.outbox.leaseDuration: must be a duration such as 500ms, 30s or 1h30m, got banana",
                "camel.component.outbox.leaseDuration=1ms | leaseDuration must be between 100ms and 1h, got 1ms",
                "camel.component.outbox.leaseDuration=-10s | leaseDuration: must be a duration such as 500ms, 30s or 1h30m, got",
                "camel.component.outbox.leaseDuration=10000 | leaseDuration: must be a duration with a unit, such as 500ms, 30s or 1h30m, got 10000",
                "camel.component.outbox.leaseDuration=5 s | leaseDuration: must be a duration such as 500ms, 30s or 1h30m, got",
                "camel.component.outbox.leaseDurations=5s | camel.component.outbox.leaseDurations: is not a known setting; did you mean camel.component.outbox.leaseDuration?",
                "camel.component.kafka.lingerMs=quick | camel.component.kafka.lingerMs: must be a whole number, or a duration such as 500ms, 30s or 1h30m, got quick",
                "camel.component.http.automaticRetriesDisabled=yes | must be true or false, got yes",
                "camel.component.nowhere.a=b | nowhere",
                "camel.component.aws2-sqs.region=eu | it needs camel-aws2-sqs: ./caravan component add aws2-sqs",
                "camel.management.port=abc | camel.management.port: must be a port from 0 to 65535, got abc",
                "camel.management.port=70000 | camel.management.port: must be a port from 0 to 65535, got 70000",
                "camel.management.prot=9876 | camel.management.prot: is not a known setting; did you mean camel.management.port?",
                "camel.management.enabled=ja | camel.management.enabled: must be true or false, got ja",
                "camel.metrics.enabled=ja | must be true or false, got ja",
                "camel.health.exposureLevel=most | camel.health.exposureLevel: must be full, default, oneline, got most",
                "camel.main.shutdownTimeout=soon | camel.main.shutdownTimeout: must be a whole number",
                "camel.main.jmxEnabled=falsch | must be true or false, got falsch",
                "caravan.partition.ahead=2 | caravan.partition.ahead: is not a known setting",
                "caravan.wakeUp=true | caravan.wakeUp: is not a known setting",
                "caravan.db.urll=x | did you mean caravan.db.url?",
                "caravan.discarded.retention=5 | caravan.discarded.retention must be a duration from 0s to 3650d, such as 7d, got 5",
                "caravan.idempotent.retention=2h | caravan.idempotent.retention must be a duration from 1d to 3650d, such as 30d, got 2h",
                "camel.component.outbox.dataSource=#dataSource | camel.component.outbox.dataSource: is not a known setting",
                "caravan.idempotent.retentionDays=30 | did you mean caravan.idempotent.retention?",
                "camel.component.outbox.sleepDelay=1s | camel.component.outbox.sleepDelay: is not a known setting",
                "caravan.partition.sise=5 | did you mean caravan.partition.size?",
                "caravan.retention=soon | caravan.retention",
            })
    void a_wrong_setting_is_refused(String setting, String message) throws IOException {
        route("good", "outbox:good", "log:b");

        assertRefused(List.of(message), setting);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "order: strict, lanes: 3 | order=strict and lanes (3) cannot be combined",
                "types: '' | types must name at least one type",
                "saveInterval: banana | saveInterval must be a duration such as 500ms, 30s or 1h30m, got banana",
                "delay: 5 | option delay of Camel's scheduler cannot be used",
                "maxRetryAfters: 1h | unknown option maxRetryAfters, remove it",
                "window: 0 | window must be between 1 and 1000000, got 0",
                "window: -5 | window must be between 1 and 1000000, got -5",
                "window: many | window must be a whole number, got many",
                "concurrency: '' | concurrency must be a whole number, got nothing",
                "concurrency: 4s | concurrency must be a whole number, got 4s",
                "batchBytes: 4s | batchBytes must be a whole number, got 4s",
                "pipelined: maybe | pipelined must be true or false, got maybe",
                "order: random | order must be key, strict, none, got random",
                "backoff: 5 s | backoff must be a duration such as 500ms, 30s or 1h30m, got 5 s",
                "maxAge: 5, backoff: 0 | backoff must be a duration with a unit, such as 500ms, 30s or 1h30m, got 0; maxAge must be a duration with a unit, such as 500ms, 30s or 1h30m, got 5",
                "type: order.* | type is an option of outbox: as a destination. Use types for the types that a route reads",
                "binary: true | aggregateType, aggregateId and binary are options of outbox: as a destination",
                "maxAttempts: '{{nowhere.attempts}}' | nowhere.attempts",
                "concurency: 5, windw: x | unknown option concurency, did you mean concurrency?; unknown option windw, did you mean window?",
                "concurency: 5, saveInterval: x | saveInterval must be a duration such as",
            })
    void a_wrong_option_of_a_subscription_is_refused(String options, String message) throws IOException {
        route("wrong", "outbox:wrong", "log:b", "      parameters: {" + options + "}");

        assertRefused(List.of("wrong.camel.yaml:4: route wrong: outbox:wrong is refused: ", message));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kafka:orders?requestRequiredAcks=some | Invalid value some for configuration acks",
                "kafka:orders?compressionCodec=rar | Invalid value rar for configuration compression.type",
                "kafka:orders?lingerMs=quick&lebel=3 | lingerMs must be a whole number, or a duration such as 500ms, 30s or 1h30m, got quick",
                "kafka:orders?lingerMs=quick&lebel=3 | lebel",
                "kafka:orders?acks=all | unknown option acks, did you mean requestRequiredAcks?",
                "kafka:orders?maxInFlightRequest=10 | max.in.flight.requests.per.connection",
                "log:x?showBody=ja | showBody must be true or false, got ja",
                "outbox:next | needs the option type",
                "http:localhost?connectTimeout=soon | connectTimeout must be a whole number",
                "sms:gateway?url=http://localhost&from=a&to=b&text=c&connectTimeout=5 | connectTimeout must be a duration with a unit, such as 500ms, 30s or 1h30m, got 5",
                "standard-webhook:shop?url=http://localhost&secrets=a&responseTimeout=15000 | responseTimeout must be a duration with a unit",
                "email:order?server=smtp://localhost&from=a&to=b&subject=c&text=d&timeout=10 | timeout must be a duration with a unit",
                "direct:{{nowhere}} | nowhere",
                "nowhere:a | nowhere:a is refused: there is no component nowhere. Correct the name before the colon",
                "kafkaa:orders | there is no component kafkaa, did you mean kafka?",
                "outbx:next?type=a | there is no component outbx, did you mean outbox?",
                "aws2-sqs:orders | it needs camel-aws2-sqs: ./caravan component add aws2-sqs",
            })
    void a_wrong_option_of_a_destination_is_refused(String uri, String message) throws IOException {
        route("wrong", "outbox:wrong", uri);

        assertRefused(List.of("wrong.camel.yaml:7: route wrong: ", message), NO_BROKERS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "marshal: {csv: {}} | it needs camel-csv: ./caravan component add csv",
                "setBody: {expression: {groovy: {expression: '1'}}} | it needs camel-groovy: ./caravan component add groovy",
                "setBody: {simple: '${groovy:1}'} | Unknown function",
            })
    void a_step_that_needs_a_component_names_the_command_that_adds_it(String step, String message) throws IOException {
        Files.writeString(routes.resolve("wrong.camel.yaml"), """
                - route:
                    id: wrong
                    from:
                      uri: outbox:wrong
                      steps:
                        - %s
                """.formatted(step));

        assertRefused(List.of("wrong.camel.yaml:6: route wrong: ", message));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "setBdy: {constant: secret-1} | could not be read: unknown step setBdy, did you mean setBody?",
                "zzzzzz: {} | could not be read: unknown step zzzzzz. Common steps are to, setBody",
                "kafka: {topic: a} | could not be read: unknown step kafka, a destination is written as to: {uri: \"kafka:…\"}",
                "setHeader: {nam: secret-1} | could not be read: unsupported field nam",
                "setBody: {payload: 'a > 1'} | could not be read: unsupported field payload. Write the language as language: {language: payload, expression: …}",
                "to: {uri: 'log:a' | could not be read: a comma or a closing bracket is missing",
                "to: {uri: 'http:{{missing.url}}'} | route wrong: http:{{missing.url}} is refused: the setting missing.url is missing. Write it into application.properties, or into a *.properties file in the routes folder",
                "setBody: {simple: {expression: '{{missing.secret}}'}} | route wrong: step setBody has an invalid expression: the setting missing.secret is missing. Write it into",
                "to: {uri: 'http:{{env:NO_SUCH_VARIABLE}}'} | route wrong: http:{{env:NO_SUCH_VARIABLE}} is refused: the environment variable NO_SUCH_VARIABLE is not set",
                "setBody: {simple: {expression: '${bodi.x}'}} | route wrong: step setBody has an invalid expression: Unknown function: bodi.x",
                "choice: {when: [{simple: {expression: '${nope}'}, steps: [{log: {message: b}}]}]} | route wrong: step when has an invalid expression",
                "filter: {simple: {expression: '${body}'}, steps: [{process: {ref: nobody}}]} | route wrong: could not be created: No bean could be found in the registry for: nobody",
                "bean: {ref: '#class:java.util.Date', method: getTime} | route wrong: could not be created: the step bean has the name of a class in beanType, not in ref. Write beanType: java.util.Date",
                "to: {uri: 'amqp:queue:a'} | route wrong: amqp:queue:a is refused: there is no component amqp: it needs camel-amqp: ./caravan component add amqp",
                "to: {uri: '{{empty.url}}'} | route wrong: {{empty.url}} is refused: empty.url is empty. Set the address of the destination",
                "toD: {uri: 'https://{{empty.url}}/${header.id}'} | route wrong: https://{{empty.url}}/${header.id} is refused: empty.url is empty",
                "setBody: {jsonpath: {expression: '$.a..'}} | route wrong: step setBody has an invalid expression: $.a..: Path must not end with a '.' or '..'",
                "filter: {jsonpath: {expression: '$.a > 3'}, steps: [{log: {message: b}}]} | route wrong: step filter has an invalid expression: $.a > 3: Use bracket notion",
                "setHeaders: {headers: [{name: b, jsonpath: {expression: '$[?(@.a'}}]} | route wrong: step setHeaders (b) has an invalid expression: $[?(@.a: Could not parse",
                "log: {message: '{{own.name}} {a: {b: ${body}}}'} | route wrong: could not be created: contains }} that does not end a placeholder. Write it as } }",
                "to: {uri: 'log:a?shwBody=secret-1'} | route wrong: log:a is refused: unknown option shwBody, did you mean showBody?",
            })
    void a_mistake_is_named_with_file_and_line(String step, String message) throws IOException {
        Files.writeString(routes.resolve("wrong.camel.yaml"), """
                # a comment
                - route:
                    id: wrong
                    from:
                      uri: outbox:wrong
                      steps:
                        - log: {message: a}
                        - %s
                """.formatted(step));
        Files.writeString(routes.resolve("own.properties"), "empty.url =\nown.name = shop\n");

        assertRefused(List.of("wrong.camel.yaml:8: " + message));
        assertThat(CommandRun.of("check", "--config", CommandRun.config(folder, database))
                        .out())
                .doesNotContain("secret-1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "standard-webhook:shop?url=https://example.com/a&secrets=RAW(%s)",
                "standard-webhook:shop?url=https://example.com/a&secrets=%s",
                "https://hooks.example.com/services/%s",
                "smtp://shop@example.com?password=RAW(%s)&to=a@b.example",
                "http://shop:%s@example.com/a b?authPassword=%s&fooo=bar",
                "kafkaa:orders?apiKey=%s",
                "nowhere://%s",
                "standard-webhook:shop?url=https://example.com/a&secretz=%s",
            })
    void a_secret_in_an_address_is_shown_by_no_problem(String uri) throws IOException {
        String first = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        String second = "whsec_AAKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        route("secret", "outbox:secret", uri.replace("%s", "{{hook.secret}}"));
        String file = routes.resolve("secret.camel.yaml").toString();
        for (String secret : List.of(first, first + "\\n", first + "\\n" + second)) {
            String config = CommandRun.config(folder, NO_DATABASE, "postgres", NO_BROKERS, "hook.secret=" + secret);

            for (CommandRun run : List.of(
                    CommandRun.of("check", "--config", config),
                    CommandRun.of("try", file, "--type", "a", "--config", config))) {
                assertThat(run.out() + run.err()).doesNotContain("AAKQ9r8G", "MfKQ9r8G");
            }
        }
    }

    @Test
    void a_line_break_at_the_end_of_a_setting_or_a_variable_is_not_part_of_the_value() throws Exception {
        try (CamelContext context = new DefaultCamelContext()) {
            SettingsFirst.in(context);
            context.getPropertiesComponent().addInitialProperty("hook.secret", "whsec_a\nwhsec_b\r\n");
            context.build();

            assertThat(context.resolvePropertyPlaceholders("[{{hook.secret}}] {{hook.secret}}"))
                    .isEqualTo("[whsec_a\nwhsec_b] whsec_a\nwhsec_b");
        }
    }

    @Test
    void a_step_that_names_a_bean_that_does_not_exist_is_refused() throws IOException {
        Files.writeString(routes.resolve("bean.camel.yaml"), """
                - route:
                    id: bean
                    from:
                      uri: outbox:bean
                      steps:
                        - process:
                            ref: nobody
                """);

        assertRefused(List.of("bean.camel.yaml:6: route bean: could not be created: ", "nobody"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "parameters: {types: *}\\n      steps: [] | a.camel.yaml:5: could not be read: a value that begins with * or & must be in quotes, as in types: \"*\"",
                "parameters: {types: @a}\\n      steps: [] | a.camel.yaml:5: could not be read: a value that begins with @ must be in quotes",
                "steps:\\n      - to: log:a\\n       - to: log:secret | a.camel.yaml:7: could not be read: the line is not indented like those around it",
                "parameters: {}\\n\t  steps: [] | a.camel.yaml:6: could not be read: the line is indented with a tab: use spaces",
                "parameters: {types: \"a}\\n      steps: [] | a.camel.yaml:5: could not be read: a quote is opened and not closed",
                "steps:\\n        - setBody: {simple: secret: b} | a.camel.yaml:6: could not be read: a comma or a closing bracket is missing, or a value that contains a colon and a space is not in quotes",
                "steps:\\n        - to: log:secret: b | a.camel.yaml:6: could not be read: a value that contains a colon and a space must be in quotes",
                "steps:\\n        to: log:secret | a.camel.yaml:6: could not be read: a list is expected: begin each entry with a dash",
                "steps:\\n        - wireTap: log:secret | a.camel.yaml: could not be read: a step has its options on its line, but needs them by name",
            })
    void a_mistake_in_yaml_is_explained_without_the_words_of_the_parser(String lines, String message)
            throws IOException {
        Files.writeString(
                routes.resolve("a.camel.yaml"),
                "- route:\n    id: a\n    from:\n      uri: outbox:a\n      " + lines.replace("\\n", "\n"));

        assertRefused(List.of(message));
        assertThat(CommandRun.of("check", "--config", CommandRun.config(folder, NO_DATABASE, "postgres"))
                        .out())
                .doesNotContain("secret", "while parsing", "while scanning", "<block");
    }

    @Test
    void a_file_that_is_empty_or_no_list_is_refused() throws IOException {
        Files.writeString(routes.resolve("empty.camel.yaml"), "");
        assertRefused(List.of("empty.camel.yaml: could not be read: the file is empty"));

        Files.writeString(routes.resolve("empty.camel.yaml"), "route:\n  id: a\n  from: {uri: outbox:a}\n");
        assertRefused(List.of("empty.camel.yaml: is not a list, so nothing of it is loaded"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"rest:post:/api/orders", "rest:get:api:orders", "platform-http:/console/a", "platform-http:/auth"
            })
    void a_path_of_the_relay_is_refused_unless_routes_have_a_server_of_their_own(String uri) throws IOException {
        route("paths", uri, "log:b");

        assertRefused(List.of("paths.camel.yaml:4: route paths: ", "belongs to the relay"));
        assertThat(CommandRun.of(
                                "check",
                                "--config",
                                CommandRun.config(folder, NO_DATABASE, "postgres", "camel.server.enabled=true"))
                        .out())
                .doesNotContain("belongs to the relay");
        route("paths", uri.replaceFirst("api|console|auth", "apis"), "log:b");
        assertThat(CommandRun.of("check", "--config", CommandRun.config(folder, NO_DATABASE, "postgres"))
                        .out())
                .contains("paths.camel.yaml: 1 route");
    }

    @Test
    void steps_beside_from_are_refused_with_their_right_place() throws IOException {
        Files.writeString(routes.resolve("steps.camel.yaml"), """
                - route:
                    id: steps
                    from:
                      uri: outbox:steps
                    steps:
                      - to: log:a
                """);

        assertRefused(
                List.of("steps.camel.yaml:2: could not be read: steps must be part of from, indented like its uri"));
    }

    @Test
    void two_routes_that_read_one_subscription_are_refused() throws IOException {
        route("a", "outbox:orders", "log:a");
        route("b", "outbox:orders?lanes=2", "log:b");

        assertRefused(
                List.of("b.camel.yaml:1: route b: reads subscription orders, and so does a route in a.camel.yaml"));
    }

    @Test
    void all_problems_are_reported_at_once() throws IOException {
        route("strict", "outbox:strict?order=strict&lanes=3", "log:b");
        route("quick", "outbox:quick", "kafka:orders?lingerMs=quick");

        String config = CommandRun.config(
                folder,
                database,
                "camel.component.outbox.leaseDuration=banana",
                "camel.management.port=abc",
                "caravan.retention=soon");

        CommandRun run = CommandRun.of("run", "--config", config);
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err().lines().filter(line -> line.startsWith("- "))).hasSize(5);
        assertThat(run.err()).contains("strict", "quick", "banana", "abc", "caravan.retention");
        assertThat(run.err()).endsWith("Nothing was started." + System.lineSeparator());
    }

    @Test
    void every_missing_setting_is_named_with_its_line_and_leaves_the_other_problems_visible() throws IOException {
        Files.writeString(routes.resolve("a.camel.yaml"), """
                - route:
                    id: a
                    from:
                      uri: outbox:a
                      steps:
                        - to: "{{nope.url}}"
                        - to: "http:{{nope.host}}/{{nope.path}}?httpMethod=POST"
                        - toD: "{{nope.dynamic}}"
                        - wireTap: {uri: "{{nope.tap}}"}
                        - enrich: {constant: "{{nope.enrich}}"}
                        - choice:
                            when:
                              - simple: "{{nope.condition}}"
                                steps:
                                  - to: "{{nope.inner}}"
                        - setBody: {simple: "{{nope.body}}"}
                        - log: "{{nope.log}}"
                """);
        Files.writeString(routes.resolve("b.camel.yaml"), """
                - route:
                    id: b
                    autoStartup: "{{nope.start}}"
                    from: {uri: "{{nope.from}}", steps: [{to: "kafka:{{nope.topic}}"}]}
                """);
        Files.writeString(routes.resolve("c.camel.yaml"), """
                # {{nope.comment}}
                - route:
                    id: "c-{{nope.id}}"
                    from: {uri: "outbox:c", steps: [{to: "log:c"}]}
                """);
        route("strict", "outbox:strict?order=strict&lanes=3", "log:b");

        String config = CommandRun.config(folder, NO_DATABASE, "postgres");
        CommandRun check = CommandRun.of("check", "--config", config);
        CommandRun run = CommandRun.of("run", "--config", config);

        assertThat(check.exit()).isEqualTo(2);
        assertThat(run.exit()).isEqualTo(2);
        for (String output : List.of(check.out(), run.err())) {
            assertThat(output)
                    .contains("a.camel.yaml:6: route a: {{nope.url}} is refused: the setting nope.url is missing")
                    .contains("a.camel.yaml:7: ", "nope.host is missing", "nope.path is missing")
                    .contains("a.camel.yaml:8: route a: {{nope.dynamic}} is refused: the setting nope.dynamic is")
                    .contains("a.camel.yaml:9: route a: {{nope.tap}} is refused: the setting nope.tap is missing")
                    .contains("a.camel.yaml:10: ", "nope.enrich is missing")
                    .contains("a.camel.yaml:12: ", "nope.condition is missing")
                    .contains("a.camel.yaml:15: route a: {{nope.inner}} is refused")
                    .contains("a.camel.yaml:16: ", "nope.body is missing")
                    .contains("a.camel.yaml:17: route a: the setting nope.log is missing")
                    .contains("b.camel.yaml:1: route b: the setting nope.start is missing")
                    .contains("b.camel.yaml:4: ", "nope.from is missing")
                    .contains("b.camel.yaml:4: ", "nope.topic is missing")
                    .contains("c.camel.yaml:2: ", "nope.id is missing")
                    .contains("order=strict and lanes (3) cannot be combined")
                    .doesNotContain("Unexpected error", "nope.comment");
        }
    }

    @Test
    void a_java_route_that_does_not_compile_is_refused_with_its_line() throws IOException {
        Files.writeString(routes.resolve("Orders.java"), """
                import org.apache.camel.builder.RouteBuilder;
                public class Orders extends RouteBuilder {
                    public void configure() {
                        from("outbox:orders").to(nowhere);
                    }
                }
                """);

        assertRefused(List.of("Orders.java:4: could not be read: cannot find symbol", "nowhere"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "class Orders {} | class Orders does not extend org.apache.camel.builder.RouteBuilder",
                "class Orders extends org.apache.camel.builder.RouteBuilder { public void configure() {} } | class Orders must be public",
                "public class Other {} | class Other is public, should be declared in a file named Other.java",
                "public class Orders extends org.apache.camel.builder.RouteBuilder { public void configure() {"
                        + " from(`outbox:orders?windw=1`).routeId(`r`).to(`log:a`); } } | unknown option windw, did you mean window?",
                "public class Orders extends org.apache.camel.builder.RouteBuilder { public void configure() {"
                        + " from(`outbox:orders`).routeId(`r`).to(`seda:a`); } } | seda",
            })
    void a_java_route_is_checked_as_others(String source, String message) throws IOException {
        Files.writeString(routes.resolve("Orders.java"), source.replace('`', '"'));

        assertRefused(List.of("Orders.java", message));
    }

    @Test
    void the_java_route_of_the_page_is_accepted() throws Exception {
        String page = Files.readString(Path.of("docs/configuration.md"));
        String source = page.substring(page.indexOf("// routes/OrdersToLedger.java"));
        Files.writeString(routes.resolve("OrdersToLedger.java"), source.substring(0, source.indexOf("```")));

        try (Configuration configuration = new Configuration(
                Settings.load(Path.of("none.properties"), Map.of("caravan.routes", routes.toString())))) {
            assertThat(configuration.findings()).allMatch(CheckResult::ok);
            assertThat(configuration.routes().lanesOfSubscriptions()).containsOnlyKeys("orders-to-ledger");
        }
    }

    @Test
    void a_class_with_routes_that_is_not_in_lib_is_refused() throws IOException {
        route("good", "outbox:good", "log:b");

        assertRefused(
                List.of("camel.main.routesBuilderClasses: class shop.Missing is neither in lib nor a RouteBuilder"),
                "camel.main.routesBuilderClasses=shop.Missing");
    }

    @Test
    void a_file_that_is_no_route_is_a_hint_and_does_not_keep_a_relay_from_starting() throws Exception {
        route("good", "outbox:good", "log:b");
        for (String name :
                List.of("relay0.log", "LIESMICH", "#good.camel.yaml#", "good.camel.yaml.bak", "orders.yml")) {
            Files.writeString(routes.resolve(name), "\0 { no: yaml");
        }
        String config = CommandRun.config(folder, database);

        CommandRun check = CommandRun.of("check", "--config", config);
        CommandRun run = CommandRun.of("run", "--config", config);

        assertThat(check.exit()).isZero();
        assertThat(check.out())
                .contains("hint     routes        relay0.log: is not a route file (*.camel.yaml,")
                .contains("hint     routes        orders.yml: is not loaded, because route files end in .camel.yaml")
                .contains("No problems found. 5 hints.");
        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).isZero();
    }

    @Test
    void files_in_subfolders_are_not_routes() throws IOException {
        route("good", "outbox:good", "log:b");
        Path below = Files.createDirectory(routes.resolve("..2026_data"));
        Files.copy(routes.resolve("good.camel.yaml"), below.resolve("good.camel.yaml"));

        assertThat(CommandRun.of("check", "--config", CommandRun.config(folder, database))
                        .exit())
                .isZero();
    }

    @Test
    void a_text_that_the_metadata_of_a_component_does_not_list_is_accepted() throws Exception {
        Settings settings = Settings.load(
                Path.of("none.properties"),
                Map.of(
                        "caravan.routes",
                        routes.toString(),
                        "camel.component.kafka.saslMechanism",
                        "NEW-1",
                        "camel.component.kafka.isolationLevel",
                        "newer"));
        route("good", "outbox:good", "log:b");

        try (Configuration configuration = new Configuration(settings)) {
            assertThat(configuration.findings()).allMatch(CheckResult::ok);
        }
    }

    @Test
    void endpoints_that_need_the_data_source_are_accepted() throws IOException {
        route("from-sql", "sql:select 1", "sql:update bookings set seen = true");

        CommandRun run = CommandRun.of("run", "--config", CommandRun.config(folder, database));

        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).isZero();
    }

    @Test
    void a_second_data_source_leaves_that_of_the_outbox_to_the_routes_that_name_none() throws Exception {
        route("here", "outbox:here", "sql:select 1");
        route("there", "outbox:there", "sql:select 2?dataSource=#bean:warehouse");
        String config = CommandRun.config(
                folder,
                database,
                "caravan.routes=" + routes,
                "camel.beans.warehouse=#class:org.postgresql.ds.PGSimpleDataSource");

        assertThat(CommandRun.of("check", "--config", config).out()).contains("No problems found.");
        CommandRun tried =
                CommandRun.of("try", routes.resolve("here.camel.yaml").toString(), "--type", "a", "--config", config);
        assertThat(tried.exit()).as(tried.out() + tried.err()).isZero();
    }

    @Test
    void values_as_camel_takes_them_are_accepted() throws IOException {
        route(
                "good",
                "outbox:good?saveInterval=PT1S&maxAge=7d&backoff=1m30s&order=KEY&batchMaxWait=1s",
                "log:b?showBody=TRUE&level=warn");

        CommandRun check = CommandRun.of(
                "check",
                "--config",
                CommandRun.config(
                        folder,
                        database,
                        "camel.component.outbox.lease-duration=10s",
                        "camel.component.outbox.leaseDuration=1s",
                        "camel.main.jmx-enabled=false",
                        "camel.component.kafka.additionalProperties[a]=b",
                        "camel.component.kafka.saslJaasConfig=",
                        "camel.management.port="));

        assertThat(check.out()).doesNotContain("PROBLEM");
        assertThat(check.exit()).isZero();
    }

    @Test
    void the_shipped_settings_and_routes_are_right() throws Exception {
        Settings shipped = Settings.load(Path.of("application.properties"), Map.of());

        try (Configuration configuration = new Configuration(shipped)) {
            assertThat(configuration.findings()).isNotEmpty().allMatch(CheckResult::ok);
        }
    }

    /** No database is needed for it: a connection for each case would take more processor time than the check. */
    private void assertRefused(List<String> texts, String... settings) throws IOException {
        String config = CommandRun.config(folder, NO_DATABASE, "postgres", settings);

        CommandRun check = CommandRun.of("check", "--config", config);
        assertThat(check.out().lines().filter(line -> line.startsWith("PROBLEM")))
                .anySatisfy(line -> assertThat(line).contains(texts));
        assertThat(check.exit()).isEqualTo(2);

        CommandRun run = CommandRun.of(
                (any, beforeRoutes) -> {
                    throw new AssertionError("started");
                },
                "run",
                "--config",
                config);
        assertThat(run.err().lines())
                .anySatisfy(line -> assertThat(line).startsWith("- ").contains(texts));
        assertThat(run.exit()).isEqualTo(2);
    }

    private void route(String id, String from, String to, String... parameters) throws IOException {
        Files.writeString(
                routes.resolve(id + ".camel.yaml"), """
                - route:
                    id: %s
                    from:
                      uri: %s
                %s
                      steps:
                        - to:
                            uri: "%s"
                """.formatted(id, from, String.join("\n", parameters), to));
    }
}
