package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.schedule.Outcome;
import dev.caravan.engine.schedule.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.camel.AsyncCallback;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;
import org.apache.camel.support.AsyncProcessorSupport;
import org.apache.camel.support.DefaultMessage;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A route that changes its exchange, or continues with another one. */
class ChangingRoutesTest extends UserRoutes {
    @Override
    void prepare(CamelContext camel) throws Exception {
        RouteBuilder.addRoutes(
                camel,
                routes -> routes.from("direct:forgets").removeProperties("*").process(UserRoutes::arrive));
    }

    ChangingRoutesTest() {
        changing();
        elsewhere();
    }

    private void changing() {
        route(
                "removeHeaders",
                route -> route.removeHeaders("*").to("direct:0"),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE");
        extra(
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
                        .process(UserRoutes::arrive)
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
        extra(
                "claimCheck",
                route -> route.claimCheck(org.apache.camel.model.ClaimCheckOperation.Push)
                        .claimCheck(org.apache.camel.model.ClaimCheckOperation.Pop)
                        .to("direct:0"),
                "fails: RETRY",
                "fine: DELIVERED");
        route(
                "validate",
                route -> route.validate(body().isNotEqualTo("odd")).to("direct:0"),
                "odd: DEAD",
                "fails: RETRY",
                "fine: DELIVERED");
        extra("sort", route -> route.sort(tokens()).to("direct:end"), "b,a: DELIVERED");
        extra("loop with a copy", route -> route.loop(2).copy().to("direct:0").end(), "fails: RETRY", "poison: DEAD");
        extra(
                "throttle that rejects",
                route -> route.throttle(1)
                        .rejectExecution(true)
                        .timePeriodMillis(60_000)
                        .to("direct:end"),
                "a: DELIVERED",
                "b: UNAVAILABLE");
        extra("sample", route -> route.sample(1).to("direct:0"), "fails: RETRY");
        extra(
                "delay",
                route -> route.delay(1).asyncDelayed().to("direct:0"),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE");
        extra("toD without a component", route -> route.toD("no-such-${body}:x"), "fine: RETRY");
        route("toD without an address", route -> route.toD("${header.none}"), "fine: RETRY");
        extra(
                "toD to a route that removes all properties",
                route -> route.toD("direct:forgets?timeout=${header.id}"),
                "fine: DELIVERED",
                "fails: RETRY");
        extra(
                "toD without an address, caught",
                route -> route.doTry()
                        .toD("${header.none}")
                        .doCatch(Exception.class)
                        .end()
                        .to("direct:once"),
                "fine: DELIVERED",
                "fails: RETRY");
        extra(
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
        extra(
                "pollEnrich, nothing there",
                route ->
                        route.pollEnrich("seda:nothing", 1, (old, fresh) -> old).to("direct:0"),
                "fails: RETRY",
                "poison: DEAD");
        extra(
                "routingSlip, the second fails",
                route -> route.routingSlip(constant("direct:0,direct:1")).end(),
                "fine,fails: RETRY",
                "fine,poison: DEAD");
        extra(
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
        extra(
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

    /** Camel deletes a file that was polled when the exchange ends without an exception. */
    @ParameterizedTest
    @CsvSource({"poison,DEAD", "rollback,RETRY", "fails,RETRY", "fine,DELIVERED"})
    void a_file_that_was_polled_is_kept_unless_its_message_is_delivered(
            String body, Outcome outcome, @TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("1.txt"), body);

        List<Result> results = sent(
                "polled " + body,
                route -> route.pollEnrich("file:" + folder + "?delete=true", 10_000)
                        .process(exchange -> exchange.setRollbackOnly(body.equals("rollback")))
                        .process(exchange -> arrive(exchange, 0)),
                body);

        assertThat(results).extracting(Result::outcome).containsExactly(outcome);
        assertThat(Files.exists(file)).isEqualTo(outcome != Outcome.DELIVERED);
    }
}
