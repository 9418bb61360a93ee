package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.guard.Part;
import dev.caravan.engine.schedule.Outcome;
import dev.caravan.engine.schedule.Result;
import java.net.ConnectException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.camel.saga.InMemorySagaService;
import org.apache.camel.support.ExpressionAdapter;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks whether a route can change its exchange so that an undelivered message counts as delivered. The body defines what happens at
 * each destination in turn; one Camel context holds all routes of a class, with the error handling that is shipped. Each build tries one
 * route of each kind, and the long tests all others.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class UserRoutes {
    private final DefaultCamelContext camel = new DefaultCamelContext();
    private final Map<String, Consumer<RouteDefinition>> routes = new TreeMap<>();
    private final Map<String, Consumer<RouteDefinition>> extraRoutes = new TreeMap<>();
    private final Map<String, List<String>> expected = new HashMap<>();

    /** @param expectations each a body and the outcome of its message */
    final void route(String name, Consumer<RouteDefinition> steps, String... expectations) {
        routes.put(name, steps);
        expected.put(name, List.of(expectations));
    }

    /** The same for a row of a table, of which each build tries those with these names. */
    final void route(Set<String> names, String name, Consumer<RouteDefinition> steps, String... expectations) {
        if (names.contains(name)) {
            route(name, steps, expectations);
        } else {
            extra(name, steps, expectations);
        }
    }

    /** The same for a route that only the long tests try. */
    final void extra(String name, Consumer<RouteDefinition> steps, String... expectations) {
        extraRoutes.put(name, steps);
        expected.put(name, List.of(expectations));
    }

    @BeforeAll
    void start() throws Exception {
        camel.addService(new InMemorySagaService());
        ShippedPolicy.load(camel);
        camel.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                from("direct:0").process(exchange -> arrive(exchange, 0));
                from("direct:1").process(exchange -> arrive(exchange, 1));
                from("direct:end").process(exchange -> {});
                from("direct:once").process(UserRoutes::arrive);
                from("direct:try")
                        .doTry()
                        .to("direct:0")
                        .doCatch(Exception.class)
                        .end()
                        .to("direct:1");
                from("direct:split-and-drop")
                        .split(UserRoutes.tokens(), new GroupedBodyAggregationStrategy())
                        .process(UserRoutes::arrive);
            }
        });
        prepare(camel);
        camel.start();
    }

    /** Adds what else the routes of a class need. */
    void prepare(CamelContext camel) throws Exception {}

    @AfterAll
    void stop() throws Exception {
        camel.close();
    }

    Stream<Arguments> names() {
        return routes.keySet().stream().map(Arguments::of);
    }

    Stream<Arguments> extraNames() {
        return extraRoutes.keySet().stream().map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("names")
    void what_is_not_delivered_is_not_acknowledged(String name) throws Exception {
        check(name, routes.get(name));
    }

    @Tag("long")
    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("extraNames")
    void what_is_not_delivered_by_another_route_is_not_acknowledged(String name) throws Exception {
        check(name, extraRoutes.get(name));
    }

    /** The results of messages with a route that no table has. */
    final List<Result> sent(String name, Consumer<RouteDefinition> steps, String... bodies) throws Exception {
        add(name, steps);
        return Stream.of(bodies).map(body -> send(name, body)).toList();
    }

    private void add(String name, Consumer<RouteDefinition> steps) throws Exception {
        camel.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                steps.accept(from(uri(name)).routeId(name));
            }
        });
    }

    private void check(String name, Consumer<RouteDefinition> steps) throws Exception {
        Thread.interrupted(); // by a message of another route
        add(name, steps);
        assertThat(expected.get(name)).allSatisfy(expectation -> {
            String body = expectation.replaceFirst(": .*", "");
            String outcome = expectation.replaceFirst(".*: ", "");
            Outcome is = send(name, body).outcome();
            if (outcome.equals("FAILED")) {
                assertThat(is).as(body).isIn(Outcome.RETRY, Outcome.DEAD);
            } else {
                assertThat(is).as(body).isEqualTo(Outcome.valueOf(outcome));
            }
        });
    }

    private Result send(String name, String body) {
        Part[] whole = new Part[1];
        Exchange exchange;
        try {
            exchange = camel.createProducerTemplate().send(uri(name), sent -> {
                whole[0] = Part.begin(sent, "", false);
                sent.getMessage().setHeader("id", "1");
                sent.getMessage().setBody(body);
            });
        } catch (VirtualMachineError e) { // Camel lets these pass, and a failed attempt is made of them
            runLeftSteps();
            return AttemptResult.unknown(e);
        }
        return AttemptResult.of(whole[0].fault(exchange), null, SettingSecrets.of(exchange.getContext()), true);
    }

    /** Runs the steps that such an error has left in the queue of this thread, so that the next case does not run them. */
    private void runLeftSteps() {
        for (boolean left = true; left; ) {
            try {
                camel.getCamelContextExtension().getReactiveExecutor().schedule(() -> {});
                left = false;
            } catch (VirtualMachineError e) {
                // of the attempt that has failed
            }
        }
    }

    private static String uri(String name) {
        return "direct:" + name.replaceAll("[^a-zA-Z]", "-");
    }

    static org.apache.camel.builder.ValueBuilder body() {
        return org.apache.camel.builder.Builder.body();
    }

    static org.apache.camel.builder.ValueBuilder header(String name) {
        return org.apache.camel.builder.Builder.header(name);
    }

    static org.apache.camel.builder.ValueBuilder constant(Object value) {
        return org.apache.camel.builder.Builder.constant(value);
    }

    static Expression tokens() {
        return new ExpressionAdapter() {
            @Override
            public Object evaluate(Exchange exchange) {
                return Arrays.asList(exchange.getMessage().getBody(String.class).split(","));
            }
        };
    }

    /** Arrives at the next destination in the body at each attempt; from the last one on, always at that one. */
    static void arriveAt(Exchange exchange, int most) throws Exception {
        int tries = exchange.getProperty("tries", 0, Integer.class);
        exchange.setProperty("tries", tries + 1);
        arrive(exchange, Math.min(tries, most - 1));
    }

    static void arrive(Exchange exchange, int place) throws Exception {
        arrive(exchange.getMessage().getBody(String.class).split(",")[place]);
    }

    static void arrive(Exchange exchange) throws Exception {
        arrive(exchange.getMessage().getBody(String.class));
    }

    static void arrive(String told) throws Exception {
        switch (told) {
            case "poison" -> throw new SerializationException("told to be poison");
            case "fails", "oops" -> throw new IllegalStateException("told to fail");
            case "refused" -> throw new ConnectException("told to be unavailable");
            case "interrupted" -> throw new InterruptedException("told to be interrupted");
            default -> {}
        }
    }
}
