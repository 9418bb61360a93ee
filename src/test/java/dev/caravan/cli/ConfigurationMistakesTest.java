package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.settings.Settings;
import dev.caravan.relay.Relay;
import dev.caravan.routes.check.CheckResult;
import dev.caravan.routes.check.Configuration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** More mistakes in settings and routes, each refused as those of {@link ConfigurationTest}. */
@Tag("long")
class ConfigurationMistakesTest extends RefusedConfiguration {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "camel.component.outbox.leaseDuration=-10s | leaseDuration: must be a duration such as 500ms, 30s or 1h30m, got",
                "camel.component.outbox.leaseDuration=5 s | leaseDuration: must be a duration such as 500ms, 30s or 1h30m, got",
                "camel.component.http.automaticRetriesDisabled=yes | must be true or false, got yes",
                "camel.component.aws2-sqs.region=eu | it needs camel-aws2-sqs: ./caravan component add aws2-sqs",
                "camel.management.port=abc | camel.management.port: must be a port from 0 to 65535, got abc",
                "camel.management.prot=9876 | camel.management.prot: is not a known setting, did you mean camel.management.port?",
                "camel.management.enabled=ja | camel.management.enabled: must be true or false, got ja",
                "camel.main.shutdownTimeout=soon | camel.main.shutdownTimeout: must be a whole number",
                "camel.main.jmxEnabled=falsch | must be true or false, got falsch",
                "caravan.partition.ahead=2 | caravan.partition.ahead: is not a known setting",
                "caravan.wakeUp=true | caravan.wakeUp: is not a known setting",
                "caravan.discarded.retention=5 | caravan.discarded.retention must be a duration from 0s to 3650d, such as 7d, got 5",
                "camel.component.outbox.dataSource=#dataSource | camel.component.outbox.dataSource is an option for applications. A relay has caravan.db.url",
                "camel.component.outbox.schema-auto=true | camel.component.outbox.schema-auto is an option for applications. A relay has caravan.schema.auto",
                "caravan.idempotent.retentionDays=30 | did you mean caravan.idempotent.retention?",
                "camel.component.outbox.sleepDelay=1s | camel.component.outbox.sleepDelay: is not a known setting",
                "caravan.partition.sise=5 | did you mean caravan.partition.size?",
                "caravan.retention=soon | caravan.retention",
            })
    void a_wrong_setting_is_refused(String setting, String message) throws IOException {
        assertSettingRefused(setting, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "delay: 5 | option delay of Camel's scheduler cannot be used",
                "maxRetryAfters: 1h | unknown option maxRetryAfters, remove it",
                "window: -5 | window must be between 1 and 1000000, got -5",
                "concurrency: '' | concurrency must be a whole number, got nothing",
                "concurrency: 4s | concurrency must be a whole number, got 4s",
                "batchBytes: 4s | batchBytes must be a whole number, got 4s",
                "pipelined: maybe | pipelined must be true or false, got maybe",
                "backoff: 5 s | backoff must be a duration such as 500ms, 30s or 1h30m, got 5 s",
                "binary: true | aggregateType, aggregateId and binary are options of outbox: as a destination",
                "maxAttempts: '{{nowhere.attempts}}' | nowhere.attempts",
                "concurency: 5, saveInterval: x | saveInterval must be a duration such as",
            })
    void a_wrong_option_of_a_subscription_is_refused(String options, String message) throws IOException {
        assertOptionsRefused(options, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kafka:orders?compressionCodec=rar | Invalid value rar for configuration compression.type",
                "kafka:orders?lingerMs=quick&lebel=3 | lebel",
                "kafka:orders?maxInFlightRequest=10 | max.in.flight.requests.per.connection",
                "http:localhost?connectTimeout=soon | connectTimeout must be a whole number",
                "sms:gateway?url=http://localhost&from=a&to=b&text=c&connectTimeout=5 | connectTimeout must be a duration with a unit, such as 500ms, 30s or 1h30m, got 5",
                "standard-webhook:shop?url=http://localhost&secrets=a&responseTimeout=15000 | responseTimeout must be a duration with a unit",
                "email:order?server=smtp://localhost&from=a&to=b&subject=c&text=d&timeout=10 | timeout must be a duration with a unit",
                "direct:{{nowhere}} | nowhere",
            })
    void a_wrong_option_of_a_destination_is_refused(String uri, String message) throws IOException {
        assertDestinationRefused(uri, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "setBody: {expression: {groovy: {expression: '1'}}} | it needs camel-groovy: ./caravan component add groovy",
                "setBody: {simple: '${groovy:1}'} | Unknown function",
            })
    void a_step_that_needs_a_component_names_the_command_that_adds_it(String step, String message) throws IOException {
        assertComponentNeeded(step, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "zzzzzz: {} | could not be read: unknown step zzzzzz. Common steps are to, setBody",
                "setHeader: {nam: secret-1} | could not be read: unsupported field nam",
                "setBody: {payload: 'a > 1'} | could not be read: unsupported field payload. Write the language as language: {language: payload, expression: …}",
                "setBody: {simple: {expression: '{{missing.secret}}'}} | route wrong: step setBody has an invalid expression: the setting missing.secret is missing. Write it into",
                "to: {uri: 'http:{{env:NO_SUCH_VARIABLE}}'} | route wrong: http:{{env:NO_SUCH_VARIABLE}} is refused: the environment variable NO_SUCH_VARIABLE is not set",
                "choice: {when: [{simple: {expression: '${nope}'}, steps: [{log: {message: b}}]}]} | route wrong: step when has an invalid expression",
                "to: {uri: 'amqp:queue:a'} | route wrong: amqp:queue:a is refused: there is no component amqp: it needs camel-amqp: ./caravan component add amqp",
                "toD: {uri: 'https://{{empty.url}}/${header.id}'} | route wrong: https://{{empty.url}}/${header.id} is refused: empty.url is empty",
                "setBody: {jsonpath: {expression: '$.a..'}} | route wrong: step setBody has an invalid expression: $.a..: Path must not end with a '.' or '..'",
                "setHeaders: {headers: [{name: b, jsonpath: {expression: '$[?(@.a'}}]} | route wrong: step setHeaders (b) has an invalid expression: $[?(@.a: Could not parse",
                "log: {message: '{{own.name}} {a: {b: ${body}}}'} | route wrong: could not be created: contains }} that does not end a placeholder. Write it as } }",
            })
    void a_mistake_is_named_with_file_and_line(String step, String message) throws IOException {
        assertStepRefused(step, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "class Orders {} | class Orders does not extend org.apache.camel.builder.RouteBuilder",
                "class Orders extends org.apache.camel.builder.RouteBuilder { public void configure() {} } | class Orders must be public",
                "public class Other {} | class Other is public, should be declared in a file named Other.java",
                "public class Orders extends org.apache.camel.builder.RouteBuilder { public void configure() {"
                        + " from(`outbox:orders`).routeId(`r`).to(`seda:a`); } } | seda",
            })
    void a_java_route_is_checked_as_others(String source, String message) throws IOException {
        assertJavaRefused(source, message);
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

        try (Configuration configuration = new Configuration(settings, Relay.settings())) {
            assertThat(configuration.findings()).allMatch(CheckResult::ok);
        }
    }
}
