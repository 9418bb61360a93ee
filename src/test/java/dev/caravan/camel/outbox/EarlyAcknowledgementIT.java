package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Function;
import org.apache.camel.builder.Builder;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.builder.RouteConfigurationBuilder;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RouteConfigurationDefinition;
import org.apache.camel.model.RouteDefinition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes as users write them: a message is acknowledged only when it is delivered, or the route is refused at the start. */
class EarlyAcknowledgementIT {
    private final TestOutbox outbox = TestOutbox.create();

    @ParameterizedTest
    @ValueSource(strings = {"direct:tap", "direct:far?block=false", "{{queue}}"})
    void a_route_that_ends_before_the_delivery_is_refused_at_the_start(String address) {
        assertThatThrownBy(
                        () -> start("outbox:orders", route -> route.to(address)).close())
                .hasStackTraceContaining("outbox:orders: route tested: step ")
                .hasStackTraceContaining("earlyAcknowledge=true");
    }

    @Test
    void a_message_that_fails_behind_a_queue_that_waits_is_not_acknowledged() throws Exception {
        outbox.insert("a");
        try (TestRelay relay = start("outbox:orders?backoff=3600000ms", route -> route.threads(2)
                .to("seda:end?waitForTaskToComplete=Always"))) {
            eventually(() -> assertThat(outbox.waiting("orders")).hasSize(1));
        }
    }

    @Test
    void a_step_at_which_messages_overtake_each_other_is_refused_with_pipelined() {
        assertThatThrownBy(() -> start("outbox:orders?pipelined=true", route -> route.to("direct:slow"))
                        .close())
                .hasStackTraceContaining("outbox:orders: route tested: step ")
                .hasStackTraceContaining("with pipelined a later message of a key can arrive first");
    }

    @Test
    void a_step_that_keeps_the_order_is_allowed_with_pipelined() throws Exception {
        outbox.insert("a");
        try (TestRelay relay =
                start("outbox:orders?backoff=3600000ms&pipelined=true", route -> route.split(Builder.body())
                        .to("direct:end"))) {
            eventually(() -> assertThat(outbox.waiting("orders")).hasSize(1));
        }
    }

    @Tag("long")
    @Test
    void threads_are_allowed_with_pipelined_if_no_order_is_needed() throws Exception {
        outbox.insert("a");
        try (TestRelay relay =
                start("outbox:orders?backoff=3600000ms&pipelined=true&earlyAcknowledge=true", route -> route.threads(2)
                        .to("direct:end"))) {
            eventually(() -> assertThat(outbox.waiting("orders")).hasSize(1));
        }
    }

    @Test
    void an_error_handler_that_drops_what_its_dead_letter_endpoint_refuses_is_refused() {
        assertThatThrownBy(() -> start("outbox:orders", route -> route.errorHandler(
                                        new org.apache.camel.builder.DeadLetterChannelBuilder("direct:end"))
                                .to("direct:end"))
                        .close())
                .hasStackTraceContaining("deadLetterHandleNewException");
    }

    @Test
    void what_a_dead_letter_endpoint_refuses_is_not_acknowledged() throws Exception {
        outbox.insert("a");
        var handler = new org.apache.camel.builder.DeadLetterChannelBuilder("direct:end");
        handler.deadLetterHandleNewException(false);
        try (TestRelay relay = start("outbox:orders?backoff=3600000ms", route -> route.errorHandler(handler)
                .to("direct:end"))) {
            eventually(() -> assertThat(outbox.waiting("orders")).hasSize(1));
        }
    }

    @Test
    void the_refusal_names_route_and_step_and_what_to_use_instead() {
        assertThatThrownBy(() -> start("outbox:orders", route -> route.wireTap("direct:end?block=true")
                                .id("copy"))
                        .close())
                .hasStackTraceContaining(
                        "route tested: step copy (wireTap[direct:end]) sends a copy that the route does not wait for")
                .hasStackTraceContaining("write another route from outbox:");
    }

    @Test
    void a_step_of_a_route_configuration_is_refused_where_it_applies() {
        assertThatThrownBy(() -> start("outbox:orders", route -> route.to("direct:end"), configuration -> configuration
                                .onException(Exception.class)
                                .handled(true)
                                .wireTap("direct:end")
                                .end())
                        .close())
                .hasStackTraceContaining("wireTap[direct:end]");
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"errors", "alerts, errors", "err*"})
    void a_step_of_a_route_configuration_is_refused_also_if_the_route_names_several_or_a_pattern(String names) {
        assertThatThrownBy(() -> start(
                                "outbox:orders",
                                route -> route.routeConfigurationId(names).to("direct:end"),
                                configuration -> {
                                    configuration.setId("errors");
                                    configuration
                                            .onException(Exception.class)
                                            .handled(true)
                                            .wireTap("direct:end")
                                            .end();
                                })
                        .close())
                .hasStackTraceContaining("wireTap[direct:end]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"direct:tap", "seda:end"})
    void such_a_step_is_allowed_with_an_option_that_accepts_the_loss(String address) throws Exception {
        outbox.insert("a");
        try (TestRelay relay = start("outbox:orders?earlyAcknowledge=true", route -> route.to(address))) {
            outbox.awaitPassed("orders", 1);
            assertThat(outbox.waiting("orders")).isEmpty();
        }
    }

    private TestRelay start(String from, Function<RouteDefinition, ProcessorDefinition<?>> way) throws Exception {
        return start(from, way, configuration -> {});
    }

    private TestRelay start(
            String from,
            Function<RouteDefinition, ProcessorDefinition<?>> way,
            java.util.function.Consumer<RouteConfigurationDefinition> configuration)
            throws Exception {
        return TestRelay.start(outbox.pool(), routes -> {
            routes.getContext().getPropertiesComponent().addInitialProperty("queue", "seda:end");
            routes.getContext().addRoutes(new RouteConfigurationBuilder() {
                @Override
                public void configuration() {
                    configuration.accept(routeConfiguration());
                }
            });
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("direct:end").process(exchange -> {
                throw new IllegalStateException("told to fail");
            });
            routes.from("seda:end?pollTimeout=10")
                    .process(
                            exchange -> { // it stops so soon
                                throw new IllegalStateException("told to fail");
                            });
            routes.from("direct:tap").wireTap("direct:end");
            routes.from("direct:slow").delay(1).to("direct:end");
            routes.from("direct:far").filter(exchange -> true).to("direct:tap").end();
            way.apply(routes.from(from).routeId("tested").setHeader("end", routes.constant("end")));
        });
    }
}
