package dev.caravan.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.delivery.Outcome;
import dev.caravan.delivery.Result;
import dev.caravan.headers.OutboxConstants;
import dev.caravan.route.Part;
import java.io.IOException;
import java.net.ConnectException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.model.RouteDefinition;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.camel.saga.InMemorySagaService;
import org.apache.camel.support.AsyncProcessorSupport;
import org.apache.camel.support.DefaultMessage;
import org.apache.camel.support.ExpressionAdapter;
import org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whether what a route does to its exchange can make a message count as delivered that is not. The body says what happens at
 * each destination in turn; one Camel context holds all routes, with the error handling that is shipped.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UserRoutesTest {
    private final DefaultCamelContext camel = new DefaultCamelContext();
    private final Map<String, Consumer<RouteDefinition>> routes = new TreeMap<>();
    private final Map<String, List<String>> expected = new TreeMap<>();
    private final Map<String, Exception> refused = new TreeMap<>();

    UserRoutesTest() {
        stopping();
        trying();
        handling();
        changing();
        elsewhere();
        asking();
    }

    private void route(String name, Consumer<RouteDefinition> steps, String... expectations) {
        routes.put(name, steps);
        expected.put(name, List.of(expectations));
    }

    private void stopping() {
        route(
                "rollback",
                route -> route.to("direct:0")
                        .choice()
                        .when(body().contains("roll"))
                        .rollback()
                        .end()
                        .to("direct:1"),
                "fine,fine: DELIVERED",
                "fine,roll: RETRY");
        route(
                "markRollbackOnly",
                route -> route.choice()
                        .when(body().contains("roll"))
                        .markRollbackOnly()
                        .end()
                        .to("direct:0"),
                "fine: DELIVERED",
                "roll: RETRY");
        route(
                "markRollbackOnlyLast",
                route -> route.choice()
                        .when(body().contains("roll"))
                        .markRollbackOnlyLast()
                        .end()
                        .to("direct:0"),
                "fine: DELIVERED",
                "roll: RETRY");
        route(
                "markRollbackOnlyLast in a part",
                route -> route.split(tokens(), new GroupedBodyAggregationStrategy())
                        .choice()
                        .when(body().contains("roll"))
                        .markRollbackOnlyLast()
                        .end(),
                "fine,fine: DELIVERED",
                "fine,roll: RETRY");
        route("stop", route -> route.to("direct:0").stop(), "fails: RETRY", "poison: DEAD", "fine: DELIVERED");
        route(
                "interrupted, and caught",
                route -> route.doTry()
                        .process(exchange -> arrive(exchange, 0))
                        .doCatch(InterruptedException.class)
                        .end()
                        .to("direct:1"),
                "interrupted,fails: RETRY",
                "interrupted,poison: RETRY",
                "interrupted,fine: RETRY");
        route("interrupted", route -> route.to("direct:0").to("direct:1"), "interrupted,fine: RETRY");
        route(
                "a processor that stops the route after the delivery",
                route -> route.to("direct:0").process(exchange -> exchange.setRouteStop(true)),
                "fails: RETRY",
                "fine: DELIVERED");
        route(
                "onException continued",
                route -> route.onException(IllegalStateException.class)
                        .continued(true)
                        .end()
                        .to("direct:0", "direct:1"),
                "fine,poison: DEAD",
                "fine,refused: UNAVAILABLE",
                "poison,fine: DEAD");
        route(
                "onException continued, in the same route",
                route -> route.onException(IllegalStateException.class)
                        .continued(true)
                        .end()
                        .process(exchange -> arrive(exchange, 0))
                        .process(exchange -> arrive(exchange, 1)),
                "fails,poison: DEAD",
                "fails,refused: UNAVAILABLE",
                "fails,fine: DELIVERED");
        route(
                "an unavailable destination continued",
                route -> route.onException(ConnectException.class)
                        .continued(true)
                        .setProperty(OutboxConstants.FAILURE, constant(OutboxConstants.DESTINATION))
                        .end()
                        .process(exchange -> arrive(exchange, 0))
                        .process(exchange -> arrive(exchange, 1)),
                "refused,poison: DEAD",
                "refused,fine: DELIVERED");
    }

    private void trying() {
        route(
                "doTry that catches something else",
                route -> route.doTry()
                        .process(exchange -> arrive(exchange, 0))
                        .doCatch(IOException.class, ClassCastException.class)
                        .onWhen(exchange -> false)
                        .end(),
                "fails: RETRY",
                "poison: RETRY",
                "refused: RETRY",
                "fine: DELIVERED");
        route(
                "doTry with doFinally only",
                route -> route.doTry()
                        .process(exchange -> arrive(exchange, 0))
                        .doFinally()
                        .to("direct:end")
                        .end(),
                "fails: RETRY",
                "poison: RETRY",
                "refused: RETRY",
                "fine: DELIVERED");
        route(
                "doTry with doFinally that fails",
                route -> route.doTry()
                        .process(exchange -> arrive(exchange, 0))
                        .doFinally()
                        .process(exchange -> arrive(exchange, 1))
                        .end(),
                "fine,fails: RETRY",
                "fine,poison: RETRY",
                "fine,refused: RETRY",
                "fails,fine: RETRY");
        route(
                "a fallback in doCatch",
                route -> route.doTry()
                        .process(exchange -> arrive(exchange, 0))
                        .doCatch(Exception.class)
                        .process(exchange -> arrive(exchange, 1))
                        .end(),
                "fails,fails: RETRY",
                "fails,poison: RETRY",
                "fails,refused: RETRY",
                "fails,fine: DELIVERED",
                "refused,fails: RETRY");
        route(
                "a fallback in doCatch in another route",
                route -> route.doTry()
                        .to("direct:0")
                        .doCatch(Exception.class)
                        .to("direct:1")
                        .end(),
                "fails,fails: RETRY",
                "fails,poison: DEAD",
                "fails,refused: UNAVAILABLE",
                "fails,fine: DELIVERED",
                "refused,fails: RETRY",
                "refused,poison: DEAD");
        route(
                "doTry in another route, and a step after it there",
                route -> route.to("direct:try"),
                "fails,fails: RETRY",
                "fails,poison: DEAD",
                "fails,refused: UNAVAILABLE",
                "refused,fails: RETRY",
                "refused,fine: DELIVERED",
                "refused,poison: DEAD");
        route(
                "doTry in doTry that catches something else",
                route -> route.doTry()
                        .doTry()
                        .process(exchange -> arrive(exchange, 0))
                        .doCatch(ClassCastException.class)
                        .end()
                        .endDoTry()
                        .doCatch(ArithmeticException.class)
                        .end(),
                "fails: RETRY",
                "poison: RETRY",
                "refused: RETRY",
                "fine: DELIVERED");
        route(
                "doTry in doTry that catches",
                route -> route.doTry()
                        .doTry()
                        .process(exchange -> arrive(exchange, 0))
                        .doCatch(ClassCastException.class)
                        .end()
                        .endDoTry()
                        .doCatch(Exception.class)
                        .end()
                        .to("direct:1"),
                "fails,fine: DELIVERED",
                "poison,fine: DELIVERED",
                "refused,fine: DELIVERED",
                "refused,fails: RETRY");
        route(
                "doTry in a split that catches something else",
                route -> route.split(tokens())
                        .doTry()
                        .process(UserRoutesTest::arrive)
                        .doCatch(ClassCastException.class)
                        .end()
                        .end(),
                "fails,fine: RETRY",
                "fine,poison: DEAD",
                "refused,fine: UNAVAILABLE",
                "fine,fine: DELIVERED");
        route(
                "split in a doTry that catches something else",
                route -> route.doTry()
                        .split(tokens())
                        .process(UserRoutesTest::arrive)
                        .end()
                        .endDoTry()
                        .doCatch(ClassCastException.class)
                        .end(),
                "fails,fine: RETRY",
                "fine,poison: RETRY",
                "refused,fine: RETRY",
                "fine,fine: DELIVERED");
        route(
                "multicast in a doTry that catches something else",
                route -> route.doTry()
                        .multicast()
                        .to("direct:0", "direct:1")
                        .end()
                        .endDoTry()
                        .doCatch(ClassCastException.class)
                        .end(),
                "fails,fine: RETRY",
                "fine,poison: DEAD",
                "refused,fine: UNAVAILABLE",
                "fine,fine: DELIVERED",
                "poison,fails: RETRY");
        route(
                "a catch that calls it dead",
                route -> route.doTry()
                        .process(exchange -> arrive(exchange, 0))
                        .doCatch(Exception.class)
                        .to("outbox:dead-letter")
                        .end(),
                "fails: DEAD",
                "fine: DELIVERED");
        route(
                "dead without a failure",
                route -> route.choice()
                        .when(body().contains("old"))
                        .to("outbox:dead-letter")
                        .end(),
                "old: DEAD",
                "fine: DELIVERED");
    }

    private void handling() {
        route(
                "onException handled with a send that fails",
                route -> route.onException(IllegalStateException.class)
                        .handled(true)
                        .process(exchange -> arrive(exchange, 1))
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails,fails: RETRY",
                "fails,fine: DELIVERED",
                "fails,poison: RETRY",
                "fails,refused: RETRY");
        route(
                "onException handled with a send to a route that fails",
                route -> route.onException(IllegalStateException.class)
                        .handled(true)
                        .to("direct:1")
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails,fails: RETRY",
                "fails,fine: DELIVERED",
                "fails,poison: DEAD",
                "fails,refused: UNAVAILABLE");
        route(
                "onException handled with a split that fails",
                route -> route.onException(IllegalStateException.class)
                        .handled(true)
                        .split(tokens(), new GroupedBodyAggregationStrategy())
                        .filter(body().isNotEqualTo("fails"))
                        .process(UserRoutesTest::arrive)
                        .end()
                        .end()
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails,oops: RETRY",
                "fails,fine: DELIVERED");
        route(
                "onException handled that calls the destination unavailable",
                route -> route.onException(ConnectException.class)
                        .handled(true)
                        .setProperty(OutboxConstants.FAILURE, constant(OutboxConstants.DESTINATION))
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "refused: UNAVAILABLE",
                "fine: DELIVERED",
                "fails: RETRY");
        route(
                "onException handled in a part that calls the destination unavailable",
                route -> route.onException(ConnectException.class)
                        .handled(true)
                        .setProperty(OutboxConstants.FAILURE, constant(OutboxConstants.DESTINATION))
                        .end()
                        .split(tokens())
                        .process(UserRoutesTest::arrive)
                        .end(),
                "fine,refused: UNAVAILABLE",
                "fine,fine: DELIVERED",
                "refused,fails: UNAVAILABLE");
        route(
                "an unavailable destination that doCatch handles",
                route -> route.doTry().to("direct:0").doCatch(Exception.class).end(),
                "refused,: DELIVERED",
                "fails,: DELIVERED");
        route(
                "onException with redeliveries",
                route -> route.onException(IllegalStateException.class)
                        .maximumRedeliveries(2)
                        .redeliveryDelay(1)
                        .logRetryAttempted(false)
                        .end()
                        .process(exchange -> arriveAt(exchange, 3)),
                "fails,fails,fine: DELIVERED",
                "fails,fails,fails: RETRY",
                "fails,poison: DEAD",
                "fails,refused: UNAVAILABLE");
        route(
                "onException with asynchronous redeliveries",
                route -> route.onException(IllegalStateException.class)
                        .maximumRedeliveries(2)
                        .redeliveryDelay(1)
                        .asyncDelayedRedelivery()
                        .end()
                        .process(exchange -> arriveAt(exchange, 3)),
                "fails,fails,fine: DELIVERED",
                "fails,fails,fails: RETRY",
                "fails,poison: DEAD");
        route(
                "onException with retryWhile",
                route -> route.onException(IllegalStateException.class)
                        .retryWhile(exchange -> exchange.getProperty("tries", 0, Integer.class) < 3)
                        .redeliveryDelay(0)
                        .end()
                        .process(exchange -> arriveAt(exchange, 3)),
                "fails,fails,fine: DELIVERED",
                "fails,fails,fails: RETRY");
        route(
                "onException that uses the original message",
                route -> route.onException(IllegalStateException.class)
                        .useOriginalMessage()
                        .handled(true)
                        .to("outbox:dead-letter")
                        .end()
                        .setBody(constant("fails"))
                        .process(exchange -> arrive(exchange, 0)),
                "fine: DEAD");
        route(
                "no error handler",
                route -> route.errorHandler(new org.apache.camel.builder.NoErrorHandlerBuilder())
                        .process(exchange -> arrive(exchange, 0)),
                "fails: RETRY",
                "fine: DELIVERED");
        route(
                "default error handler with redeliveries",
                route -> route.errorHandler(new org.apache.camel.builder.DefaultErrorHandlerBuilder()
                                .maximumRedeliveries(2)
                                .redeliveryDelay(0)
                                .logExhausted(false))
                        .process(exchange -> arriveAt(exchange, 3)),
                "fails,fails,fine: DELIVERED",
                "fails,fails,fails: RETRY",
                "poison: DEAD");
        route(
                "deadLetterChannel with the original message, whose endpoint fails",
                route -> {
                    var handler = new org.apache.camel.builder.DeadLetterChannelBuilder("direct:1");
                    handler.deadLetterHandleNewException(false);
                    handler.useOriginalMessage();
                    handler.logNewException(false);
                    handler.logExhausted(false);
                    route.errorHandler(handler).process(exchange -> arrive(exchange, 0));
                },
                "fails,fails: RETRY",
                "fails,fine: DELIVERED");
        route(
                "a part that is redelivered",
                route -> route.onException(IllegalStateException.class)
                        .maximumRedeliveries(2)
                        .redeliveryDelay(0)
                        .end()
                        .split(tokens())
                        .to("direct:once")
                        .end(),
                "fine,fails: RETRY",
                "fine,fine: DELIVERED");
    }

    private void changing() {
        route(
                "removeHeaders",
                route -> route.removeHeaders("*").to("direct:0"),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE");
        route(
                "no body",
                route -> route.setProperty("before", body())
                        .setBody(constant((Object) null))
                        .process(exchange -> exchange.getMessage().setBody(exchange.getProperty("before")))
                        .to("direct:0")
                        .setBody(constant((Object) null)),
                "fails: RETRY",
                "fine: DELIVERED");
        route(
                "another message",
                route -> route.process(exchange -> {
                            var other = new DefaultMessage(exchange);
                            other.setBody(exchange.getMessage().getBody());
                            exchange.setMessage(other);
                        })
                        .split(tokens(), new GroupedBodyAggregationStrategy())
                        .process(UserRoutesTest::arrive)
                        .end(),
                "fine,fails: RETRY",
                "fine,poison: DEAD");
        route(
                "without properties",
                route -> route.removeProperties("*")
                        .process(exchange -> exchange.removeProperties("*"))
                        .to("direct:0")
                        .process(exchange -> exchange.removeProperties("*")),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE");
        route(
                "claimCheck",
                route -> route.claimCheck(org.apache.camel.model.ClaimCheckOperation.Push)
                        .claimCheck(org.apache.camel.model.ClaimCheckOperation.Pop)
                        .to("direct:0"),
                "fails: RETRY",
                "fine: DELIVERED");
        route(
                "validate",
                route -> route.validate(body().isNotEqualTo("odd")).to("direct:0"),
                "odd: RETRY",
                "fails: RETRY",
                "fine: DELIVERED");
        route("sort", route -> route.sort(tokens()).to("direct:end"), "b,a: DELIVERED");
        route("loop with a copy", route -> route.loop(2).copy().to("direct:0").end(), "fails: RETRY", "poison: DEAD");
        route(
                "throttle that rejects",
                route -> route.throttle(1)
                        .rejectExecution(true)
                        .timePeriodMillis(60_000)
                        .to("direct:end"),
                "a: DELIVERED",
                "b: RETRY");
        route("sample", route -> route.sample(1).to("direct:0"), "fails: RETRY");
        route(
                "delay",
                route -> route.delay(1).asyncDelayed().to("direct:0"),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE");
        route("toD without a component", route -> route.toD("no-such-${body}:x"), "fine: RETRY");
        route(
                "enrich with aggregateOnException",
                route -> route.enrich("direct:0", (org.apache.camel.AggregationStrategy) null, true),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE");
        route(
                "enrich that drops the failure",
                route -> route.enrich("direct:0", (old, fresh) -> old, true),
                "poison: DEAD",
                "fine: DELIVERED");
        route(
                "pollEnrich, nothing there",
                route ->
                        route.pollEnrich("seda:nothing", 1, (old, fresh) -> old).to("direct:0"),
                "fails: RETRY",
                "poison: DEAD");
        route(
                "routingSlip, the second fails",
                route -> route.routingSlip(constant("direct:0,direct:1")).end(),
                "fine,fails: RETRY",
                "fine,poison: DEAD");
        route(
                "saga",
                route -> route.saga().to("direct:0").end(),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE",
                "fine: DELIVERED");
        route(
                "a later thread completes it",
                route -> route.process(new AsyncProcessorSupport() {
                    @Override
                    public boolean process(Exchange exchange, AsyncCallback callback) {
                        CompletableFuture.runAsync(() -> {
                            try {
                                arrive(exchange, 0);
                            } catch (Exception e) {
                                exchange.setException(e);
                            }
                            callback.done(false);
                        });
                        return false;
                    }
                }),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE",
                "fine: DELIVERED");
    }

    private void elsewhere() {
        route(
                "a bean that sends a text to another route",
                route -> route.process(exchange -> exchange.getContext()
                        .createProducerTemplate()
                        .sendBody("direct:0", exchange.getMessage().getBody())),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE",
                "fine: DELIVERED");
        route(
                "a bean that asks another route with a copy",
                route -> route.process(exchange -> {
                    Exchange answer =
                            exchange.getContext().createProducerTemplate().send("direct:0", exchange.copy());
                    if (answer.getException() != null) {
                        throw answer.getException();
                    }
                }),
                "fails: RETRY",
                "poison: DEAD",
                "fine: DELIVERED");
    }

    /** The second attempt of a message that a repository may take for a repeat. */
    private void asking() {
        Map.<String, Consumer<org.apache.camel.model.IdempotentConsumerDefinition>>of(
                        "idempotentConsumer, a part fails",
                                step -> step.split(tokens())
                                        .process(UserRoutesTest::arrive)
                                        .end(),
                        "idempotentConsumer, its errors dropped",
                                step -> step.split(tokens(), new GroupedBodyAggregationStrategy())
                                        .process(UserRoutesTest::arrive)
                                        .end(),
                        "idempotentConsumer, its errors dropped in another route",
                                step -> step.to("direct:split-and-drop"),
                        "idempotentConsumer, dead without a failure",
                                step -> step.choice()
                                        .when(body().regex(".*(fails|poison).*"))
                                        .to("outbox:dead-letter")
                                        .end(),
                        "idempotentConsumer, in enrich",
                                step -> step.split(tokens())
                                        .enrich("direct:once")
                                        .end(),
                        "idempotentConsumer, dead in doCatch",
                                step -> step.doTry()
                                        .split(tokens())
                                        .stopOnException()
                                        .process(UserRoutesTest::arrive)
                                        .endDoTry()
                                        .doCatch(Exception.class)
                                        .to("outbox:dead-letter")
                                        .end())
                .forEach((name, steps) -> route(
                        name,
                        route -> {
                            var step = route.idempotentConsumer(
                                            header("id"), MemoryIdempotentRepository.memoryIdempotentRepository())
                                    .eager(false);
                            steps.accept(step);
                        },
                        "fine,fails: FAILED",
                        "fine,fails: FAILED",
                        "fine,poison: FAILED",
                        "fine,poison: FAILED",
                        "fine,fine: DELIVERED"));
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
                from("direct:once").process(UserRoutesTest::arrive);
                from("direct:try")
                        .doTry()
                        .to("direct:0")
                        .doCatch(Exception.class)
                        .end()
                        .to("direct:1");
                from("direct:split-and-drop")
                        .split(UserRoutesTest.tokens(), new GroupedBodyAggregationStrategy())
                        .process(UserRoutesTest::arrive);
            }
        });
        camel.start();
        routes.forEach((name, steps) -> {
            try {
                camel.addRoutes(new RouteBuilder() {
                    @Override
                    public void configure() {
                        steps.accept(from(uri(name)).routeId(name));
                    }
                });
            } catch (Exception e) {
                refused.put(name, e);
            }
        });
    }

    @AfterAll
    void stop() throws Exception {
        camel.close();
    }

    Stream<Arguments> names() {
        return routes.keySet().stream().map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("names")
    void what_is_not_delivered_is_not_acknowledged(String name) {
        assertThat(refused.get(name)).isNull();
        assertThat(expected.get(name)).allSatisfy(expectation -> {
            String body = expectation.replaceFirst(":.*", "");
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
        var exchange = camel.createProducerTemplate().send(uri(name), sent -> {
            whole[0] = Part.begin(sent);
            sent.getMessage().setHeader("id", "1");
            sent.getMessage().setBody(body);
        });
        return AttemptResult.of(whole[0].fault(exchange), null, true);
    }

    private static String uri(String name) {
        return "direct:" + name.replaceAll("[^a-zA-Z]", "-");
    }

    private static org.apache.camel.builder.ValueBuilder body() {
        return org.apache.camel.builder.Builder.body();
    }

    private static org.apache.camel.builder.ValueBuilder header(String name) {
        return org.apache.camel.builder.Builder.header(name);
    }

    private static org.apache.camel.builder.ValueBuilder constant(Object value) {
        return org.apache.camel.builder.Builder.constant(value);
    }

    private static Expression tokens() {
        return new ExpressionAdapter() {
            @Override
            public Object evaluate(Exchange exchange) {
                return Arrays.asList(exchange.getMessage().getBody(String.class).split(","));
            }
        };
    }

    /** What comes next, at each try. */
    private static void arriveAt(Exchange exchange, int most) throws Exception {
        int tries = exchange.getProperty("tries", 0, Integer.class);
        exchange.setProperty("tries", tries + 1);
        arrive(exchange, Math.min(tries, most - 1));
    }

    private static void arrive(Exchange exchange, int place) throws Exception {
        arrive(exchange.getMessage().getBody(String.class).split(",")[place]);
    }

    private static void arrive(Exchange exchange) throws Exception {
        arrive(exchange.getMessage().getBody(String.class));
    }

    private static void arrive(String told) throws Exception {
        switch (told) {
            case "poison" -> throw new SerializationException("told to be poison");
            case "fails", "oops" -> throw new IllegalStateException("told to fail");
            case "refused" -> throw new ConnectException("told to be unavailable");
            case "interrupted" -> throw new InterruptedException("told to be interrupted");
            default -> {}
        }
    }
}
