package dev.caravan.camel.guard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.model.BeanDefinition;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.ExpressionNode;
import org.apache.camel.model.ProcessDefinition;
import org.apache.camel.model.ScriptDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.SetBodyDefinition;
import org.apache.camel.model.SetHeaderDefinition;
import org.apache.camel.model.SetHeadersDefinition;
import org.apache.camel.model.SetPropertyDefinition;
import org.apache.camel.model.SetVariableDefinition;
import org.apache.camel.model.SetVariablesDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.TransformDefinition;
import org.apache.camel.model.language.ExpressionDefinition;
import org.apache.camel.model.language.MethodCallExpression;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/**
 * Waits for a future that a step has left as the body, or that it has set as a header, property or variable, also for several in a list and for
 * one that is the result of another, and fails the step if one of them fails. Otherwise a message whose bean has failed
 * later would count as delivered. Camel does this only for a bean that declares a CompletionStage as its result.
 */
final class FutureResult extends DelegateAsyncProcessor {
    private static final Set<Class<?>> STEPS = Set.of(
            BeanDefinition.class,
            EnrichDefinition.class,
            ProcessDefinition.class,
            ScriptDefinition.class,
            SetBodyDefinition.class,
            TransformDefinition.class);

    /** Elements of a collection that are examined: a lazy one may have no end. */
    private static final int MOST = 100_000;

    private static final CompletableFuture<Void> ENDED = CompletableFuture.completedFuture(null);

    /** Where the step can leave a future, beside the body. */
    private final Function<Exchange, Collection<Object>> others;

    FutureResult(NamedNode step, Processor processor) {
        super(processor);
        others = others(step);
    }

    private static Function<Exchange, Collection<Object>> others(NamedNode step) {
        if (step instanceof SetHeaderDefinition || step instanceof SetHeadersDefinition) {
            return exchange -> exchange.getMessage().getHeaders().values();
        }
        return step instanceof SetPropertyDefinition
                ? exchange -> exchange.getProperties().values()
                : exchange -> exchange.hasVariables() ? exchange.getVariables().values() : List.of();
    }

    /** Whether the result of a step may be a future. */
    static boolean mayFollow(NamedNode step) {
        return STEPS.contains(step.getClass())
                || step instanceof SetHeaderDefinition header && isJava(header)
                || step instanceof SetHeadersDefinition headers
                        && headers.getHeaders().stream().anyMatch(FutureResult::isJava)
                || step instanceof SetPropertyDefinition property && isJava(property)
                || step instanceof SetVariableDefinition variable && isJava(variable)
                || step instanceof SetVariablesDefinition variables
                        && variables.getVariables().stream().anyMatch(FutureResult::isJava)
                || step instanceof SendDefinition<?> send && isJava(send.getEndpointUri())
                || step instanceof ToDynamicDefinition dynamic && isJava(dynamic.getUri());
    }

    private static boolean isJava(ExpressionNode step) {
        ExpressionDefinition expression = step.getExpression();
        return expression.getExpressionValue() != null
                || expression instanceof MethodCallExpression
                || String.valueOf(expression.getExpression()).contains("bean:");
    }

    private static boolean isJava(String uri) {
        return String.valueOf(uri).matches("(bean|class|language):.*");
    }

    @Override
    public boolean process(Exchange exchange, AsyncCallback callback) {
        if (Part.of(exchange) == null) {
            return super.process(exchange, callback);
        }
        List<Object> before = results(exchange);
        AtomicBoolean waits = new AtomicBoolean();
        boolean ended = super.process(exchange, doneSync -> {
            CompletableFuture<Void> end = exchange.getException() == null ? end(exchange, before) : null;
            if (end == null) {
                callback.done(doneSync);
                return;
            }
            waits.set(true);
            end.whenComplete((none, error) -> {
                fail(exchange, error);
                callback.done(false);
            });
        });
        return ended && !waits.get();
    }

    /** The body, and the futures beside it. */
    private List<Object> results(Exchange exchange) {
        List<Object> results = new ArrayList<>(futures(others.apply(exchange)));
        results.add(exchange.getMessage().getBody());
        return results;
    }

    /** The end of the results that were not there before the step: the step that set the others has waited for them. */
    private CompletableFuture<Void> end(Exchange exchange, List<Object> before) {
        Object[] fresh = results(exchange).stream()
                .filter(result -> before.stream().noneMatch(other -> other == result))
                .map(FutureResult::end)
                .filter(Objects::nonNull)
                .toArray();
        return end(fresh);
    }

    /** The end of a future, of those in an array or a collection, and of those that are their results; null if there is none. */
    private static CompletableFuture<Void> end(Object value) {
        if (value instanceof CompletionStage<?> stage) {
            return end(stage);
        }
        if (value instanceof Future<?> future) {
            Throwable error = error(future);
            return error == null ? null : CompletableFuture.failedFuture(error);
        }
        CompletableFuture<?>[] ends = futures(value).stream()
                .map(FutureResult::end)
                .filter(Objects::nonNull)
                .toArray(CompletableFuture<?>[]::new);
        return ends.length == 0 ? null : CompletableFuture.allOf(ends);
    }

    /** A stage of a library need not be convertible to a CompletableFuture. */
    private static CompletableFuture<Void> end(CompletionStage<?> stage) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        stage.whenComplete((result, error) -> {
            try {
                CompletableFuture<Void> next = error == null ? end(result) : CompletableFuture.failedFuture(error);
                Optional.ofNullable(next).orElse(ENDED).whenComplete((none, failure) -> {
                    if (failure == null) {
                        end.complete(null);
                    } else {
                        end.completeExceptionally(failure);
                    }
                });
            } catch (Throwable e) { // otherwise the step would never end
                end.completeExceptionally(e);
            }
        });
        return end;
    }

    private static List<Object> futures(Object value) {
        Collection<?> several = value instanceof Object[] array
                ? Arrays.asList(array)
                : value instanceof Collection<?> collection ? collection : List.of();
        List<Object> futures = new ArrayList<>();
        int examined = 0;
        try {
            for (Object each : several) {
                if (examined++ == MOST) {
                    return futures.isEmpty()
                            ? futures
                            : List.of(CompletableFuture.failedFuture(new IllegalStateException("the body has more than "
                                    + MOST + " elements, and some are futures. Return CompletableFuture.allOf")));
                }
                if (each instanceof CompletionStage || each instanceof Future) {
                    futures.add(each);
                }
            }
        } catch (RuntimeException e) {
            return futures; // a collection that only its owner can read
        }
        return futures;
    }

    private static void fail(Exchange exchange, Throwable error) {
        if (error != null) {
            exchange.setException(
                    error instanceof CompletionException && error.getCause() != null ? error.getCause() : error);
        }
    }

    /** Why a future failed; null if it did not. Nothing reports its end, so it must have ended. */
    private static Throwable error(Future<?> future) {
        if (!future.isDone()) {
            return new IllegalStateException(
                    "the body is a Future that has not ended. Return a CompletableFuture, or the result");
        }
        try {
            future.get();
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e;
        } catch (RuntimeException e) { // it was cancelled
            return e;
        }
    }
}
