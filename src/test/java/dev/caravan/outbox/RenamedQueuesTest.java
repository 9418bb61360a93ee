package dev.caravan.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.camel.component.direct.DirectComponent;
import org.apache.camel.component.seda.SedaComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.PluginHelper;
import org.apache.camel.support.ResourceHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Like {@link RefusedRoutesTest}, with queues in memory whose component or endpoint is a bean with another name. */
class RenamedQueuesTest {
    private final DefaultCamelContext camel = new DefaultCamelContext();

    @AfterEach
    void close() throws Exception {
        camel.close();
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
    void the_route_is_refused(String step) throws Exception {
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
    void a_route_that_waits_is_allowed(String step) throws Exception {
        load("""
                - route: {id: tested, from: {uri: "outbox:orders", steps: [{%s}]}}
                """.formatted(step));

        assertThat(camel.getEndpoint("outbox:orders", OutboxEndpoint.class)
                        .problems(camel.getRouteDefinition("tested")))
                .isEmpty();
    }

    private void load(String yaml) throws Exception {
        camel.getRegistry().bind("outbox", new OutboxComponent());
        camel.getRegistry().bind("jobs", new SedaComponent());
        camel.getRegistry().bind("calls", new DirectComponent());
        camel.getRegistry().bind("vm", new DirectComponent());
        camel.getRegistry().bind("end", camel.getEndpoint("seda:end"));
        camel.getRegistry().bind("tap", camel.getEndpoint("calls:tap"));
        camel.getPropertiesComponent().addInitialProperty("end", "end");
        PluginHelper.getRoutesLoader(camel).loadRoutes(ResourceHelper.fromString("routes.yaml", yaml));
    }
}
