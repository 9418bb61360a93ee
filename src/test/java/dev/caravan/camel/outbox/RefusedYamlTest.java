package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.guard.BatchSteps;
import java.util.List;
import org.apache.camel.component.direct.DirectComponent;
import org.apache.camel.component.seda.SedaComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Like {@link RefusedRoutesTest}, with routes whose definition differs in YAML, and queues whose component or endpoint is a bean with another
 * name.
 */
class RefusedYamlTest {
    private final DefaultCamelContext camel = new DefaultCamelContext();

    @AfterEach
    void close() throws Exception {
        camel.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "doTry: {steps: [{log: x}], doCatch: [{exception: [java.lang.Exception], steps: [{wireTap: {uri: 'direct:x'}}]}]}",
                "doTry: {steps: [{log: x}], doFinally: {steps: [{wireTap: {uri: 'direct:x'}}]}}",
                "doTry: {steps: [{wireTap: {uri: 'direct:x'}}], doFinally: {steps: [{log: x}]}}",
                "filter: {simple: '${body}', steps: [{doTry: {steps: [{log: x}], doFinally: {steps: [{to: 'direct:tap'}]}}}]}",
                "circuitBreaker: {steps: [{log: x}], onFallback: {steps: [{wireTap: {uri: 'direct:x'}}]}}",
                "choice: {when: [{simple: '${body}', steps: [{log: x}]}], otherwise: {steps: [{wireTap: {uri: 'direct:x'}}]}}"
            })
    void a_copy_is_found_in_each_clause_of_a_step(String step) throws Exception {
        load("""
                - route: {id: tap, from: {uri: "direct:tap", steps: [{wireTap: {uri: "direct:x"}}]}}
                - route: {id: tested, from: {uri: "outbox:orders", steps: [{%s}]}}
                """.formatted(step));

        assertThat(camel.getEndpoint("outbox:orders", OutboxEndpoint.class)
                        .problems(camel.getRouteDefinition("tested")))
                .singleElement()
                .asString()
                .contains("(wireTap[direct:x])");
    }

    @ParameterizedTest
    @ValueSource(strings = {"seda:x", "direct:tap"})
    void the_parameters_of_a_route_template_are_known(String destination) throws Exception {
        load("""
                - route: {id: tap, from: {uri: "direct:tap", steps: [{wireTap: {uri: "direct:x"}}]}}
                - routeTemplate:
                    id: send
                    parameters: [{name: name}, {name: destination}]
                    from: {uri: "outbox:{{name}}", steps: [{to: "{{destination}}"}]}
                - templatedRoute:
                    routeTemplateRef: send
                    routeId: tested
                    parameters: [{name: name, value: orders}, {name: destination, value: "%s"}]
                """.formatted(destination));

        assertThat(camel.getEndpoint("outbox:orders", OutboxEndpoint.class)
                        .problems(camel.getRouteDefinition("tested")))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "to: 'jobs:end'",
                "to: 'ref:end'",
                "to: 'ref://end?x=y'",
                "to: 'ref:{{end}}'",
                "toD: {uri: 'jobs:end?size=9'}",
                "recipientList: {constant: 'mock:end,ref:end'}",
                "to: 'calls:tap'",
                "to: 'ref:tap'"
            })
    void a_queue_in_memory_with_another_name_is_refused(String step) throws Exception {
        bindQueues();
        load("""
                - route: {id: tap, from: {uri: "calls:tap", steps: [{wireTap: {uri: "mock:x"}}]}}
                - route: {id: tested, from: {uri: "outbox:orders", steps: [{%s}]}}
                """.formatted(step));

        assertThat(camel.getEndpoint("outbox:orders", OutboxEndpoint.class)
                        .problems(camel.getRouteDefinition("tested")))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"to: 'jobs:end?waitForTaskToComplete=Always'", "to: 'vm:end'", "to: 'ref:missing'"})
    void a_bean_that_waits_is_allowed(String step) throws Exception {
        bindQueues();
        load("""
                - route: {id: tested, from: {uri: "outbox:orders", steps: [{%s}]}}
                """.formatted(step));

        assertThat(camel.getEndpoint("outbox:orders", OutboxEndpoint.class)
                        .problems(camel.getRouteDefinition("tested")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "header type | choice: {when: [{expression: {simple: {expression: \"${header.type} == 'order.created'\"}}, steps: [{to: 'kafka:x'}]}]}",
                "header type | filter: {expression: {simple: {expression: \"${in.headers['type']} starts with 'o'\"}}, steps: [{to: 'kafka:x'}]}",
                "header type | filter: {expression: {simple: {expression: \"${headerAs(type, String)} == 'a'\"}}, steps: [{to: 'kafka:x'}]}",
                "header type | filter: {expression: {simple: {expression: \"${exchange.message.getHeader('type')} == 'a'\"}}, steps: [{to: 'kafka:x'}]}",
                "header type | filter: {expression: {simple: {expression: \"${headers.type.length} > 3\"}}, steps: [{to: 'kafka:x'}]}",
                "header type | filter: {expression: {language: {language: payload, expression: \"total > 1 && header.type == 'a'\"}}, steps: [{to: 'kafka:x'}]}",
                "header type | filter: {expression: {groovy: {expression: \"headers['type'] == 'a'\"}}, steps: [{to: 'kafka:x'}]}",
                "header id | setBody: {expression: {header: {expression: id}}}",
                "header id | setBody: {expression: {language: {language: text-template, expression: 'Order ${header.id:none}'}}}",
                "header id | setHeaders: {headers: [{name: a, expression: {constant: {expression: b}}}, {name: c, expression: {header: {expression: id}}}]}",
                "header id | setVariables: {variables: [{name: c, expression: {header: {expression: id}}}]}",
                "header ID | setProperty: {name: c, expression: {header: {expression: ID}}}",
                "header aggregate-id | setHeader: {name: CamelHttpPath, expression: {simple: {expression: '/${header.aggregate-id}'}}}",
                "header aggregate-type | toD: {uri: 'kafka:${header.aggregate-type}s'}",
                "header created-at | to: {uri: 'file:out', parameters: {fileName: '${header.created-at}.json'}}",
                "header outbox-id | to: {uri: 'direct:read'}",
                "header outbox-id | multicast: {steps: [{log: 'x'}, {to: 'direct:read'}]}",
                "header type | recipientList: {expression: {simple: {expression: 'kafka:${header.type}'}}}",
                "header type | routingSlip: {expression: {header: {expression: type}}}",
                "header type | dynamicRouter: {expression: {header: {expression: type}}}",
                "header type | enrich: {expression: {simple: {expression: 'http:x/${header.type}'}}}",
                "header type | bean: {beanType: java.lang.String, method: 'valueOf(${header.type})'}",
                "header CamelOutboxAttempt | loop: {expression: {header: {expression: CamelOutboxAttempt}}, steps: [{log: 'x'}]}",
                "header type | throttle: {expression: {constant: {expression: '1'}}, correlationExpression: {simple: {expression: '${header.type}'}}}",
                "header type | doTry: {steps: [{log: 'x'}], doCatch: [{exception: [java.lang.Exception], onWhen: {simple: \"${header.type} == 'a'\"}, steps: [{log: 'x'}]}]}",
                "header type | setBody: {expression: {simple: {expression: '{{text}}'}}}",
                "header id | to: {uri: 'standard-webhook:x'}",
                "header type | setHeader: {name: id, expression: {constant: {expression: a}}}}, {to: {uri: 'cloud-event:binary'}",
                "header type | split: {expression: {tokenize: {token: ',', source: 'header:type'}}, steps: [{log: 'x'}]}",
                "header type | split: {expression: {simple: {expression: '${header.type}'}}, steps: [{log: 'x'}]}",
                "with jsonpath | filter: {expression: {jsonpath: {expression: '$[?(@.total > 1)]'}}, steps: [{to: 'kafka:x'}]}",
                "with jsonpath | filter: {expression: {simple: {expression: '${jsonpath($.total)} > 1'}}, steps: [{to: 'kafka:x'}]}",
                "with tokenize | split: {expression: {tokenize: {token: ','}}, steps: [{to: 'kafka:x'}]}",
                "with xpath | setHeader: {name: a, expression: {xpath: {expression: '/a/b'}}}",
                "a comparison of ${body} | filter: {expression: {simple: {expression: \"${body} contains 'x'\"}}, steps: [{to: 'kafka:x'}]}"
            })
    void a_step_that_reads_one_message_where_the_exchange_has_a_batch_is_refused(String read, String step)
            throws Exception {
        load("""
                - route: {id: read, from: {uri: "direct:read", steps: [{toD: {uri: "kafka:${header.outbox-id}"}}]}}
                - route: {id: tested, from: {uri: "outbox:orders", parameters: {batching: true}, steps: [{%s}]}}
                """.formatted(step));

        assertThat(ofBatch()).as(step).singleElement().asString().contains(read);
        assertThat(camel.getEndpoint("outbox:one", OutboxEndpoint.class).mistakes(camel.getRouteDefinition("tested")))
                .as("without batching")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "log: {message: 'Batch of ${header.type}, ${body}'}",
                "split: {expression: {simple: {expression: '${body}'}}, steps: [{toD: {uri: 'kafka:${header.type}'}}, {to: 'direct:read'}]}",
                "setHeader: {name: type, expression: {simple: {expression: '${body[0].headers[type]}'}}}}, {toD: {uri: 'kafka:${header.TYPE}'}",
                "setHeader: {name: CamelFileName, expression: {simple: {expression: '${body[0].getHeader(id)}'}}}",
                "setHeader: {name: a, expression: {groovy: {expression: \"body.collect { it.headers.type }.first()\"}}}",
                "bean: {beanType: java.lang.String, method: 'toString'}}, {toD: {uri: 'kafka:${header.type}'}",
                "filter: {expression: {simple: {expression: '${body.size} > 10'}}, steps: [{to: 'kafka:x'}]}",
                "filter: {expression: {simple: {expression: '${body} != null'}}, steps: [{to: 'kafka:x'}]}",
                "setHeader: {name: a, expression: {constant: {expression: '${header.type}'}}}",
                "setHeader: {name: a, expression: {simple: {expression: '${header.CamelOutboxSubscription} ${header.tenant}'}}}",
                "setBody: {expression: {simple: {expression: '${body.json}'}}}}, {filter: {expression: {jsonpath: {expression: '$[?(@.total > 1)]'}}, steps: [{to: 'kafka:x'}]}",
                "setBody: {expression: {language: {language: payload, expression: \"$.header.type == 'header.type'\"}}}",
                "to: {uri: 'sql:insert into t values (:#id, :#type)', parameters: {batch: true}}"
            })
    void a_step_that_reads_a_whole_batch_or_each_message_is_allowed(String step) throws Exception {
        load("""
                - route: {id: read, from: {uri: "direct:read", steps: [{toD: {uri: "kafka:${header.outbox-id}"}}]}}
                - route: {id: tested, from: {uri: "outbox:orders", parameters: {batching: true}, steps: [{%s}]}}
                """.formatted(step));

        assertThat(ofBatch()).as(step).isEmpty();
    }

    private List<String> ofBatch() {
        camel.getPropertiesComponent().addInitialProperty("text", "Order ${header.type}");
        return camel
                .getEndpoint("outbox:orders?batching=true", OutboxEndpoint.class)
                .mistakes(camel.getRouteDefinition("tested"))
                .stream()
                .map(BatchSteps.Found::text)
                .toList();
    }

    /** Components and endpoints that are beans with other names. */
    private void bindQueues() {
        camel.getRegistry().bind("jobs", new SedaComponent());
        camel.getRegistry().bind("calls", new DirectComponent());
        camel.getRegistry().bind("vm", new DirectComponent());
        camel.getRegistry().bind("end", camel.getEndpoint("seda:end"));
        camel.getRegistry().bind("tap", camel.getEndpoint("calls:tap"));
        camel.getPropertiesComponent().addInitialProperty("end", "end");
    }

    private void load(String yaml) throws Exception {
        camel.getRegistry().bind("outbox", new OutboxComponent());
        PluginHelper.getRoutesLoader(camel).loadRoutes(ResourceHelper.fromString("routes.yaml", yaml));
    }
}
