package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.camel.builder.Builder;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RouteConfigurationDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Routes as users write them: a message is acknowledged only when it is delivered, or the route is refused at the start. */
class EarlyAcknowledgementIT {
    private static final Map<String, Function<RouteDefinition, ProcessorDefinition<?>>> REFUSED = Map.ofEntries(
            Map.entry("wireTap", route -> route.wireTap("direct:end")),
            Map.entry(
                    "aggregate", route -> route.aggregate(Builder.constant(true), new GroupedBodyAggregationStrategy())
                            .completionSize(1)
                            .to("direct:end")),
            Map.entry("resequence", route -> route.resequence(Builder.header("id"))
                    .to("direct:end")),
            Map.entry("seda", route -> route.to("seda:end")),
            Map.entry("seda, InOnly", route -> route.to(org.apache.camel.ExchangePattern.InOnly, "seda:end")),
            Map.entry("seda by a setting", route -> route.to("{{queue}}")),
            Map.entry("toD seda", route -> route.toD("seda:end?size=${header.nothing}")),
            Map.entry("recipientList to seda", route -> route.recipientList()
                    .constant("direct:nothing,seda:end")
                    .end()),
            Map.entry(
                    "routingSlip to seda",
                    route -> route.routingSlip().constant("seda:end").end()),
            Map.entry("enrich from seda", route -> route.enrich("seda:end")),
            Map.entry("split, timeout", route -> route.split(Builder.body())
                    .parallelProcessing()
                    .timeout(1)
                    .to("direct:end")),
            Map.entry(
                    "multicast, timeout",
                    route -> route.multicast().parallelProcessing().timeout(1).to("direct:end")),
            Map.entry("recipientList, timeout", route -> route.recipientList()
                    .constant("direct:end")
                    .parallelProcessing()
                    .timeout(1)
                    .end()),
            Map.entry("in another route", route -> route.to("direct:tap")),
            Map.entry("in a route behind another route", route -> route.to("direct://far?block=false")),
            Map.entry("in a choice", route -> route.choice()
                    .when(exchange -> true)
                    .wireTap("direct:end")
                    .end()),
            Map.entry("in otherwise", route -> route.choice()
                    .when(exchange -> false)
                    .to("direct:nothing")
                    .otherwise()
                    .wireTap("direct:end")
                    .end()),
            Map.entry("in doFinally", route -> route.doTry()
                    .to("direct:nothing")
                    .doFinally()
                    .wireTap("direct:end")
                    .end()),
            Map.entry("in doCatch", route -> route.doTry()
                    .to("direct:end")
                    .doCatch(Exception.class)
                    .wireTap("direct:end")
                    .end()),
            Map.entry("in onException", route -> route.onException(Exception.class)
                    .handled(true)
                    .wireTap("direct:end")
                    .end()
                    .to("direct:end")),
            Map.entry(
                    "in onCompletion",
                    route -> route.onCompletion().to("mock:end").end().to("direct:nothing")));

    private static final Map<String, Function<RouteDefinition, ProcessorDefinition<?>>> WAITING = Map.ofEntries(
            Map.entry("to", route -> route.to("direct:end")),
            Map.entry("toD", route -> route.toD("direct:${header.end}")),
            Map.entry("threads", route -> route.threads(2).to("direct:end")),
            Map.entry("delay", route -> route.delay(1).asyncDelayed().to("direct:end")),
            Map.entry("throttle", route -> route.throttle(1000).asyncDelayed().to("direct:end")),
            Map.entry(
                    "split, parallel",
                    route -> route.split(Builder.body()).parallelProcessing().to("direct:end")),
            Map.entry(
                    "multicast, parallel",
                    route -> route.multicast().parallelProcessing().to("direct:end")),
            Map.entry("recipientList, parallel", route -> route.recipientList()
                    .constant("direct:end")
                    .parallelProcessing()
                    .end()),
            Map.entry("enrich", route -> route.enrich("direct:end")),
            Map.entry("loadBalance", route -> route.loadBalance().roundRobin().to("direct:end")),
            Map.entry("seda that waits", route -> route.to("seda:end?waitForTaskToComplete=Always")),
            Map.entry("seda, InOut", route -> route.to(org.apache.camel.ExchangePattern.InOut, "seda:end")),
            Map.entry(
                    "onCompletion that logs",
                    route -> route.onCompletion().log("${header.id}").end().to("direct:end")));

    private static final Map<String, Function<RouteDefinition, ProcessorDefinition<?>>> OVERTAKING = Map.ofEntries(
            Map.entry("threads", route -> route.threads(2).to("direct:end")),
            Map.entry("delay", route -> route.delay(1).to("direct:end")),
            Map.entry("throttle", route -> route.throttle(1000).asyncDelayed().to("direct:end")),
            Map.entry(
                    "split",
                    route -> route.split(Builder.body()).parallelProcessing().to("direct:end")),
            Map.entry(
                    "multicast", route -> route.multicast().parallelProcessing().to("direct:end")),
            Map.entry("recipientList", route -> route.recipientList()
                    .constant("direct:end")
                    .parallelProcessing()
                    .end()),
            Map.entry("in another route", route -> route.to("direct:slow")));

    private static final Map<String, Function<RouteDefinition, ProcessorDefinition<?>>> IN_TURN = Map.ofEntries(
            Map.entry("delay", route -> route.delay(1).syncDelayed().to("direct:end")),
            Map.entry("throttle", route -> route.throttle(1000).to("direct:end")),
            Map.entry("split, waiting", route -> route.split(Builder.body())
                    .parallelProcessing()
                    .synchronous()
                    .to("direct:end")),
            Map.entry("split", route -> route.split(Builder.body()).to("direct:end")));

    private TestOutbox outbox;

    @BeforeEach
    void create() throws Exception {
        outbox = TestOutbox.create();
    }

    @AfterEach
    void close() throws Exception {
        outbox.close();
    }

    static Stream<Arguments> refused() {
        return REFUSED.keySet().stream().sorted().map(Arguments::of);
    }

    static Stream<Arguments> overtaking() {
        return OVERTAKING.keySet().stream().sorted().map(Arguments::of);
    }

    static Stream<Arguments> inTurn() {
        return IN_TURN.keySet().stream().sorted().map(Arguments::of);
    }

    static Stream<Arguments> waiting() {
        return WAITING.keySet().stream().sorted().map(Arguments::of);
    }

    @ParameterizedTest
    @ValueSource(strings = {"wireTap", "aggregate", "toD seda", "in another route", "in onException"})
    void a_step_that_ends_the_route_before_the_delivery_is_refused_at_the_start(String way) {
        assertThatThrownBy(() -> start("outbox:orders", REFUSED.get(way)).close())
                .hasStackTraceContaining("outbox:orders: route tested: step ")
                .hasStackTraceContaining("earlyAcknowledge=true");
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("refused")
    void each_step_that_ends_the_route_before_the_delivery_is_refused_at_the_start(String way) {
        a_step_that_ends_the_route_before_the_delivery_is_refused_at_the_start(way);
    }

    @ParameterizedTest
    @ValueSource(strings = {"to", "threads", "seda that waits"})
    void a_message_that_fails_at_the_end_of_the_route_is_not_acknowledged(String way) throws Exception {
        outbox.insert("a");
        try (TestRelay relay = start("outbox:orders?backoff=3600000ms", WAITING.get(way))) {
            eventually(() -> assertThat(outbox.waiting("orders")).hasSize(1));
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("waiting")
    void it_is_not_acknowledged_whatever_waits_for_the_end_of_the_route(String way) throws Exception {
        a_message_that_fails_at_the_end_of_the_route_is_not_acknowledged(way);
    }

    @ParameterizedTest
    @ValueSource(strings = "threads")
    void a_step_at_which_messages_overtake_each_other_is_refused_with_pipelined(String way) {
        assertThatThrownBy(() -> start("outbox:orders?pipelined=true", OVERTAKING.get(way))
                        .close())
                .hasStackTraceContaining("outbox:orders: route tested: step ")
                .hasStackTraceContaining("with pipelined a later message of a key can arrive first");
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("overtaking")
    void each_step_at_which_messages_overtake_each_other_is_refused_with_pipelined(String way) {
        a_step_at_which_messages_overtake_each_other_is_refused_with_pipelined(way);
    }

    @ParameterizedTest
    @ValueSource(strings = "split")
    void a_step_that_keeps_the_order_is_allowed_with_pipelined(String way) throws Exception {
        outbox.insert("a");
        try (TestRelay relay = start("outbox:orders?backoff=3600000ms&pipelined=true", IN_TURN.get(way))) {
            eventually(() -> assertThat(outbox.waiting("orders")).hasSize(1));
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("inTurn")
    void each_step_that_keeps_the_order_is_allowed_with_pipelined(String way) throws Exception {
        a_step_that_keeps_the_order_is_allowed_with_pipelined(way);
    }

    @Tag("long")
    @Test
    void threads_are_allowed_with_pipelined_if_no_order_is_needed() throws Exception {
        outbox.insert("a");
        try (TestRelay relay = start(
                "outbox:orders?backoff=3600000ms&pipelined=true&earlyAcknowledge=true", OVERTAKING.get("threads"))) {
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
    @ValueSource(strings = {"wireTap", "seda"})
    void such_a_step_is_allowed_with_an_option_that_accepts_the_loss(String step) throws Exception {
        outbox.insert("a");
        try (TestRelay relay = start("outbox:orders?earlyAcknowledge=true", REFUSED.get(step))) {
            eventually(() -> assertThat(outbox.passed("orders", 1)).isTrue());
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
        return TestRelay.startWith(
                outbox.pool(),
                Map.of("queue", "seda:end"),
                new org.apache.camel.builder.RouteConfigurationBuilder() {
                    @Override
                    public void configuration() {
                        configuration.accept(routeConfiguration());
                    }
                },
                new RouteBuilder() {
                    @Override
                    public void configure() {
                        errorHandler(new NoErrorHandlerBuilder());
                        from("direct:nothing").process(exchange -> {});
                        from("direct:end").process(exchange -> {
                            throw new IllegalStateException("told to fail");
                        });
                        from("seda:end?pollTimeout=10")
                                .process(
                                        exchange -> { // it stops so soon
                                            throw new IllegalStateException("told to fail");
                                        });
                        from("direct:tap").wireTap("direct:end");
                        from("direct:slow").delay(1).to("direct:end");
                        from("direct:far")
                                .filter(exchange -> true)
                                .to("direct:tap")
                                .end();
                        way.apply(from(from).routeId("tested").setHeader("end", constant("end")));
                    }
                });
    }
}
