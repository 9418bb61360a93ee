package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.Component;
import org.apache.camel.Consumer;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Navigate;
import org.apache.camel.Processor;
import org.apache.camel.Producer;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.processor.CatchProcessor;
import org.apache.camel.processor.TryProcessor;
import org.apache.camel.spi.HeaderFilterStrategy;
import org.apache.camel.spi.HeaderFilterStrategyAware;
import org.apache.camel.support.DefaultComponent;
import org.apache.camel.support.DefaultEndpoint;
import org.apache.camel.support.DefaultProducer;
import org.apache.camel.support.processor.DelegateAsyncProcessor;
import org.junit.jupiter.api.Test;

/** What the component changes in a context that is started more than once, or that has two components. */
class RestartedContextTest {
    private final List<HeaderFilterStrategy> filters = new ArrayList<>();

    private final OutboxComponent outbox = new OutboxComponent();

    /** An endpoint that filters headers, and records each filter that it is given. */
    private final class Filtering extends DefaultEndpoint implements HeaderFilterStrategyAware {
        private Filtering(String uri, Component component) {
            super(uri, component);
        }

        @Override
        public HeaderFilterStrategy getHeaderFilterStrategy() {
            return null;
        }

        @Override
        public void setHeaderFilterStrategy(HeaderFilterStrategy filter) {
            filters.add(filter);
        }

        @Override
        public Producer createProducer() {
            return new DefaultProducer(this) {
                @Override
                public void process(Exchange exchange) {}
            };
        }

        @Override
        public Consumer createConsumer(Processor processor) {
            throw new UnsupportedOperationException();
        }
    }

    private CamelContext context() throws Exception {
        CamelContext context = new DefaultCamelContext();
        RouteBuilder.addRoutes(context, routes -> routes.from("direct:tried")
                .routeId("tried")
                .doTry()
                .to("filtering:any")
                .doCatch(Exception.class)
                .stop()
                .end());
        return context;
    }

    /** Camel forgets the components when it stops. */
    private void start(CamelContext context, String... names) {
        for (String name : names) {
            context.addComponent(name, name.equals("outbox") ? outbox : new OutboxComponent());
        }
        context.addComponent("filtering", new DefaultComponent() {
            @Override
            protected Endpoint createEndpoint(String uri, String path, Map<String, Object> parameters) {
                return new Filtering(uri, this);
            }
        });
        context.start();
    }

    @Test
    void a_context_that_is_started_again_has_each_step_changed_once() throws Exception {
        try (CamelContext context = context()) {
            for (int run = 1; run <= 3; run++) {
                filters.clear();
                start(context, "outbox");
                assertThat(filters).as("filters in run %d", run).hasSize(1);
                assertThat(wrappedClauses(context)).as("run %d", run).isEqualTo(1);
                context.stop();
            }
        }
    }

    @Test
    void the_limits_are_those_of_the_component_that_runs() throws Exception {
        try (CamelContext context = context()) {
            start(context, "outbox");
            context.stop();
            OutboxComponent next = new OutboxComponent();
            next.setMaxAnswerBytes(7);
            context.addComponent("outbox", next);
            start(context);

            assertThat(StepEndpoints.of(context).getMaxAnswerBytes()).isEqualTo(7);
        }
    }

    @Test
    void two_components_change_each_step_once() throws Exception {
        try (CamelContext context = context()) {
            start(context, "outbox", "archive");

            assertThat(filters).hasSize(1);
            assertThat(wrappedClauses(context)).isEqualTo(1);
        }
    }

    /** How many layers of the component are around the catch clause. */
    private static long wrappedClauses(CamelContext context) {
        TryProcessor doTry = found(context.getRoute("tried").navigate());
        Processor clause = doTry.getCatchClauses().get(0);
        long layers = 0;
        while (clause instanceof DelegateAsyncProcessor around && !(clause instanceof CatchProcessor)) {
            layers += clause.getClass().getEnclosingClass() == ReachedRoutes.class ? 1 : 0;
            clause = around.getProcessor();
        }
        return layers;
    }

    private static TryProcessor found(Object step) {
        if (step instanceof TryProcessor doTry) {
            return doTry;
        }
        return step instanceof Navigate<?> parent && parent.hasNext()
                ? parent.next().stream()
                        .map(RestartedContextTest::found)
                        .filter(each -> each != null)
                        .findFirst()
                        .orElse(null)
                : null;
    }
}
