package dev.caravan.camel.outbox;

import java.io.IOException;
import org.apache.camel.Processor;

/** The failures that a {@code doTry} catches, and those that it does not. */
class TryRoutesTest extends UserRoutes {
    private static final Processor FIRST = exchange -> arrive(exchange, 0);
    private static final Processor SECOND = exchange -> arrive(exchange, 1);
    private static final String[] ALL_FAILURES_ARE_RETRIED = {
        "fails: RETRY", "poison: RETRY", "refused: RETRY", "fine: DELIVERED"
    };

    TryRoutesTest() {
        trying();
    }

    private void trying() {
        route(
                "doTry that catches something else",
                route -> route.doTry()
                        .process(FIRST)
                        .doCatch(IOException.class, ClassCastException.class)
                        .onWhen(exchange -> false)
                        .end(),
                ALL_FAILURES_ARE_RETRIED);
        route(
                "doTry whose condition to catch fails",
                route -> route.doTry()
                        .process(FIRST)
                        .doCatch(Exception.class)
                        .onWhen(exchange -> {
                            throw new IllegalStateException("told to fail");
                        })
                        .end(),
                ALL_FAILURES_ARE_RETRIED);
        extra(
                "doTry inside other steps whose condition to catch fails",
                route -> route.split(tokens())
                        .choice()
                        .when(exchange -> true)
                        .doTry()
                        .process(UserRoutes::arrive)
                        .doCatch(Exception.class)
                        .onWhen(exchange -> {
                            throw new IllegalStateException("told to fail");
                        })
                        .end()
                        .end()
                        .end(),
                "fine,fails: RETRY",
                "fine,fine: DELIVERED");
        extra(
                "doTry that catches, and all properties removed",
                route -> route.doTry()
                        .to("direct:0")
                        .doCatch(Exception.class)
                        .process(exchange -> exchange.removeProperties("*"))
                        .end(),
                "fails: DELIVERED",
                "fine: DELIVERED");
        extra(
                "doTry that catches, and all properties removed after it",
                route -> route.doTry()
                        .to("direct:0")
                        .doCatch(Exception.class)
                        .end()
                        .process(exchange -> exchange.removeProperties("*"))
                        .to("direct:1"),
                "fails,fine: DELIVERED",
                "fails,fails: RETRY",
                "fails,poison: DEAD");
        extra(
                "doTry with doFinally only",
                route -> route.doTry()
                        .process(FIRST)
                        .doFinally()
                        .to("direct:end")
                        .end(),
                ALL_FAILURES_ARE_RETRIED);
        route(
                "doTry with doFinally that fails",
                route ->
                        route.doTry().process(FIRST).doFinally().process(SECOND).end(),
                "fine,fails: RETRY",
                "fine,poison: RETRY",
                "fine,refused: RETRY",
                "fails,fine: RETRY");
        route(
                "a fallback in doCatch",
                route -> route.doTry()
                        .process(FIRST)
                        .doCatch(Exception.class)
                        .process(SECOND)
                        .end(),
                "fails,fails: RETRY",
                "fails,poison: RETRY",
                "fails,refused: RETRY",
                "fails,fine: DELIVERED",
                "refused,fails: RETRY");
        extra(
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
        extra(
                "doTry in another route, and a step after it there",
                route -> route.to("direct:try"),
                "fails,fails: RETRY",
                "fails,poison: DEAD",
                "fails,refused: UNAVAILABLE",
                "refused,fails: RETRY",
                "refused,fine: DELIVERED",
                "refused,poison: DEAD");
        extra(
                "doTry in doTry that catches something else",
                route -> route.doTry()
                        .doTry()
                        .process(FIRST)
                        .doCatch(ClassCastException.class)
                        .end()
                        .endDoTry()
                        .doCatch(ArithmeticException.class)
                        .end(),
                ALL_FAILURES_ARE_RETRIED);
        route(
                "doTry in doTry that catches",
                route -> route.doTry()
                        .doTry()
                        .process(FIRST)
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
        extra(
                "doTry in a split that catches something else",
                route -> route.split(tokens())
                        .doTry()
                        .process(UserRoutes::arrive)
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
                        .process(UserRoutes::arrive)
                        .end()
                        .endDoTry()
                        .doCatch(ClassCastException.class)
                        .end(),
                "fails,fine: RETRY",
                "fine,poison: RETRY",
                "refused,fine: RETRY",
                "fine,fine: DELIVERED");
        extra(
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
                        .process(FIRST)
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
}
