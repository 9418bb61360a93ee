package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.camel.component.direct.DirectComponent;
import org.apache.camel.component.seda.SedaComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
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
