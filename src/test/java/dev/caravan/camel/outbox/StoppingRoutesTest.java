package dev.caravan.camel.outbox;

import dev.caravan.camel.headers.OutboxConstants;
import java.net.ConnectException;
import org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy;

/** A route that ends before its last step, or continues after a failure. */
class StoppingRoutesTest extends UserRoutes {
    StoppingRoutesTest() {
        stopping();
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
