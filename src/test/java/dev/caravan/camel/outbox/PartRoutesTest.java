package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.headers.OutboxConstants;
import java.net.ConnectException;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.builder.AggregationStrategies;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;
import org.junit.jupiter.api.Test;

/** Messages of which some parts fail. */
class PartRoutesTest extends UserRoutes {
    private static final String ALL = "direct:0,direct:1,direct:2";

    /** Different ways to send the three parts of the body. */
    private static final Map<String, Consumer<RouteDefinition>> APART = Map.ofEntries(
            Map.entry("split", route -> route.split(tokens()).to("direct:once")),
            Map.entry(
                    "split, streaming",
                    route -> route.split(tokens()).streaming().to("direct:once")),
            Map.entry(
                    "split, parallel",
                    route -> route.split(tokens()).parallelProcessing().to("direct:once")),
            Map.entry(
                    "split, shared unit of work",
                    route -> route.split(tokens()).shareUnitOfWork().to("direct:once")),
            Map.entry("split, its errors dropped", route -> route.split(tokens(), new GroupedBodyAggregationStrategy())
                    .to("direct:once")),
            Map.entry("split, streaming and parallel, its errors dropped", route -> route.split(
                            tokens(), new GroupedBodyAggregationStrategy())
                    .streaming()
                    .parallelProcessing()
                    .to("direct:once")),
            Map.entry("split, the last part kept", route -> route.split(tokens(), AggregationStrategies.useLatest())
                    .to("direct:once")),
            Map.entry("split in a split", route -> route.split(body())
                    .split(tokens(), new GroupedBodyAggregationStrategy())
                    .to("direct:once")
                    .end()
                    .to("direct:end")),
            Map.entry(
                    "split in a multicast", route -> route.multicast().to("direct:split-all", "direct:split-and-drop")),
            Map.entry("split after all properties were removed", route -> route.removeProperties("*")
                    .split(tokens(), new GroupedBodyAggregationStrategy())
                    .to("direct:once")
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
    private static final Map<String, Consumer<RouteDefinition>> IN_TURN = Map.ofEntries(
            Map.entry("to", route -> route.to("direct:0").to("direct:1").to("direct:2")),
            Map.entry("toD", route -> route.setHeader("one", constant("1"))
                    .toD("direct:0")
                    .toD("direct:${header.one}")
                    .to("direct:2")),
            Map.entry(
                    "split, stopping at an error",
                    route -> route.split(tokens()).stopOnException().to("direct:once")),
            Map.entry("routingSlip", route -> route.routingSlip().constant(ALL).end()),
            Map.entry("dynamicRouter", route -> route.dynamicRouter().method(new InTurn(), "next")),
            Map.entry("loop", route -> route.loop(3).to("direct:at-index").end()),
            Map.entry(
                    "loop, of copies",
                    route -> route.loop(3).copy().to("direct:at-index").end()),
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
                            body(), MemoryIdempotentRepository.memoryIdempotentRepository())
                    .eager(false)
                    .to("direct:0")
                    .to("direct:1")
                    .to("direct:2")
                    .end()));

    /** Each handles that the destination of the first part is unavailable, and then fails by itself. */
    private static final Map<String, Consumer<RouteDefinition>> HANDLED = Map.of(
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
            route -> route.to("direct:catch").to("direct:1"),
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

    PartRoutesTest() {
        Set<String> inEachBuild = Set.of(
                "split",
                "split, its errors dropped",
                "multicast",
                "recipientList, parallel",
                "to",
                "enrich",
                "routingSlip",
                "doCatch");
        String[] eachFails = Stream.of("%s,fine,fine", "fine,%s,fine", "fine,fine,%s")
                .flatMap(parts -> Stream.of("poison: DEAD", "fails: RETRY", "refused: UNAVAILABLE")
                        .map(part -> parts.replace("%s", part.replaceFirst(":.*", "")) + part.replaceFirst(".*:", ":")))
                .toArray(String[]::new);
        String[] severalFail = {
            "poison,poison,poison: DEAD",
            "fails,fails,fails: RETRY",
            "refused,refused,refused: UNAVAILABLE",
            "poison,fails,fine: RETRY",
            "fails,poison,fine: RETRY",
            "fine,fails,poison: RETRY",
            "poison,fails,refused: UNAVAILABLE",
            "refused,fails,poison: UNAVAILABLE",
            "fails,refused,fine: UNAVAILABLE"
        };
        APART.forEach((name, steps) -> route(
                inEachBuild, name, steps, with(with(eachFails, severalFail), new String[] {"fine,fine,fine: DELIVERED"
                })));
        IN_TURN.forEach((name, steps) ->
                route(inEachBuild, name, steps, with(eachFails, new String[] {"fine,fine,fine: DELIVERED"})));
        HANDLED.forEach((name, steps) -> route(
                inEachBuild,
                name,
                steps,
                "refused,fails: RETRY",
                "refused,refused: UNAVAILABLE",
                "fails,refused: UNAVAILABLE",
                "fails,poison: DEAD",
                "refused,fine: DELIVERED"));
        handling();
    }

    private static String[] with(String[] some, String[] more) {
        return Stream.of(some, more).flatMap(Stream::of).toArray(String[]::new);
    }

    private void handling() {
        route(
                "parts whose failures the route handles",
                route -> route.split(tokens())
                        .doTry()
                        .to("direct:once")
                        .doCatch(Exception.class)
                        .end()
                        .end()
                        .doTry()
                        .split(tokens())
                        .process(UserRoutes::arrive)
                        .endDoTry()
                        .doCatch(Exception.class)
                        .end(),
                "fails,fine,fine: DELIVERED");
        route(
                "an error that an aggregation drops in doTry",
                route -> route.doTry()
                        .split(tokens(), new GroupedBodyAggregationStrategy())
                        .process(UserRoutes::arrive)
                        .endDoTry()
                        .doCatch(Exception.class)
                        .end(),
                "fine,fails,fine: RETRY",
                "fine,fine,fine: DELIVERED");
        route(
                "a step that replaces another whose part failed",
                route -> route.loadBalance().failover().to("direct:split-all", "direct:end"),
                "fails,fine,fine: DELIVERED");
        route(
                "a failure after a part of another kind was handled",
                route -> route.doTry()
                        .split(tokens())
                        .to("direct:once")
                        .endDoTry()
                        .doCatch(Exception.class)
                        .end()
                        .process(exchange -> arrive("poison")),
                "fails,fine,fine: DEAD");
        route(
                "doCatch that sets the kind of the failure",
                route -> route.doTry()
                        .to("direct:0")
                        .doCatch(Exception.class)
                        .setProperty(OutboxConstants.FAILURE, constant(OutboxConstants.DESTINATION))
                        .throwException(new IllegalStateException("told to be unavailable"))
                        .end(),
                "fails: UNAVAILABLE");
        route(
                "parts after the message",
                route -> route.onCompletion().to("direct:split-all").end().to("direct:end"),
                "poison,fails,fine: DELIVERED");
    }

    @Override
    void prepare(CamelContext camel) throws Exception {
        RouteBuilder.addRoutes(camel, routes -> {
            routes.from("direct:2").process(exchange -> arrive(exchange, 2));
            routes.from("direct:at-index")
                    .process(exchange ->
                            arrive(exchange, exchange.getProperty(ExchangePropertyKey.LOOP_INDEX, Integer.class)));
            routes.from("direct:catch")
                    .doTry()
                    .to("direct:0")
                    .doCatch(Exception.class)
                    .end();
            routes.from("direct:split-all").split(tokens()).to("direct:once");
        });
    }

    @Test
    void the_error_of_an_unavailable_destination_is_that_of_the_message() throws Exception {
        assertThat(sent(
                        "the error of a part",
                        route -> route.split(tokens()).to("direct:once"),
                        "poison,fails,refused",
                        "refused,fails,poison",
                        "fails,refused,fine"))
                .extracting(result -> result.failure().errorClass())
                .containsOnly(ConnectException.class.getName());
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
