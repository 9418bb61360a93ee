package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Configuration that is allowed, but probably not intended. */
class CheckHintsIT extends CheckedRoutes {
    @Test
    void a_condition_on_a_number_that_can_be_wrong_without_an_error_is_pointed_out() throws Exception {
        Files.writeString(routes.resolve("filter.camel.yaml"), """
                - route:
                    id: filter
                    from:
                      uri: direct:filter
                      steps:
                        - filter:
                            expression: {jsonpath: {expression: "$[?(@.total > 100)]"}}
                            steps: [{to: {uri: "log:a"}}]
                        - filter:
                            expression: {simple: {expression: "${jsonpath($.total)} >= 100"}}
                            steps: [{to: {uri: "log:b"}}]
                        - filter:
                            expression: {simple: {expression: "${header.type} == 'order.placed' && ${jsonpath($.name)} == 'a'"}}
                            steps: [{to: {uri: "log:c"}}]
                        - filter:
                            expression: {language: {language: payload, expression: "total > 100"}}
                            steps: [{to: {uri: "log:d"}}]
                """);

        CommandRun run = check(TestOutbox.create());

        run.assertDone();
        assertThat(run.out().lines().filter(line -> line.startsWith("hint ")))
                .hasSize(2)
                .allMatch(line -> line.contains("filter.camel.yaml:") && line.contains("language payload"));
        assertThat(run.out()).contains("filter.camel.yaml: 1 route", "No problems found.");
    }

    @Test
    void options_with_which_content_is_lost_or_a_message_never_ends_are_pointed_out() throws Exception {
        Files.writeString(routes.resolve("steps.camel.yaml"), """
                - route:
                    id: steps
                    streamCache: false
                    routePolicy: "#class:org.apache.camel.throttling.ThrottlingExceptionRoutePolicy"
                    from:
                      uri: outbox:steps
                      steps:
                        - pollEnrich: {constant: "file:in?fileName=a"}
                        - pollEnrich: {constant: "file:in?fileName=a", timeout: "1000"}
                        - setVariable: {name: "global:to", constant: {expression: a}}
                        - setVariable: {name: to, constant: {expression: a}}
                        - to: {uri: "mock:a"}
                        - to: {uri: "mock:a", parameters: {retainLast: 1}}
                        - to: {uri: "file:out", parameters: {fileExist: Ignore}}
                        - to: {uri: "file:out"}
                        - to: {uri: "seda:a", parameters: {waitForTaskToComplete: Always}}
                        - to: {uri: "seda:a", parameters: {waitForTaskToComplete: Always, timeout: 0}}
                        - to: {uri: "https://shop.example", parameters: {throwExceptionOnFailure: false}}
                        - to: {uri: "file:out", parameters: {fileName: orders.json}}
                        - to: {uri: "file:out", parameters: {fileName: "${header.id}.json"}}
                        - to: {uri: "file:out", parameters: {fileName: orders.ndjson, fileExist: Append}}
                        - to: {uri: "smtp:mail.example?mail.smtp.starttls.enable=true"}
                        - to: {uri: "smtp:mail.example?mail.smtp.starttls.enable=true&mail.smtp.starttls.required=true"}
                        - to:
                            uri: email:a
                            parameters: {to: a@shop.example, from: b@shop.example, subject: c, text: d, server: "smtp://mail.example?mail.smtp.starttls.enable=true"}
                - route:
                    id: later
                    from:
                      uri: timer:later
                      steps:
                        - to: {uri: "seda:a"}
                """);

        CommandRun run = check(TestOutbox.create());

        run.assertDone();
        assertThat(run.out().lines().filter(line -> line.startsWith("hint ")))
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line).contains("steps.camel.yaml:1: ", "streamCache"),
                        line -> assertThat(line).contains("steps.camel.yaml:1: ", "ThrottlingExceptionRoutePolicy"),
                        line -> assertThat(line).contains("steps.camel.yaml:8: ", "waits without limit"),
                        line -> assertThat(line).contains("steps.camel.yaml:10: ", "global:to"),
                        line -> assertThat(line).contains("steps.camel.yaml:12: ", "mock:"),
                        line -> assertThat(line).contains("steps.camel.yaml:14: ", "fileExist=Ignore"),
                        line -> assertThat(line).contains("steps.camel.yaml:16: ", "timeout=0"),
                        line -> assertThat(line).contains("steps.camel.yaml:18: ", "throwExceptionOnFailure=false"),
                        line -> assertThat(line).contains("steps.camel.yaml:19: ", "the file orders.json"),
                        line -> assertThat(line).contains("steps.camel.yaml:22: ", "starttls.required"),
                        line -> assertThat(line).contains("steps.camel.yaml:24: ", "starttls.required"));
    }

    @Test
    void a_header_that_a_second_step_reads_too_is_pointed_out() throws Exception {
        Files.writeString(routes.resolve("read.camel.yaml"), """
                - route:
                    id: read
                    from:
                      uri: outbox:read
                      steps:
                        - setHeader: {name: to, expression: {header: {expression: mail}}}
                        - to: {uri: "smtp:mail.example"}
                        - to: {uri: "smtp:mail.example?to=fraud@shop.example"}
                        - removeHeaders: {pattern: "CamelHttp*"}
                        - setHeaders:
                            headers: [{name: CamelHttpPath, expression: {constant: {expression: a}}}]
                        - to: {uri: "https://shop.example"}
                        - removeHeaders: {pattern: "CamelHttp*"}
                        - to: {uri: "https://shop.example/b"}
                        - setHeader: {name: CamelHttpQuery, expression: {constant: {expression: a=1}}}
                        - to: {uri: "https://shop.example"}
                        - setHeader: {name: CamelHttpQuery, expression: {constant: {expression: a=2}}}
                        - filter:
                            expression: {header: {expression: eu}}
                            steps:
                              - to: {uri: "https://shop.example/eu"}
                        - to: {uri: "https://shop.example"}
                """);

        CommandRun run = check(TestOutbox.create());

        run.assertDone();
        assertThat(run.out().lines().filter(line -> line.startsWith("hint ")))
                .singleElement()
                .asString()
                .contains("read.camel.yaml:8: ", "the second one that reads the header to");
    }

    @Test
    void each_way_to_set_a_variable_that_messages_share_is_pointed_out() throws Exception {
        Files.writeString(routes.resolve("shared.camel.yaml"), """
                - route:
                    id: shared
                    from:
                      uri: outbox:shared
                      steps:
                        - to: {uri: "direct:a", variableReceive: "global:a"}
                        - toD: {uri: "direct:${header.to}", variableReceive: "route:b:b"}
                        - enrich: {constant: "direct:a", variableReceive: "global:c"}
                        - unmarshal: {json: {}, variableReceive: "global:d"}
                        - convertVariableTo: {name: own, toName: "global:e", type: String}
                        - setBody: {simple: "${setVariable(global:f,1)}"}
                        - choice:
                            when:
                              - simple: "${setVariable(global:g,1)} == 1"
                                steps:
                                  - log: ok
                        - to: {uri: "direct:a", variableReceive: own, variableSend: "global:a"}
                        - convertVariableTo: {name: "global:a", toName: own, type: String}
                        - setBody: {simple: "${setVariable(own,1)}${variable.global:a}"}
                - route:
                    id: answer
                    from:
                      uri: direct:a
                      steps:
                        - log: ok
                """);

        CommandRun run = check(TestOutbox.create());

        assertThat(run.out().lines().filter(line -> line.startsWith("hint ") && line.contains("share: one")))
                .as(run.out())
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line).contains(":6: ", "global:a"),
                        line -> assertThat(line).contains(":7: ", "route:b:b"),
                        line -> assertThat(line).contains(":8: ", "global:c"),
                        line -> assertThat(line).contains(":9: ", "global:d"),
                        line -> assertThat(line).contains(":10: ", "global:e"),
                        line -> assertThat(line).contains(":11: ", "global:f"),
                        line -> assertThat(line).contains(":12: ", "global:g"));
    }

    @Test
    void an_option_of_http_that_is_misspelt_is_pointed_out() throws Exception {
        Files.writeString(routes.resolve("partner.camel.yaml"), """
                - route:
                    id: partner
                    from:
                      uri: outbox:partner
                      steps:
                        - to:
                            uri: https://partner.example.com/orders
                            parameters: {httpmethod: POST, conectTimeout: 5000, apikey: secret-1, order: 7}
                        - toD:
                            uri: "https://partner.example.com/${header.id}?userAgemt=secret-2"
                """);

        CommandRun run = check(TestOutbox.create());

        assertThat(run.exit()).as(run.out()).isZero();
        assertThat(run.out().lines().filter(line -> line.startsWith("hint ")))
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line)
                                .contains(
                                        "partner.camel.yaml:6: route partner: conectTimeout is not an option",
                                        "Did you mean connectTimeout?"),
                        line -> assertThat(line).contains("partner.camel.yaml:9: ", "Did you mean userAgent?"));
        assertThat(run.out()).doesNotContain("secret-");
    }

    @Test
    void a_host_that_java_cannot_have_is_refused() throws Exception {
        Files.writeString(routes.resolve("partner.camel.yaml"), """
                - route:
                    id: partner
                    from:
                      uri: outbox:partner
                      steps:
                        - toD:
                            uri: "https://partner.example.com/${header.id}?name=${header.name}&httpMethod=${header.method}"
                        - toD:
                            uri: "https://partner_1.example.com/${header.id}"
                """);

        CommandRun run = check(TestOutbox.create());

        assertThat(run.out().lines().filter(line -> line.startsWith("hint "))).isEmpty();
        assertThat(run.out()).contains("https://partner_1.example.com/${header.id} is refused: its host has a _");
    }

    @ParameterizedTest
    @CsvSource({
        "order.*;invoice.*,true",
        "order.* invoice.*,true",
        "order.*|invoice.*,true",
        "'order.*, invoice.*',false",
        "'order.*,\n  invoice.*',false"
    })
    void types_that_are_not_separated_by_commas_are_pointed_out(String types, boolean isHint) throws Exception {
        Files.writeString(routes.resolve("orders.camel.yaml"), """
                - route:
                    id: orders
                    from:
                      uri: outbox:orders
                      parameters:
                        types: "%s"
                      steps: [{to: {uri: "log:a"}}]
                """.formatted(types));

        CommandRun run = check(TestOutbox.create());

        assertThat(run.exit()).as(run.out()).isZero();
        assertThat(run.out().contains("orders.camel.yaml:4: route orders: types is"))
                .as(run.out())
                .isEqualTo(isHint);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "order..placed, types has order..placed",
        "order., types has order.",
        ".placed, types has .placed",
        "order.%, '% matches itself'",
        "order.[cp]*, '[ matches itself'",
    })
    void a_pattern_that_no_type_matches_is_pointed_out(String types, String hint) throws Exception {
        route("orders", "outbox:orders?types=RAW(" + types + ")", "log:a");

        check(TestOutbox.create()).assertDone("route orders: ", hint);
    }

    @Test
    void types_that_no_message_has_are_pointed_out_once_there_are_messages() throws Exception {
        TestOutbox database = TestOutbox.create();
        route("orders", "outbox:orders?types=oder.*,order.placed,caravan.notice.*", "log:a");
        route("all", "outbox:all", "log:b");

        assertThat(check(database).out()).doesNotContain("hint");

        database.insert("7", "order.placed", "{}");
        CommandRun run = check(database);

        run.assertDone();
        assertThat(run.out().lines().filter(line -> line.startsWith("hint ")))
                .singleElement()
                .asString()
                .contains(
                        "orders.camel.yaml:",
                        "route orders: no type of the newest 10000 messages of the outbox matches oder.*,"
                                + " did you mean order.*?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "removeHeaders: {pattern: '*'} | true",
                "removeHeaders: {pattern: 'kafka.*'} | true",
                "removeHeader: {name: kafka.KEY} | true",
                "removeHeader: {name: CamelKafkaKey} | true",
                "removeHeaders: {pattern: '*', excludePattern: 'kafka.*'} | false",
                "removeHeaders: {pattern: '*', excludePattern: CamelKafkaKey} | false",
                "removeHeaders: {pattern: 'x-*'} | false",
            })
    void a_step_that_removes_the_key_of_a_record_is_pointed_out(String step, boolean hinted) throws Exception {
        for (String to : List.of("kafka:a", "kafka:a?key=b", "log:a")) {
            Files.writeString(routes.resolve("keys.camel.yaml"), """
                    - route:
                        id: keys
                        from:
                          uri: outbox:keys
                          steps:
                            - %s
                            - to: "%s"
                    """.formatted(step, to));

            String out = check(TestOutbox.create(), "camel.component.kafka.brokers=none")
                    .out();

            assertThat(out.contains("keys.camel.yaml:6: route keys: step removeHeader"))
                    .as(out)
                    .isEqualTo(hinted && to.equals("kafka:a"));
        }
    }

    @Test
    void the_older_name_of_a_header_of_kafka_is_pointed_out() throws Exception {
        Files.writeString(routes.resolve("names.camel.yaml"), """
                # kafka.KEY stays
                - route:
                    id: names
                    from:
                      uri: outbox:names
                      steps:
                        - setHeader:
                            name: kafka.OVERRIDE_TOPIC
                            expression: {simple: {expression: "${header[kafka.KEY]} and kafka.other"}}
                        - removeHeaders:
                            pattern: "x-*"
                            excludePattern: "id|kafka[.]KEY|CamelKafkaOverrideTopic"
                        - to: "log:a"
                """);

        String out = check(TestOutbox.create()).out();

        assertThat(out.lines().filter(line -> line.contains("since Camel")))
                .containsExactly(
                        hint(8, "kafka.OVERRIDE_TOPIC has the name CamelKafkaOverrideTopic"),
                        hint(9, "kafka.KEY has the name CamelKafkaKey"),
                        hint(12, "kafka.KEY has the name CamelKafkaKey"));
    }

    private static String hint(int line, String text) {
        return "hint     routes        names.camel.yaml:" + line + ": the header " + text
                + " since Camel 4.18.3. Both work; write the newer one";
    }

    @Test
    void notices_that_no_route_reads_are_pointed_out() throws Exception {
        String hint = "caravan.notices: no route reads messages of type caravan.notice.*";
        route("orders", "outbox:orders?types=order.*", "log:a");
        assertThat(check(TestOutbox.create(), "caravan.notices=4h").out()).contains(hint, "No problems found.");
        assertThat(check(TestOutbox.create(), "caravan.notices=off").out()).doesNotContain("hint");

        route("notices", "outbox:notices?types=caravan.notice.critical", "log:b");
        assertThat(check(TestOutbox.create(), "caravan.notices=4h").out()).doesNotContain("hint");
    }
}
