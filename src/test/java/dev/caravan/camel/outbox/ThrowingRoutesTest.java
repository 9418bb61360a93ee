package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import java.io.IOException;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.camel.AsyncCallback;
import org.apache.camel.AsyncProcessor;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Expression;
import org.apache.camel.Processor;
import org.apache.camel.Route;
import org.apache.camel.builder.DefaultErrorHandlerBuilder;
import org.apache.camel.model.CircuitBreakerDefinition;
import org.apache.camel.model.ProcessorDefinition;
import org.apache.camel.reifier.ProcessorReifier;
import org.apache.camel.support.AsyncProcessorConverterHelper;
import org.apache.camel.support.AsyncProcessorSupport;
import org.apache.camel.support.ExpressionAdapter;
import org.apache.camel.support.service.ServiceHelper;
import org.junit.jupiter.api.Test;

/** Java steps that throw errors, hide exceptions or change what Camel knows about the exchange. */
class ThrowingRoutesTest extends UserRoutes {
    ThrowingRoutesTest() {
        errors();
        hiding();
        unitOfWork();
        futures();
        refusals();
        breakers();
        causes();
    }

    /** Stands for a circuitBreaker, whose library is in the folder {@code lib} of those who use it: its circuit is open for a body. */
    private static final class Breaker extends ProcessorReifier<CircuitBreakerDefinition> {
        Breaker(Route route, ProcessorDefinition<?> step) {
            super(route, (CircuitBreakerDefinition) step);
        }

        @Override
        public Processor createProcessor() throws Exception {
            AsyncProcessor steps = AsyncProcessorConverterHelper.convert(createChildProcessor(true));
            AsyncProcessor fallback = definition.getOnFallback() == null
                    ? null
                    : AsyncProcessorConverterHelper.convert(
                            createOutputsProcessor(definition.getOnFallback().getOutputs()));
            return new AsyncProcessorSupport() {
                @Override
                public boolean process(Exchange exchange, AsyncCallback callback) {
                    if ("open".equals(exchange.getMessage().getBody())) {
                        exchange.setException(new CallNotPermittedException());
                        callback.done(true);
                        return true;
                    }
                    return steps.process(exchange, doneSync -> {
                        if (exchange.getException() != null && fallback != null) {
                            exchange.setException(null);
                            fallback.process(exchange, callback);
                        } else {
                            callback.done(doneSync);
                        }
                    });
                }

                @Override
                protected void doStart() {
                    ServiceHelper.startService(steps, fallback);
                }
            };
        }
    }

    /** A failure in a circuitBreaker is classified like one of another step, after its fallback. */
    private void breakers() {
        String[] expected = {
            "fails: RETRY", "fine: DELIVERED", "poison: DEAD", "refused: UNAVAILABLE", "open: UNAVAILABLE"
        };
        route(
                "circuitBreaker",
                route -> route.circuitBreaker()
                        .resilience4jConfiguration()
                        .throwExceptionWhenHalfOpenOrOpenState(true)
                        .end()
                        .process(exchange -> arrive(exchange, 0))
                        .end()
                        .to("log:next"),
                expected);
        route(
                "circuitBreaker in filter",
                route -> route.filter(constant(true))
                        .circuitBreaker()
                        .resilience4jConfiguration()
                        .throwExceptionWhenHalfOpenOrOpenState(true)
                        .end()
                        .process(exchange -> arrive(exchange, 0))
                        .end()
                        .end(),
                expected);
        route(
                "circuitBreaker in circuitBreaker",
                route -> route.circuitBreaker()
                        .resilience4jConfiguration()
                        .throwExceptionWhenHalfOpenOrOpenState(true)
                        .end()
                        .circuitBreaker()
                        .resilience4jConfiguration()
                        .throwExceptionWhenHalfOpenOrOpenState(true)
                        .end()
                        .process(exchange -> arrive(exchange, 0))
                        .end()
                        .end(),
                expected);
        route(
                "circuitBreaker with a fallback",
                route -> route.circuitBreaker()
                        .process(exchange -> arrive(exchange, 0))
                        .onFallback()
                        .process(exchange -> arrive(exchange, 1))
                        .end(),
                "poison,fails: RETRY",
                "poison,fine: DELIVERED",
                "fails,poison: DEAD",
                "fails,refused: UNAVAILABLE");
    }

    /** The two exceptions are causes of each other, or the second one says nothing about itself. */
    private static Exception endless(boolean unreadable) {
        Exception first = new IllegalStateException("told to fail");
        Exception second = new IllegalArgumentException(first) {
            @Override
            public Throwable getCause() {
                if (unreadable) {
                    throw new UnsupportedOperationException("no cause");
                }
                return super.getCause();
            }
        };
        first.initCause(second);
        return first;
    }

    private static Collection<Object> endless(Object element) {
        return new AbstractCollection<>() {
            @Override
            public Iterator<Object> iterator() {
                return Stream.generate(() -> element).iterator();
            }

            @Override
            public int size() {
                return Integer.MAX_VALUE;
            }
        };
    }

    /** Camel follows the causes of a failure to their end. */
    private void causes() {
        route(
                "exception that causes itself, in onException",
                route -> route.onException(IllegalStateException.class)
                        .handled(true)
                        .process(exchange -> {
                            throw endless(false);
                        })
                        .end()
                        .process(exchange -> arrive(exchange, 0)),
                "fails: RETRY",
                "fine: DELIVERED");
    }

    private static final Expression LATER = new ExpressionAdapter() {
        @Override
        public Object evaluate(Exchange exchange) {
            return future(exchange);
        }
    };

    /** A failure of a future is classified like one of the step itself. */
    private void futures() {
        String[] expected = {"fails: RETRY", "fine: DELIVERED", "poison: DEAD", "refused: UNAVAILABLE"};
        route("future as body", route -> route.process(ThrowingRoutesTest::later), expected);
        route(
                "future as body that a later step replaces",
                route -> route.process(ThrowingRoutesTest::later).setBody(constant("later")),
                expected);
        route(
                "future of an expression",
                route -> route.setBody(ThrowingRoutesTest::future).to("log:next"),
                expected);
        route(
                "future of a bean in a part",
                route -> route.split(tokens()).bean(new Later()).end(),
                "fine,fails: RETRY",
                "fine,fine: DELIVERED",
                "refused,fine: UNAVAILABLE");
        route("future of a bean by its address", route -> route.to("bean:later"), expected);
        route("future in a header", route -> route.setHeader("answer", LATER).to("log:next"), expected);
        route("future in a property", route -> route.setProperty("answer", LATER), expected);
        route("future in a variable", route -> route.setVariable("answer", LATER), expected);
        route("future in a variable for an answer", route -> route.toV("bean:later", null, "answer"), expected);
        route(
                "future in doTry",
                route -> route.doTry()
                        .process(ThrowingRoutesTest::later)
                        .doCatch(Exception.class)
                        .process(exchange -> arrive(exchange.getProperty("told", String.class)))
                        .end(),
                "fails,fails: RETRY",
                "fails,fine: DELIVERED");
        route(
                "list of futures",
                route -> route.process(exchange -> exchange.getMessage()
                        .setBody(List.of(CompletableFuture.completedFuture(""), future(exchange)))),
                expected);
        route(
                "list without end",
                route -> route.process(exchange -> exchange.getMessage().setBody(endless(""))),
                "fine: DELIVERED");
        route(
                "list of futures without end",
                route -> route.process(exchange -> exchange.getMessage().setBody(endless(new CompletableFuture<>()))),
                "fine: RETRY");
        route(
                "list that contains itself",
                route -> route.process(exchange -> {
                    List<Object> endless = new ArrayList<>();
                    endless.add(endless);
                    exchange.getMessage().setBody(endless);
                }),
                "fine: DELIVERED");
        route(
                "future of a future",
                route -> route.process(
                        exchange -> exchange.getMessage().setBody(CompletableFuture.completedFuture(future(exchange)))),
                expected);
        route(
                "future that was cancelled",
                route -> route.process(exchange -> {
                    var future = new CompletableFuture<String>();
                    future.cancel(true);
                    exchange.getMessage().setBody(future);
                }),
                "fine: RETRY");
        route(
                "plain future that has not ended",
                route -> route.process(exchange -> exchange.getMessage().setBody(new FutureTask<>(() -> "never run"))),
                "fine: RETRY");
        route(
                "plain future that has failed",
                route -> route.process(exchange -> {
                    var task = new FutureTask<>(() -> {
                        arrive(exchange, 0);
                        return "";
                    });
                    task.run();
                    exchange.getMessage().setBody(task);
                }),
                expected);
    }

    /** Its declared result does not say that it is a future. */
    public static final class Later {
        public Object send(Exchange exchange) {
            return future(exchange);
        }
    }

    private static void later(Exchange exchange) {
        exchange.setProperty("told", exchange.getMessage().getBody(String.class).replaceFirst(".*,", ""));
        exchange.getMessage().setBody(future(exchange));
    }

    private static CompletableFuture<String> future(Exchange exchange) {
        String told = exchange.getMessage().getBody(String.class).split(",")[0];
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        arrive(told);
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                    return "done";
                },
                CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS));
    }

    /** Steps that refuse a message before it is sent, and others that refuse its content. */
    private void refusals() {
        route(
                "circuit breaker that is open",
                route -> route.process(exchange -> {
                    throw new CallNotPermittedException();
                }),
                "fine: UNAVAILABLE");
        route(
                "validate in a part",
                route ->
                        route.split(tokens()).validate(body().isEqualTo("fine")).end(),
                "fine,other: DEAD");
    }

    private void errors() {
        route(
                "exception that causes itself",
                route -> route.process(exchange -> {
                    throw endless(false);
                }),
                "fine: RETRY");
        route(
                "exception whose causes cannot be read",
                route -> route.process(exchange -> {
                    throw endless(true);
                }),
                "fine: RETRY");
        route(
                "exception that causes itself in doTry",
                route -> route.doTry()
                        .process(exchange -> {
                            throw endless(false);
                        })
                        .doCatch(IOException.class)
                        .end(),
                "fine: RETRY");
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
                                    .doCatch(IOException.class)
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

    @Test
    void the_reason_is_the_error_also_if_its_handler_removes_all_properties() throws Exception {
        assertThat(sent(
                        "the reason after removed properties",
                        route -> route.onException(IllegalStateException.class)
                                .removeProperties("*")
                                .end()
                                .process(exchange -> arrive(exchange, 0)),
                        "fails"))
                .extracting(result -> result.failure().errorClass())
                .containsExactly(IllegalStateException.class.getName());
    }

    @Override
    void prepare(CamelContext camel) throws Exception {
        ProcessorReifier.registerReifier(CircuitBreakerDefinition.class, Breaker::new);
        camel.getRegistry().bind("later", new Later());
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
