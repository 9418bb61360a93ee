package dev.caravan.outbox;

import java.util.Map;
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.builder.DefaultErrorHandlerBuilder;
import org.apache.camel.support.AsyncProcessorSupport;

/** Java steps that throw errors, hide exceptions or change what Camel knows about the exchange. */
class ThrowingRoutesTest extends UserRoutes {
    ThrowingRoutesTest() {
        errors();
        hiding();
        unitOfWork();
    }

    private void errors() {
        Map.of(
                        "StackOverflowError", new StackOverflowError(),
                        "NoClassDefFoundError", new NoClassDefFoundError("gone"),
                        "OutOfMemoryError", new OutOfMemoryError("told to be out of memory"))
                .forEach((name, error) -> {
                    route(name, route -> route.process(exchange -> fail(error)), "fine: RETRY");
                    extra(
                            name + " in a part",
                            route -> route.split(tokens())
                                    .process(exchange -> fail(error))
                                    .end(),
                            "fine,fine: RETRY");
                    extra(
                            name + " that doCatch takes for something else",
                            route -> route.doTry()
                                    .process(exchange -> fail(error))
                                    .doCatch(java.io.IOException.class)
                                    .end(),
                            "fine: RETRY");
                    extra(
                            name + " in doCatch",
                            route -> route.doTry()
                                    .process(exchange -> arrive(exchange, 0))
                                    .doCatch(Exception.class)
                                    .process(exchange -> fail(error))
                                    .end(),
                            "fails: RETRY",
                            "fine: DELIVERED");
                    extra(
                            name + " in onException",
                            route -> route.onException(IllegalStateException.class)
                                    .handled(true)
                                    .process(exchange -> fail(error))
                                    .end()
                                    .process(exchange -> arrive(exchange, 0)),
                            "fails: RETRY",
                            "fine: DELIVERED");
                    extra(
                            name + " in a later thread",
                            route -> route.process(new AsyncProcessorSupport() {
                                @Override
                                public boolean process(Exchange exchange, AsyncCallback callback) {
                                    new Thread(() -> {
                                                exchange.setException(error);
                                                callback.done(false);
                                            })
                                            .start();
                                    return false;
                                }
                            }),
                            "fine: RETRY");
                });
    }

    private static void fail(Error error) {
        throw error;
    }

    private void hiding() {
        route(
                "the exception removed in doFinally",
                route -> route.doTry()
                        .process(exchange -> arrive(exchange, 0))
                        .doFinally()
                        .process(exchange -> exchange.setException(null))
                        .end(),
                "fails: RETRY",
                "fine: DELIVERED");
        extra(
                "the exception removed in onException",
                route -> route.onException(IllegalStateException.class)
                        .process(exchange -> exchange.setException(null))
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails: RETRY",
                "fine: DELIVERED");
        route(
                "the properties removed in onException",
                route -> route.onException(IllegalStateException.class)
                        .removeProperties("*")
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails: RETRY",
                "fine: DELIVERED");
        extra(
                "the properties removed in onExceptionOccurred",
                route -> route.onException(IllegalStateException.class)
                        .onExceptionOccurred(exchange -> exchange.removeProperties("*"))
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails: RETRY",
                "fine: DELIVERED");
        extra(
                "the properties removed in onPrepareFailure",
                route -> route.errorHandler(new DefaultErrorHandlerBuilder()
                                .onPrepareFailure(exchange -> exchange.removeProperties("*")))
                        .process(exchange -> arrive(exchange, 0)),
                "fails: RETRY",
                "fine: DELIVERED");
        extra(
                "the properties removed in onException by Java",
                route -> route.onException(IllegalStateException.class)
                        .process(exchange -> exchange.removeProperties("*"))
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails: RETRY",
                "fine: DELIVERED");
        extra(
                "the error replaced in onException",
                route -> route.onException(IllegalStateException.class)
                        .setProperty(Exchange.EXCEPTION_CAUGHT, constant("a text"))
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails: RETRY",
                "fine: DELIVERED");
        extra(
                "the properties removed in onException of a part",
                route -> route.onException(IllegalStateException.class)
                        .removeProperties("*")
                        .end()
                        .split(tokens())
                        .process(UserRoutes::arrive)
                        .end(),
                "fine,fails: RETRY",
                "fine,fine: DELIVERED");
        extra(
                "the properties removed in onException of another route",
                route -> route.to("direct:forgets").to("direct:end"),
                "fails: RETRY",
                "fine: DELIVERED");
        route(
                "the exception removed by an aggregation strategy",
                route -> route.split(tokens(), (old, fresh) -> {
                            fresh.setException(null);
                            return fresh;
                        })
                        .process(UserRoutes::arrive)
                        .end(),
                "fine,fails: RETRY",
                "fine,poison: DEAD",
                "fine,fine: DELIVERED");
        route(
                "rollbackOnly set in Java",
                route -> route.process(exchange -> exchange.setRollbackOnly(true)),
                "fine: RETRY");
        extra(
                "rollbackOnlyLast set in Java, in another route",
                route -> route.to("direct:roll-last").to("direct:end"),
                "fine: RETRY");
        extra(
                "an interruption that a step swallows, and passes on",
                route -> route.process(exchange -> {
                            try {
                                arrive("interrupted");
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        })
                        .to("direct:end"),
                "fine: RETRY");
    }

    private void unitOfWork() {
        route(
                "without its unit of work",
                route -> route.process(
                                exchange -> exchange.getExchangeExtension().setUnitOfWork(null))
                        .to("direct:0"),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE",
                "fine: DELIVERED");
        extra(
                "its unit of work ended",
                route -> route.process(exchange -> exchange.getUnitOfWork().done(exchange))
                        .to("direct:0"),
                "fails: RETRY",
                "poison: DEAD",
                "refused: UNAVAILABLE",
                "fine: DELIVERED");
        extra(
                "its unit of work ended before a split",
                route -> route.process(exchange -> exchange.getUnitOfWork().done(exchange))
                        .split(tokens(), (old, fresh) -> old == null ? fresh : old)
                        .to("direct:once")
                        .end(),
                "fine,fails: FAILED",
                "fine,poison: FAILED");
    }

    @Override
    void prepare(org.apache.camel.CamelContext camel) throws Exception {
        camel.addRoutes(new org.apache.camel.builder.RouteBuilder() {
            @Override
            public void configure() {
                from("direct:roll-last").process(exchange -> exchange.setRollbackOnlyLast(true));
                from("direct:forgets")
                        .onException(IllegalStateException.class)
                        .removeProperties("*")
                        .end()
                        .process(exchange -> arrive(exchange, 0));
            }
        });
    }
}
