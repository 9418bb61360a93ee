package dev.caravan.camel.outbox;

import dev.caravan.camel.headers.OutboxConstants;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;

/** How {@code onException} and the error handlers of a route handle a failure, and how a route ends before its last step. */
class HandlingRoutesTest extends UserRoutes {
    HandlingRoutesTest() {
        handling();
        stopping();
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
        extra(
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
        extra(
                "onException handled with a split that fails",
                route -> route.onException(IllegalStateException.class)
                        .handled(true)
                        .split(tokens(), new GroupedBodyAggregationStrategy())
                        .filter(body().isNotEqualTo("fails"))
                        .process(UserRoutes::arrive)
                        .end()
                        .end()
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails,oops: RETRY",
                "fails,fine: DELIVERED");
        extra(
                "onException handled with a doTry whose condition to catch fails",
                route -> route.onException(IllegalStateException.class)
                        .handled(true)
                        .doTry()
                        .process(exchange -> arrive(exchange, 1))
                        .doCatch(Exception.class)
                        .onWhen(exchange -> {
                            throw new IllegalStateException("told to fail");
                        })
                        .end()
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails,fails: RETRY",
                "fails,fine: DELIVERED");
        route(
                "onException handled with a future that fails",
                route -> route.onException(IllegalStateException.class)
                        .handled(true)
                        .setBody(exchange -> {
                            boolean fails =
                                    exchange.getMessage().getBody(String.class).endsWith("fails");
                            return fails
                                    ? CompletableFuture.failedFuture(new IllegalStateException("told to fail"))
                                    : CompletableFuture.completedFuture("fine");
                        })
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails,fails: RETRY",
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
                "onException handled that calls the destination unavailable, and a route that catches a failure",
                route -> route.onException(ConnectException.class)
                        .handled(true)
                        .setProperty(OutboxConstants.FAILURE, constant(OutboxConstants.DESTINATION))
                        .to("direct:try")
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "refused,fine: UNAVAILABLE",
                "fine,fine: DELIVERED");
        extra(
                "onException handled in a part that calls the destination unavailable",
                route -> route.onException(ConnectException.class)
                        .handled(true)
                        .setProperty(OutboxConstants.FAILURE, constant(OutboxConstants.DESTINATION))
                        .end()
                        .split(tokens())
                        .process(UserRoutes::arrive)
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
        extra(
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
        extra(
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
        extra(
                "no error handler",
                route -> route.errorHandler(new org.apache.camel.builder.NoErrorHandlerBuilder())
                        .process(exchange -> arrive(exchange, 0)),
                "fails: RETRY",
                "fine: DELIVERED");
        extra(
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

    /** A route that ends before its last step, or continues after a failure. */
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
        extra(
                "markRollbackOnlyLast",
                route -> route.choice()
                        .when(body().contains("roll"))
                        .markRollbackOnlyLast()
                        .end()
                        .to("direct:0"),
                "fine: DELIVERED",
                "roll: RETRY");
        extra(
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
        extra("interrupted", route -> route.to("direct:0").to("direct:1"), "interrupted,fine: RETRY");
        extra(
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
        extra(
                "onException continued, in the same route",
                route -> route.onException(IllegalStateException.class)
                        .continued(true)
                        .end()
                        .process(exchange -> arrive(exchange, 0))
                        .process(exchange -> arrive(exchange, 1)),
                "fails,poison: DEAD",
                "fails,refused: UNAVAILABLE",
                "fails,fine: DELIVERED");
        extra(
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
}
