package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.builder.DeadLetterChannelBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.seda.SedaEndpoint;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.impl.engine.PooledProcessorExchangeFactory;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A route of the application that carries no message of an outbox behaves the same with and without a route from {@code outbox:}. */
class ForeignRoutesTest {
    /** Each is a route in which Camel behaves differently for a message of an outbox, or a step that has a copy of the exchange. */
    private static final Map<String, Consumer<RouteDefinition>> ROUTES = new TreeMap<>(Map.ofEntries(
            Map.entry("split that drops failures", route -> route.split(
                            UserRoutes.tokens(), new GroupedBodyAggregationStrategy())
                    .process(ForeignRoutesTest::fail)
                    .end()
                    .setBody(UserRoutes.constant("dropped"))),
            Map.entry("multicast", route -> route.multicast().to("direct:fails", "direct:good")),
            Map.entry("recipientList, parallel", route -> route.recipientList(
                            UserRoutes.constant("direct:good,direct:fails"))
                    .parallelProcessing()),
            Map.entry("second failure after doTry", route -> route.onException(ArithmeticException.class)
                    .handled(true)
                    .setBody(UserRoutes.constant("handled"))
                    .end()
                    .doTry()
                    .to("direct:arithmetic")
                    .doCatch(Exception.class)
                    .end()
                    .to("direct:arithmetic")),
            Map.entry("failure behind a handled one", route -> route.errorHandler(
                            new DeadLetterChannelBuilder("direct:good"))
                    .to("direct:fails")),
            Map.entry("onException that removes the error", route -> route.onException(Exception.class)
                    .removeProperties("*")
                    .end()
                    .process(ForeignRoutesTest::fail)),
            Map.entry("removeHeader of Kafka", route -> route.setHeader("CamelKafkaKey", UserRoutes.constant("1"))
                    .setHeader("kafka.KEY", UserRoutes.constant("2"))
                    .removeHeader("kafka.KEY")),
            Map.entry("removeHeaders but those of Kafka", route -> route.setHeader(
                            "CamelKafkaKey", UserRoutes.constant("1"))
                    .setHeader("kafka.KEY", UserRoutes.constant("2"))
                    .removeHeaders("*", "kafka.KEY")),
            Map.entry("idempotentConsumer and rollback", route -> route.idempotentConsumer(
                            UserRoutes.constant("id"), MemoryIdempotentRepository.memoryIdempotentRepository())
                    .markRollbackOnly()),
            Map.entry("future as the body", route -> route.process(exchange -> exchange.getMessage()
                            .setBody(CompletableFuture.failedFuture(new IllegalStateException("later"))))
                    .process(exchange -> exchange.getMessage()
                            .setBody(exchange.getMessage().getBody() instanceof CompletableFuture))),
            Map.entry("toD without an address", route -> route.toD("${header.nothing}")
                    .setBody(UserRoutes.constant("continued"))),
            Map.entry("toD to a queue", route -> route.toD("seda:queue")),
            Map.entry("wireTap", route -> route.wireTap("direct:good")),
            Map.entry("step that is not known to be safe", route -> route.sample(1_000_000)
                    .setBody(UserRoutes.constant("sampled"))),
            Map.entry(
                    "outage",
                    route -> route.process(exchange -> {
                        throw new java.net.ConnectException("refused");
                    })),
            Map.entry("failure behind direct", route -> route.to("direct:fails"))));

    static Stream<Arguments> routes() {
        return ROUTES.keySet().stream().flatMap(name -> Stream.of(Arguments.of(name, false), Arguments.of(name, true)));
    }

    @ParameterizedTest
    @MethodSource("routes")
    void a_foreign_route_behaves_the_same_beside_a_route_from_outbox(String name, boolean pooled) throws Exception {
        List<String> alone = behaviour(ROUTES.get(name), pooled, false);

        assertThat(behaviour(ROUTES.get(name), pooled, true)).isEqualTo(alone);
    }

    private static List<String> behaviour(Consumer<RouteDefinition> steps, boolean pooled, boolean besideOutbox)
            throws Exception {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (var camel = new DefaultCamelContext()) {
            if (pooled) {
                camel.getCamelContextExtension().setProcessorExchangeFactory(new PooledProcessorExchangeFactory());
            }
            if (besideOutbox) {
                OutboxComponent component = new OutboxComponent();
                component.setOnDemand(statement -> {});
                camel.getRegistry().bind("outbox", component);
            }
            RouteBuilder.addRoutes(camel, routes -> {
                routes.from("direct:good").routeId("good").process(exchange -> record(seen, "good", exchange));
                routes.from("direct:fails").routeId("fails").process(ForeignRoutesTest::fail);
                routes.from("direct:arithmetic")
                        .routeId("arithmetic")
                        .errorHandler(routes.noErrorHandler())
                        .process(exchange -> {
                            throw new ArithmeticException("told to fail");
                        });
                routes.from("seda:queue?pollTimeout=10")
                        .routeId("queue")
                        .process(exchange -> record(seen, "queue", exchange));
                if (besideOutbox) {
                    routes.from("outbox:orders").routeId("own").to("direct:good");
                }
                steps.accept(routes.from("direct:foreign").routeId("foreign"));
            });
            camel.start();
            assertThat(camel.hasComponent("outbox") != null).isEqualTo(besideOutbox);
            assertThat(camel.getEndpoint("seda:queue?pollTimeout=10")).isInstanceOf(SedaEndpoint.class);
            try (var template = camel.createProducerTemplate()) {
                for (int i = 0; i < 2; i++) { // the second one may take a copy from the pool
                    record(seen, "end", template.send("direct:foreign", exchange -> exchange.getMessage()
                            .setBody("a,b")));
                }
            }
        }
        Collections.sort(seen); // parallel parts and taps end in any order
        return seen;
    }

    private static void record(List<String> seen, String place, Exchange exchange) {
        Map<String, Object> properties = new TreeMap<>(exchange.getAllProperties());
        properties
                .keySet()
                .removeIf(
                        name -> name.matches("Camel(MessageHistory|CorrelationId|ParentUnitOfWork|ExceptionCaught).*"));
        seen.add(place + " " + exchange.getMessage().getBody() + " "
                + new TreeMap<>(exchange.getMessage().getHeaders()) + " " + exchange.getException() + " "
                + exchange.getProperty(ExchangePropertyKey.EXCEPTION_CAUGHT) + " " + exchange.isRollbackOnly() + " "
                + exchange.getExchangeExtension().isFailureHandled() + " "
                + exchange.getExchangeExtension().isErrorHandlerHandledSet() + " "
                + exchange.getExchangeExtension().isRedeliveryExhausted() + " "
                + String.valueOf(properties).replaceAll("@[0-9a-f]+", ""));
    }

    private static void fail(Exchange exchange) {
        throw new IllegalStateException("told to fail");
    }
}
