package dev.caravan.camel.outbox;

import dev.caravan.camel.headers.OutboxConstants;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePattern;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.Route;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.builder.TemplatedRouteBuilder;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.camel.spi.Policy;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;

/** Steps that continue in another route, each with what that route can do to the message. */
class RoutingRoutesTest extends UserRoutes {
    private static final Set<String> IN_EACH_BUILD = Set.of(
            "to",
            "toD",
            "enrich",
            "seda that waits",
            "recipientList",
            "multicast",
            "loadBalance, failover",
            "loop",
            "threads",
            "toD to a computed address",
            "recipientList to a computed address");
    private static final Map<String, Consumer<RouteDefinition>> STEPS = Map.ofEntries(
            Map.entry("to", route -> route.to("direct:there")),
            Map.entry("toD", route -> route.toD("direct:${header.where}")),
            Map.entry("enrich", route -> route.enrich("direct:there")),
            Map.entry("enrich that keeps the message", route -> route.enrich("direct:there", (old, fresh) -> old)),
            Map.entry("seda that waits", route -> route.to("seda:there?waitForTaskToComplete=Always")),
            Map.entry("enrich that shares", route -> route.enrich("direct:there", null, false, true)),
            Map.entry("recipientList", route -> route.recipientList(constant("direct:there"))),
            Map.entry("routingSlip", route -> route.routingSlip(constant("direct:end,direct:there"))),
            Map.entry("dynamicRouter", route -> route.dynamicRouter(once(constant("direct:there")))),
            Map.entry("multicast", route -> route.multicast().to("direct:end", "direct:there")),
            Map.entry(
                    "loadBalance, failover",
                    route -> route.loadBalance().failover(2, true, false).to("direct:there", "direct:there")),
            Map.entry("loadBalance", route -> route.loadBalance().roundRobin().to("direct:there")),
            Map.entry("loop", route -> route.loop(2).to("direct:there")),
            Map.entry("loop with a copy", route -> route.loop(2).copy().to("direct:there")),
            Map.entry("loopDoWhile", route -> route.loopDoWhile(
                            exchange -> exchange.getProperty(Exchange.LOOP_INDEX, 0, Integer.class) < 1)
                    .to("direct:there")),
            Map.entry("saga", route -> route.saga().to("direct:there")),
            Map.entry("policy", route -> route.policy(new PassingPolicy()).to("direct:there")),
            Map.entry("step", route -> route.step("a step").to("direct:there")),
            Map.entry("threads", route -> route.threads(2).to("direct:there")),
            Map.entry("a route of a template", route -> route.to("direct:templated")),
            Map.entry(
                    "intercepted",
                    route -> route.process(exchange -> {}).to("direct:there").to("direct:end")),
            Map.entry(
                    "onCompletion after it",
                    route -> route.onCompletion().process(exchange -> {}).end().to("direct:there")),
            Map.entry("onCompletion of failures only", route -> route.onCompletion()
                    .onFailureOnly()
                    .process(exchange -> {})
                    .end()
                    .to("direct:there")),
            Map.entry("onCompletion of successes only, in parallel", route -> route.onCompletion()
                    .onCompleteOnly()
                    .parallelProcessing()
                    .process(exchange -> {})
                    .end()
                    .to("direct:there")));

    RoutingRoutesTest() {
        STEPS.forEach((name, step) -> route(
                IN_EACH_BUILD,
                name,
                route -> {
                    route.setHeader("where", constant("there"));
                    step.accept(route);
                },
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE",
                "handled: UNAVAILABLE",
                "roll: RETRY",
                "roll last: RETRY",
                "interrupted: RETRY",
                "dead: DEAD",
                "fine: DELIVERED"));
        route(
                "a route without an error handler",
                route -> route.to("direct:bare"),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE",
                "handled: RETRY",
                "roll: RETRY",
                "interrupted: RETRY",
                "dead: DEAD",
                "fine: DELIVERED");
        computed();
    }

    /** The body is the address. The same steps with an address in the route are refused at start. */
    private void computed() {
        Map<String, Consumer<RouteDefinition>> steps = Map.of(
                "toD", route -> route.toD("${body}"),
                "toD without a cache", route -> route.toD("${body}", -1),
                "recipientList", route -> route.recipientList(body()),
                "routingSlip", route -> route.routingSlip(body()),
                "dynamicRouter", route -> route.dynamicRouter(once(body())));
        steps.forEach((name, step) -> route(
                IN_EACH_BUILD,
                name + " to a computed address",
                step::accept,
                "seda:there: RETRY",
                "seda:new: RETRY",
                "seda:there?waitForTaskToComplete=Never: RETRY",
                "seda:there?waitForTaskToComplete=Always: DELIVERED",
                // these two ignore the pattern of an address, so Camel does not wait
                "seda:there?exchangePattern=InOut: "
                        + (Set.of("routingSlip", "dynamicRouter").contains(name) ? "RETRY" : "DELIVERED"),
                "stub:there: RETRY",
                "direct:nothing?failIfNoConsumers=false&block=false: RETRY",
                "direct:queue: RETRY",
                "direct:tap: RETRY",
                "direct:aggregate: RETRY",
                "direct:eager: RETRY",
                "direct:there: DELIVERED"));
        Map<String, Consumer<RouteDefinition>> before = Map.of(
                "routingSlip", route -> route.routingSlip(body().append(";direct:end"), ";"),
                "dynamicRouter", route -> route.dynamicRouter(before("direct:end")),
                "bean", route -> route.process(RoutingRoutesTest::send).to("direct:end"),
                "bean in a route that is called",
                        route -> route.toD("direct:sends").to("direct:end"),
                "routingSlip in a split",
                        route -> route.doTry()
                                .split(body())
                                .routingSlip(body().append(";direct:end"), ";")
                                .end()
                                .endDoTry()
                                .doCatch(ArithmeticException.class)
                                .end(),
                "bean in a split",
                        route -> route.doTry()
                                .split(body())
                                .process(RoutingRoutesTest::send)
                                .to("direct:end")
                                .end()
                                .endDoTry()
                                .doCatch(ArithmeticException.class)
                                .end());
        before.forEach((name, step) -> route(
                Set.of("routingSlip, before another send"),
                name + ", before another send",
                step::accept,
                "seda:there?waitForTaskToComplete=Never: RETRY",
                "seda:there?waitForTaskToComplete=Always: DELIVERED",
                "stub:there: RETRY",
                "direct:nothing?failIfNoConsumers=false&block=false: RETRY",
                "direct:there: DELIVERED"));
        extra(
                "enrich to a computed address, which waits for the reply",
                route -> route.enrich().simple("${body}").end(),
                "seda:there: DELIVERED",
                "stub:there: RETRY",
                "direct:tap: RETRY");
        extra(
                "toD with a reply to a computed address",
                route -> route.setExchangePattern(ExchangePattern.InOut).toD("${body}"),
                "seda:there: DELIVERED");
    }

    /** Sends with the exchange of the route, which then continues. */
    private static void send(Exchange exchange) throws Exception {
        try (var template = exchange.getContext().createProducerTemplate()) {
            template.send(exchange.getMessage().getBody(String.class), exchange);
        }
    }

    /** The body as the address, and after it another one. */
    private static org.apache.camel.Expression before(String next) {
        return new org.apache.camel.support.ExpressionAdapter() {
            @Override
            public Object evaluate(Exchange exchange) {
                String last = exchange.getProperty(Exchange.SLIP_ENDPOINT, String.class);
                return last == null ? exchange.getMessage().getBody() : last.contains("end") ? null : next;
            }
        };
    }

    @Override
    void prepare(CamelContext camel) throws Exception {
        RouteBuilder.addRoutes(camel, routes -> {
            there(routes.from("direct:there"));
            there(routes.from("seda:there"));
            there(routes.from("direct:bare").errorHandler(new NoErrorHandlerBuilder()));
            there(routes.routeTemplate("template").from("direct:templated"));
            routes.from("direct:sends").process(RoutingRoutesTest::send);
            routes.from("direct:queue").to("seda:there");
            routes.from("direct:tap").wireTap("direct:end");
            routes.from("direct:aggregate")
                    .aggregate(routes.constant(true), new GroupedBodyAggregationStrategy())
                    .completionSize(1)
                    .to("direct:end");
            routes.from("direct:eager")
                    .idempotentConsumer(routes.header("id"), new MemoryIdempotentRepository())
                    .to("direct:end");
        });
        TemplatedRouteBuilder.builder(camel, "template").routeId("templated").add();
    }

    private static void there(RouteDefinition route) {
        route.onException(ArithmeticException.class)
                .handled(true)
                .setProperty(OutboxConstants.FAILURE, constant(OutboxConstants.DESTINATION))
                .end()
                .choice()
                .when(body().isEqualTo("roll"))
                .markRollbackOnly()
                .when(body().isEqualTo("roll last"))
                .markRollbackOnlyLast()
                .when(body().isEqualTo("handled"))
                .throwException(new ArithmeticException("told to be handled"))
                .when(body().isEqualTo("dead"))
                .to("outbox:dead-letter")
                .otherwise()
                .process(UserRoutes::arrive)
                .end();
    }

    private static org.apache.camel.Expression once(org.apache.camel.Expression uri) {
        return new org.apache.camel.support.ExpressionAdapter() {
            @Override
            public Object evaluate(Exchange exchange) {
                return exchange.getProperty(Exchange.SLIP_ENDPOINT) == null
                        ? uri.evaluate(exchange, String.class)
                        : null;
            }
        };
    }

    private static final class PassingPolicy implements Policy {
        @Override
        public void beforeWrap(Route route, NamedNode definition) {}

        @Override
        public Processor wrap(Route route, Processor processor) {
            return processor;
        }
    }
}
