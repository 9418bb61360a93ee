package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.relay.Relay;
import dev.caravan.routes.check.CheckResult;
import dev.caravan.routes.check.Configuration;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code check} reports of settings and routes keeps {@code run} from starting, with the same words. */
class ConfigurationTest extends RefusedConfiguration {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "camel.component.outbox.leaseDuration=banana | camel.component.outbox.leaseDuration: must be a duration such as 500ms, 30s or 1h30m, got banana",
                "camel.component.outbox.leaseDuration=1ms | leaseDuration must be between 100ms and 1h, got 1ms",
                "camel.component.outbox.leaseDuration=10000 | leaseDuration: must be a duration with a unit, such as 500ms, 30s or 1h30m, got 10000",
                "camel.component.outbox.leaseDurations=5s | camel.component.outbox.leaseDurations: is not a known setting, did you mean camel.component.outbox.leaseDuration?",
                "camel.component.kafka.lingerMs=quick | camel.component.kafka.lingerMs: must be a whole number, or a duration such as 500ms, 30s or 1h30m, got quick",
                "camel.component.nowhere.a=b | nowhere",
                "camel.component.sms.responseTimeout=10 | camel.component.sms.responseTimeout: must be a duration with a unit, such as 500ms, 30s or 1h30m, got 10",
                "camel.component.email.servr=secret-1 | camel.component.email.servr: is not a known setting, did you mean camel.component.email.server?",
                "camel.management.port=70000 | camel.management.port: must be a port from 0 to 65535, got 70000",
                "camel.metrics.enabled=ja | must be true or false, got ja",
                "camel.health.exposureLevel=most | camel.health.exposureLevel: must be full, default, oneline, got most",
                "caravan.db.urll=x | did you mean caravan.db.url?",
                "caravan.audit.retention=0s | caravan.audit.retention must be a duration from 1d to 3650d, such as 365d, got 0s",
                "caravan.idempotent.retention=2h | caravan.idempotent.retention must be a duration from 1d to 3650d, such as 30d, got 2h",
            })
    void a_wrong_setting_is_refused(String setting, String message) throws IOException {
        assertSettingRefused(setting, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "order: strict, lanes: 3 | order=strict and lanes (3) cannot be combined",
                "types: '' | types must name at least one type",
                "saveInterval: banana | saveInterval must be a duration such as 500ms, 30s or 1h30m, got banana",
                "window: 0 | window must be between 1 and 1000000, got 0",
                "window: many | window must be a whole number, got many",
                "order: random | order must be key, strict, none, got random",
                "maxAge: 5, backoff: 0 | backoff must be a duration with a unit, such as 500ms, 30s or 1h30m, got 0; maxAge must be a duration with a unit, such as 500ms, 30s or 1h30m, got 5",
                "type: order.* | type is an option of outbox: as a destination. Use types for the types that a route reads",
                "concurency: 5, windw: x | unknown option concurency, did you mean concurrency?; unknown option windw, did you mean window?",
            })
    void a_wrong_option_of_a_subscription_is_refused(String options, String message) throws IOException {
        assertOptionsRefused(options, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kafka:orders?requestRequiredAcks=some | Invalid value some for configuration acks",
                "kafka:orders?lingerMs=quick&lebel=3 | lingerMs must be a whole number, or a duration such as 500ms, 30s or 1h30m, got quick",
                "kafka:orders?acks=all | unknown option acks, did you mean requestRequiredAcks?",
                "log:x?showBody=ja | showBody must be true or false, got ja",
                "outbox:next | needs the option type",
                "sms:gateway?to=a&text=b | sms:gateway is refused: the option url is missing or empty: set it in the route, or the setting camel.component.sms.url for all routes; the option from is missing",
                "nowhere:a | nowhere:a is refused: there is no component nowhere. Correct the name before the colon",
                "kafkaa:orders | there is no component kafkaa, did you mean kafka?",
                "outbx:next?type=a | there is no component outbx, did you mean outbox?",
                "cloud-evnt:binary | there is no component cloud-evnt, did you mean cloud-event?",
                "aws2-sqs:orders | it needs camel-aws2-sqs: ./caravan component add aws2-sqs",
            })
    void a_wrong_option_of_a_destination_is_refused(String uri, String message) throws IOException {
        assertDestinationRefused(uri, message);
    }

    @Test
    void all_template_files_that_are_missing_are_named() throws IOException {
        route(
                "wrong",
                "outbox:wrong",
                "sms:gateway?url=http://localhost&from=a&to=b&text=file:sms/${header.type}.txt",
                "      parameters: {types: \"a.b,c.d,e.*\"}");

        CommandRun check = assertRefused(List.of("wrong.camel.yaml", "there is no template file sms/a.b.txt"));

        assertThat(check.out())
                .contains(
                        "route wrong: step to: there is no template file sms/c.d.txt",
                        "route wrong: step to: there is no template file sms/e.*.txt");
    }

    @Test
    void a_step_that_needs_a_component_names_the_command_that_adds_it() throws IOException {
        assertComponentNeeded("marshal: {csv: {}}", "it needs camel-csv: ./caravan component add csv");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "setBdy: {constant: secret-1} | could not be read: unknown step setBdy, did you mean setBody?",
                "kafka: {topic: a} | could not be read: unknown step kafka, a destination is written as to: {uri: \"kafka:…\"}",
                "to: {uri: 'log:a' | could not be read: a comma or a closing bracket is missing",
                "to: {uri: 'http:{{missing.url}}'} | route wrong: http:{{missing.url}} is refused: the setting missing.url is missing. Write it into application.properties, or into a *.properties file in the routes folder",
                "setBody: {simple: {expression: '${bodi.x}'}} | route wrong: step setBody has an invalid expression: Unknown function: bodi.x",
                "filter: {simple: {expression: '${body}'}, steps: [{process: {ref: nobody}}]} | route wrong: could not be created: No bean could be found in the registry for: nobody",
                "bean: {ref: '#class:java.util.Date', method: getTime} | route wrong: could not be created: the step bean has the name of a class in beanType, not in ref. Write beanType: java.util.Date",
                "to: {uri: '{{empty.url}}'} | route wrong: {{empty.url}} is refused: empty.url is empty. Set the address of the destination",
                "filter: {jsonpath: {expression: '$.a > 3'}, steps: [{log: {message: b}}]} | route wrong: step filter has an invalid expression: $.a > 3: Use bracket notion",
                "to: {uri: 'http://shop:secret-1@shop.example/a?b=c'} | route wrong: http://shop.example/a is refused: its address has a user or a password, so each message would fail. Remove it from the address, and set authMethod: Basic, authUsername and authPassword",
                "toD: {uri: 'https://secret-1@shop.example/${header.id}'} | route wrong: https://shop.example/${header.id} is refused: its address has a user",
                "to: {uri: 'rest:post:orders?host=http://shop:secret-1@shop.example'} | route wrong: rest:post:orders is refused: its address has a user or a password, so each message would fail. Remove it from the address, and set authMethod: Basic, authUsername and authPassword",
                "to: {uri: 'rest:post:orders', parameters: {host: 'http://secret-1@shop.example'}} | route wrong: rest:post:orders is refused: its address has a user",
                "toD: {uri: 'rest:post:orders?host=http://shop:secret-1@shop.example&produces=${header.type}'} | route wrong: rest:post:orders is refused: its address has a user",
                "to: {uri: 'https://shop.example?oauth2ClientId=a&oauth2ClientSecret=b&oauth2TokenEndpoint=https://c:secret-1@login.example'} | route wrong: https://shop.example is refused: its address has a user",
                "to: {uri: 'http://my_shop:8080/a'} | route wrong: http://my_shop:8080/a is refused: its host has a _ or a character that is not ASCII",
                "to: {uri: 'log:a?shwBody=secret-1'} | route wrong: log:a is refused: unknown option shwBody, did you mean showBody?",
            })
    void a_mistake_is_named_with_file_and_line(String step, String message) throws IOException {
        assertStepRefused(step, message);
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "to: {uri: '{{partner.key}}:abc'}",
                "to: {uri: 'http://127.0.0.1:{{partner.key}}/x'}",
                "to: {uri: 'kafka:t', parameters: {requestTimeoutMs: '{{partner.key}}'}}",
                "process: {ref: '{{partner.key}}'}",
                "setBody: {simple: {expression: '${bodx.{{partner.key}}}'}}",
                "setBody: {expression: {jsonpath: {expression: '$[?(@.tok == {{partner.key}}'}}}",
            })
    void a_secret_in_the_wrong_place_is_shown_by_no_problem(String step) throws IOException {
        Files.writeString(
                routes.resolve("wrong.camel.yaml"),
                "- route:\n    id: wrong\n    from:\n      uri: outbox:wrong\n      steps:\n        - " + step + "\n");

        CommandRun check =
                assertRefused(List.of("wrong.camel.yaml:6"), NO_BROKERS, "partner.key=Sk_Live-Abc123+Def/456==");

        assertThat(check.out()).doesNotContain("Abc123");
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
    void a_route_that_decides_by_the_type_of_a_batch_is_refused() throws IOException {
        String shipped = Files.readString(Path.of("routes/orders-to-kafka.camel.yaml"));
        Files.writeString(routes.resolve("wrong.camel.yaml"), shipped.replace("pipelined: true", "batching: true"));

        assertRefused(
                List.of(
                        "wrong.camel.yaml:13: route orders-to-kafka: step choice reads the header type, which a batch does"
                                + " not have: each of its messages has its own. Put the step into a split of ${body}, or remove"
                                + " batching"),
                NO_BROKERS);
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
                NO_DATABASE,
                "postgres",
                "camel.component.outbox.leaseDuration=banana",
                "camel.management.port=abc",
                "caravan.retention=soon");

        CommandRun run = CommandRun.of("run", "--config", config);
        run.assertWrongUse();
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

        check.assertWrongUse();
        run.assertWrongUse();
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

    @Test
    void a_java_route_is_checked_as_others() throws IOException {
        assertJavaRefused(
                "public class Orders extends org.apache.camel.builder.RouteBuilder { public void configure() {"
                        + " from(`outbox:orders?windw=1`).routeId(`r`).to(`log:a`); } }",
                "unknown option windw, did you mean window?");
    }

    @Test
    void the_java_route_of_the_page_is_accepted() throws Exception {
        String page = Files.readString(Path.of("docs/configuration.md"));
        String source = page.substring(page.indexOf("// routes/OrdersToLedger.java"));
        Files.writeString(routes.resolve("OrdersToLedger.java"), source.substring(0, source.indexOf("```")));

        try (Configuration configuration = new Configuration(
                Settings.load(Path.of("none.properties"), Map.of("caravan.routes", routes.toString())),
                Relay.settings())) {
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
    void the_shipped_settings_and_routes_are_right() throws Exception {
        Settings shipped = Settings.load(Path.of("application.properties"), Map.of());

        try (Configuration configuration = new Configuration(shipped, Relay.settings())) {
            assertThat(configuration.findings()).isNotEmpty().allMatch(CheckResult::ok);
        }
    }

    /** Any user of the machine may put a file into a folder such as /tmp, and wait until somebody runs a command there. */
    @Test
    void a_settings_file_of_another_user_is_not_used_from_a_folder_that_everybody_may_write(@TempDir Path shared)
            throws Exception {
        Path file = Files.writeString(
                shared.resolve("application.properties"), "caravan.db.url = jdbc:postgresql://127.0.0.1:1/trap\n");
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(status(shared)).contains("127.0.0.1:1").doesNotContain("belongs to");
        giveAway(file);

        assertThat(status(shared)).contains("it belongs to nobody", "--config").doesNotContain("127.0.0.1:1");
    }

    /** The same holds for folders that nobody has named: they contain jars and routes that are run. */
    @Test
    void folders_of_another_user_are_not_used_from_a_folder_that_everybody_may_write(@TempDir Path shared)
            throws Exception {
        Files.writeString(
                shared.resolve("application.properties"), "caravan.db.url = jdbc:postgresql://127.0.0.1:1/mine\n");
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        List<Path> traps = unnamedFolders(shared);
        assertThat(status(shared)).contains("127.0.0.1:1").doesNotContain("belongs to");

        for (Path trap : traps) {
            UserPrincipal before = giveAway(trap);
            assertThat(status(shared)).contains(trap + ": it belongs to nobody").doesNotContain("127.0.0.1:1");
            Files.setOwner(trap, before);
        }
    }

    /** The folder of the project is mine, and so is the one of the routes. What is beside them is anybody's. */
    @Test
    void folders_of_another_user_beside_a_project_are_not_used(@TempDir Path shared) throws Exception {
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path project = Files.createDirectory(shared.resolve("project"));
        List<Path> traps = unnamedFolders(shared);
        Path routes = shared.resolve("routes");
        String settings = "caravan.db.url = jdbc:postgresql://127.0.0.1:1/mine\n";
        Path file = Files.writeString(project.resolve("application.properties"), settings);
        assertThat(status(project)).contains("127.0.0.1:1").doesNotContain("belongs to");

        for (Path trap : traps) {
            UserPrincipal before = giveAway(trap);
            assertThat(status(project))
                    .contains(trap + ": it belongs to nobody")
                    .doesNotContain("127.0.0.1:1");
            Files.writeString(file, settings + "caravan.routes = " + routes + "\n");
            assertThat(status(project).contains("belongs to")).isEqualTo(!trap.equals(routes));
            Files.writeString(file, settings);
            Files.setOwner(trap, before);
        }
    }

    /** The folders that are used if they exist, without a setting that names them. */
    private static List<Path> unnamedFolders(Path parent) throws IOException {
        List<Path> folders = List.of(parent.resolve("lib"), parent.resolve("routes"), parent.resolve("intakes"));
        for (Path folder : folders) {
            Files.createDirectory(folder);
        }
        return folders;
    }

    /** A context is a database by name: its commands read no file of the current folder. */
    @Test
    void a_command_with_a_context_reads_nothing_from_the_current_folder(@TempDir Path shared, @TempDir Path home)
            throws Exception {
        Path contexts = Files.writeString(
                home.resolve("contexts.properties"), "prod.url = jdbc:postgresql://127.0.0.1:1/prod\n");
        String trap = "caravan.discarded.retention = {{env:NO_SUCH_VARIABLE}}\n";
        Files.writeString(shared.resolve("none.properties"), trap);
        Files.writeString(Files.createDirectory(shared.resolve("routes")).resolve("x.properties"), trap);

        assertThat(run(shared, Map.of("CARAVAN_CONFIG", contexts.toString()), "status", "--context", "prod"))
                .contains("127.0.0.1:1")
                .doesNotContain("NO_SUCH_VARIABLE", "discarded");
    }

    @Test
    void captures_of_another_user_are_not_used_from_a_folder_that_everybody_may_write(@TempDir Path shared)
            throws Exception {
        Files.writeString(
                shared.resolve("application.properties"), "caravan.db.url = jdbc:postgresql://127.0.0.1:1/mine\n");
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path captures = Files.createDirectory(shared.resolve("captures"));
        Files.writeString(captures.resolve("trap.yaml"), "table: a\n");
        giveAway(captures);

        assertThat(run(shared, Map.of(), "capture", "apply"))
                .contains("captures: it belongs to nobody")
                .doesNotContain("127.0.0.1:1");
    }

    /** The driver logs a URL that it cannot read. */
    @Test
    void a_url_of_the_database_that_cannot_be_read_is_not_shown(@TempDir Path folder) throws Exception {
        Files.createFile(folder.resolve("application.properties"));
        for (String url : List.of("//localhost:1/app/?user=joe&password=one1abc", "//localhost:one1abc/app")) {
            assertThat(run(folder, Map.of("CARAVAN_DB_URL", "jdbc:postgresql:" + url), "status"))
                    .contains("caravan.db.url must be a JDBC URL")
                    .doesNotContain("one1abc");
        }
    }

    /** The problem quotes the setting. */
    @Test
    void a_login_in_a_wrong_setting_is_not_shown(@TempDir Path folder) throws Exception {
        Files.createFile(folder.resolve("application.properties"));
        Map<String, String> wrong = Map.of(
                "CARAVAN_PEOPLE_ISSUER", "https://id.example.com",
                "CARAVAN_PEOPLE_CLIENT", "caravan",
                "CARAVAN_PEOPLE_ROLES", "read: x",
                "CARAVAN_MANAGEMENT_TOKEN", "0123456789abcdef0123456789abcdef",
                "CARAVAN_PEOPLE_ADDRESS", "https://c:one1abc@console.example.com/y?z");
        for (String command : List.of("check", "run")) {
            assertThat(run(folder, wrong, command))
                    .contains("caravan.people.address", "•••@")
                    .doesNotContain("one1abc");
        }
    }

    /** Returns the owner before. */
    private static UserPrincipal giveAway(Path file) throws IOException {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "only root can give a file away");
        UserPrincipal before = Files.getOwner(file);
        Files.setOwner(
                file, file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
        return before;
    }

    private static String status(Path folder) throws Exception {
        return run(folder, Map.of(), "status");
    }

    private static String run(Path folder, Map<String, String> environment, String... command) throws Exception {
        List<String> java = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(entry -> Path.of(entry).toAbsolutePath().toString())
                        .collect(Collectors.joining(File.pathSeparator)),
                Caravan.class.getName()));
        java.addAll(List.of(command));
        ProcessBuilder builder =
                new ProcessBuilder(java).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
