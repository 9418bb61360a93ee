package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.guard.Part;
import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.camel.outbox.HttpGateway.Answer;
import dev.caravan.engine.schedule.Outcome;
import dev.caravan.engine.schedule.Result;
import java.net.ConnectException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.builder.AggregationStrategies;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of which some parts fail, in routes as users write them, with the shipped error handling. */
class PartsIT {
    private static final String ALL = "direct:0,direct:1,direct:2";

    /** Different ways to send the three parts of the body. */
    private static final Map<String, Function<RouteDefinition, ProcessorDefinition<?>>> APART = Map.ofEntries(
            Map.entry("split", route -> route.split(bodyTokens()).to("direct:part")),
            Map.entry(
                    "split, streaming",
                    route -> route.split(bodyTokens()).streaming().to("direct:part")),
            Map.entry(
                    "split, parallel",
                    route -> route.split(bodyTokens()).parallelProcessing().to("direct:part")),
            Map.entry(
                    "split, shared unit of work",
                    route -> route.split(bodyTokens()).shareUnitOfWork().to("direct:part")),
            Map.entry("split, its errors dropped", route -> route.split(
                            bodyTokens(), new GroupedBodyAggregationStrategy())
                    .to("direct:part")),
            Map.entry("split, streaming and parallel, its errors dropped", route -> route.split(
                            bodyTokens(), new GroupedBodyAggregationStrategy())
                    .streaming()
                    .parallelProcessing()
                    .to("direct:part")),
            Map.entry("split, the last part kept", route -> route.split(bodyTokens(), AggregationStrategies.useLatest())
                    .to("direct:part")),
            Map.entry("split in a split", route -> route.split(body(text -> List.of(text)))
                    .split(bodyTokens(), new GroupedBodyAggregationStrategy())
                    .to("direct:part")
                    .end()
                    .to("direct:end")),
            Map.entry("split in a multicast", route -> route.multicast().to("direct:split", "direct:split-and-drop")),
            Map.entry("split after all properties were removed", route -> route.removeProperties("*")
                    .split(bodyTokens(), new GroupedBodyAggregationStrategy())
                    .to("direct:part")
                    .end()
                    .removeProperties("*")),
            Map.entry("split in another route", route -> route.to("direct:split-and-drop")),
            Map.entry("multicast", route -> route.multicast().to("direct:0", "direct:1", "direct:2")),
            Map.entry(
                    "multicast, parallel",
                    route -> route.multicast().parallelProcessing().to("direct:0", "direct:1", "direct:2")),
            Map.entry("multicast, its errors dropped", route -> route.multicast(new GroupedBodyAggregationStrategy())
                    .to("direct:0", "direct:1", "direct:2")),
            Map.entry(
                    "recipientList",
                    route -> route.recipientList().constant(ALL).end()),
            Map.entry("recipientList, parallel", route -> route.recipientList()
                    .constant(ALL)
                    .parallelProcessing()
                    .end()),
            Map.entry("recipientList, its errors dropped", route -> route.recipientList()
                    .constant(ALL)
                    .aggregationStrategy(new GroupedBodyAggregationStrategy())
                    .end()));

    /** Each sends them one after the other, and stops at the first that fails. */
    private static final Map<String, Function<RouteDefinition, ProcessorDefinition<?>>> IN_TURN = Map.ofEntries(
            Map.entry("to", route -> route.to("direct:0").to("direct:1").to("direct:2")),
            Map.entry(
                    "toD",
                    route -> route.toD("direct:0").toD("direct:${header.one}").to("direct:2")),
            Map.entry(
                    "split, stopping at an error",
                    route -> route.split(bodyTokens()).stopOnException().to("direct:part")),
            Map.entry("routingSlip", route -> route.routingSlip().constant(ALL).end()),
            Map.entry("dynamicRouter", route -> route.dynamicRouter().method(new InTurn(), "next")),
            Map.entry("loop", route -> route.loop(3).to("direct:loop").end()),
            Map.entry(
                    "loop, of copies",
                    route -> route.loop(3).copy().to("direct:loop").end()),
            Map.entry(
                    "enrich",
                    route -> route.enrich("direct:0").enrich("direct:1").enrich("direct:2")),
            Map.entry("choice and filter", route -> route.choice()
                    .when(exchange -> true)
                    .to("direct:0")
                    .to("direct:1")
                    .end()
                    .filter(exchange -> true)
                    .to("direct:2")
                    .end()),
            Map.entry("idempotentConsumer", route -> route.idempotentConsumer(
                            body(text -> List.of(text)), MemoryIdempotentRepository.memoryIdempotentRepository())
                    .eager(false)
                    .to("direct:0")
                    .to("direct:1")
                    .to("direct:2")
                    .end()));

    private final DefaultCamelContext camel = new DefaultCamelContext();

    @AfterEach
    void stop() throws Exception {
        camel.close();
    }

    static Stream<Arguments> apart() {
        return APART.keySet().stream().sorted().map(Arguments::of);
    }

    static Stream<Arguments> inTurn() {
        return IN_TURN.keySet().stream().sorted().map(Arguments::of);
    }

    @ParameterizedTest
    @ValueSource(strings = {"split", "split, its errors dropped", "multicast", "recipientList, parallel"})
    void a_part_that_fails_makes_the_message_fail(String way) throws Exception {
        start(APART.get(way));

        assertThat(outcome("fine,fine,fine")).isEqualTo(Outcome.DELIVERED);
        for (String each : List.of("%s,fine,fine", "fine,%s,fine", "fine,fine,%s", "%1$s,%1$s,%1$s")) {
            assertThat(outcome(each.formatted("poison"))).as(each).isEqualTo(Outcome.DEAD);
            assertThat(outcome(each.formatted("fails"))).as(each).isEqualTo(Outcome.RETRY);
            assertThat(outcome(each.formatted("refused"))).as(each).isEqualTo(Outcome.UNAVAILABLE);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("apart")
    void a_part_that_fails_makes_the_message_fail_however_it_is_sent(String way) throws Exception {
        a_part_that_fails_makes_the_message_fail(way);
    }

    @ParameterizedTest
    @ValueSource(strings = "split")
    void while_a_part_may_still_arrive_the_message_is_not_dead(String way) throws Exception {
        start(APART.get(way));

        for (String parts : List.of("poison,fails,fine", "fails,poison,fine", "fine,fails,poison")) {
            assertThat(outcome(parts)).as(parts).isEqualTo(Outcome.RETRY);
        }
        for (String parts : List.of("poison,fails,refused", "refused,fails,poison", "fails,refused,fine")) {
            Result result = send(parts);
            assertThat(result.outcome()).as(parts).isEqualTo(Outcome.UNAVAILABLE);
            assertThat(result.failure().errorClass()).as(parts).isEqualTo(ConnectException.class.getName());
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("apart")
    void while_a_part_may_still_arrive_the_message_is_not_dead_however_it_is_sent(String way) throws Exception {
        while_a_part_may_still_arrive_the_message_is_not_dead(way);
    }

    @ParameterizedTest
    @ValueSource(strings = {"to", "enrich", "routingSlip"})
    void a_step_that_fails_makes_the_message_fail(String way) throws Exception {
        start(IN_TURN.get(way));

        assertThat(outcome("fine,fine,fine")).isEqualTo(Outcome.DELIVERED);
        for (String each : List.of("%s,fine,fine", "fine,%s,fine", "fine,fine,%s")) {
            assertThat(outcome(each.formatted("poison"))).as(each).isEqualTo(Outcome.DEAD);
            assertThat(outcome(each.formatted("fails"))).as(each).isEqualTo(Outcome.RETRY);
            assertThat(outcome(each.formatted("refused"))).as(each).isEqualTo(Outcome.UNAVAILABLE);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("inTurn")
    void each_step_that_fails_makes_the_message_fail(String way) throws Exception {
        a_step_that_fails_makes_the_message_fail(way);
    }

    @Test
    void what_a_route_handles_itself_is_delivered() throws Exception {
        start(route -> route.split(bodyTokens())
                .doTry()
                .to("direct:part")
                .doCatch(Exception.class)
                .end()
                .end()
                .doTry()
                .split(bodyTokens())
                .process(PartsIT::arrive)
                .endDoTry()
                .doCatch(Exception.class)
                .end());

        assertThat(outcome("fails,fine,fine")).isEqualTo(Outcome.DELIVERED);
    }

    @Test
    void an_error_that_an_aggregation_drops_in_a_try_is_not_handled_by_it() throws Exception {
        start(route -> route.doTry()
                .split(bodyTokens(), new GroupedBodyAggregationStrategy())
                .process(PartsIT::arrive)
                .endDoTry()
                .doCatch(Exception.class)
                .end());

        assertThat(outcome("fine,fails,fine")).isEqualTo(Outcome.RETRY);
        assertThat(outcome("fine,fine,fine")).isEqualTo(Outcome.DELIVERED);
    }

    @Test
    void a_step_that_replaces_another_whose_part_failed_delivers() throws Exception {
        start(route -> route.loadBalance().failover().to("direct:split", "direct:end"));

        assertThat(outcome("fails,fine,fine")).isEqualTo(Outcome.DELIVERED);
    }

    @Test
    void what_fails_after_a_part_of_another_kind_was_handled_is_of_its_own_kind() throws Exception {
        start(route -> route.doTry()
                .split(bodyTokens())
                .to("direct:part")
                .endDoTry()
                .doCatch(Exception.class)
                .end()
                .process(exchange -> {
                    throw new SerializationException("later");
                }));

        assertThat(outcome("fails,fine,fine")).isEqualTo(Outcome.DEAD);
    }

    /** Each handles that the destination of the first part is unavailable, and then fails by itself. */
    private static final Map<String, Function<RouteDefinition, ProcessorDefinition<?>>> HANDLED = Map.of(
            "doCatch",
            route -> route.doTry()
                    .to("direct:0")
                    .doCatch(Exception.class)
                    .to("direct:end")
                    .end()
                    .to("direct:1"),
            "doCatch without steps",
            route -> route.doTry().to("direct:0").doCatch(Exception.class).end().to("direct:1"),
            "doTry in a filter",
            route -> route.filter(exchange -> true)
                    .doTry()
                    .to("direct:0")
                    .doCatch(Exception.class)
                    .end()
                    .end()
                    .to("direct:1"),
            "doTry in another route",
            route -> route.to("direct:try").to("direct:1"),
            "doTry in doTry",
            route -> route.doTry()
                    .doTry()
                    .to("direct:0")
                    .doCatch(Exception.class)
                    .end()
                    .to("direct:1")
                    .endDoTry()
                    .doCatch(java.sql.SQLException.class)
                    .end());

    static Stream<Arguments> handled() {
        return HANDLED.keySet().stream().sorted().map(Arguments::of);
    }

    @ParameterizedTest
    @ValueSource(strings = "doCatch")
    void what_fails_after_an_unavailable_destination_was_handled_is_a_failure_of_the_message(String way)
            throws Exception {
        start(HANDLED.get(way));

        assertThat(outcome("refused,fails")).isEqualTo(Outcome.RETRY);
        assertThat(outcome("refused,refused")).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(outcome("fails,refused")).isEqualTo(Outcome.UNAVAILABLE);
        assertThat(outcome("fails,poison")).isEqualTo(Outcome.DEAD);
        assertThat(outcome("refused,fine")).isEqualTo(Outcome.DELIVERED);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("handled")
    void so_it_is_wherever_the_destination_was_handled(String way) throws Exception {
        what_fails_after_an_unavailable_destination_was_handled_is_a_failure_of_the_message(way);
    }

    @Test
    void a_catch_that_says_what_fails_is_believed() throws Exception {
        start(route -> route.doTry()
                .to("direct:0")
                .doCatch(Exception.class)
                .setProperty(
                        OutboxConstants.FAILURE, org.apache.camel.builder.Builder.constant(OutboxConstants.DESTINATION))
                .throwException(new IllegalStateException("told to be unavailable"))
                .end());

        assertThat(outcome("fails")).isEqualTo(Outcome.UNAVAILABLE);
    }

    @Test
    void what_runs_after_the_message_changes_nothing_about_it() throws Exception {
        start(route -> route.onCompletion().to("direct:split").end().to("direct:end"));

        assertThat(outcome("poison,fails,fine")).isEqualTo(Outcome.DELIVERED);
    }

    @Test
    void a_split_of_three_of_which_one_is_refused_is_a_dead_letter() throws Exception {
        try (TestOutbox outbox = TestOutbox.create();
                HttpGateway http = new HttpGateway()) {
            http.answersWith(part -> Answer.of(part == 2 ? 400 : 200));
            outbox.insert("a", "order.created", "\"1,2,3\"");
            try (TestRelay relay = TestRelay.startAsShipped(outbox.pool(), new RouteBuilder() {
                @Override
                public void configure() {
                    from("outbox:orders")
                            .transform(body().regexReplaceAll("\"", ""))
                            .split(bodyTokens())
                            .setHeader("position", body())
                            .to(http.uri());
                }
            })) {
                eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
                assertThat(http.taken()).contains(1L, 3L);
                assertThat(outbox.jdbc().queryForObject("select error_class from outbox_dead_letter", String.class))
                        .endsWith("HttpOperationFailedException");
            }
        }
    }

    private void start(Function<RouteDefinition, ProcessorDefinition<?>> way) throws Exception {
        ShippedPolicy.load(camel);
        camel.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                from("direct:part").process(PartsIT::arrive);
                from("direct:0").process(exchange -> arrive(exchange, 0));
                from("direct:1").process(exchange -> arrive(exchange, 1));
                from("direct:2").process(exchange -> arrive(exchange, 2));
                from("direct:loop")
                        .process(exchange ->
                                arrive(exchange, exchange.getProperty(ExchangePropertyKey.LOOP_INDEX, Integer.class)));
                from("direct:end").process(exchange -> {});
                from("direct:try")
                        .doTry()
                        .to("direct:0")
                        .doCatch(Exception.class)
                        .end();
                from("direct:split").split(bodyTokens()).to("direct:part");
                from("direct:split-and-drop")
                        .split(bodyTokens(), new GroupedBodyAggregationStrategy())
                        .to("direct:part");
                way.apply(from("direct:message"));
            }
        });
        camel.start();
    }

    private Outcome outcome(String parts) {
        return send(parts).outcome();
    }

    private Result send(String parts) {
        Part[] whole = new Part[1];
        var exchange = camel.createProducerTemplate().send("direct:message", sent -> {
            whole[0] = Part.begin(sent, false);
            sent.getMessage().setHeader("one", "1");
            sent.getMessage().setBody(parts);
        });
        return AttemptResult.of(whole[0].fault(exchange), null, true);
    }

    private static org.apache.camel.Expression bodyTokens() {
        return body(text -> Arrays.asList(text.split(",")));
    }

    private static org.apache.camel.Expression body(Function<String, List<String>> parts) {
        return new org.apache.camel.support.ExpressionAdapter() {
            @Override
            public Object evaluate(Exchange exchange) {
                return parts.apply(exchange.getMessage().getBody(String.class));
            }
        };
    }

    private static void arrive(Exchange exchange, int part) throws Exception {
        arrive(exchange.getMessage().getBody(String.class).split(",")[part]);
    }

    private static void arrive(Exchange exchange) throws Exception {
        arrive(exchange.getMessage().getBody(String.class));
    }

    private static void arrive(String part) throws Exception {
        switch (part) {
            case "poison" -> throw new SerializationException("told to be poison");
            case "fails" -> throw new IllegalStateException("told to fail");
            case "refused" -> throw new ConnectException("told to be unavailable");
            default -> {}
        }
    }

    /** A dynamic router over the three. */
    public static final class InTurn {
        public String next(@org.apache.camel.Header(Exchange.SLIP_ENDPOINT) String previous) {
            if (previous == null) {
                return "direct:0";
            }
            return previous.contains("0") ? "direct:1" : previous.contains("1") ? "direct:2" : null;
        }
    }
}
