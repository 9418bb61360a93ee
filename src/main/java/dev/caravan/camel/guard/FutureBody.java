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
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.model.BeanDefinition;
import org.apache.camel.model.EnrichDefinition;
import org.apache.camel.model.ProcessDefinition;
import org.apache.camel.model.ScriptDefinition;
import org.apache.camel.model.SendDefinition;
import org.apache.camel.model.SetBodyDefinition;
import org.apache.camel.model.ToDynamicDefinition;
import org.apache.camel.model.TransformDefinition;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/**
 * Waits for a future that a step has left as the body, also for several in a list and for one that is the result of another, and fails the step
 * if one of them fails. Otherwise a message whose bean has failed
 * later would count as delivered. Camel does this only for a bean that declares a CompletionStage as its result.
 */
final class FutureBody extends DelegateAsyncProcessor {
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

    FutureBody(Processor step) {
        super(step);
    }

    /** Whether the result of a step may be a future. */
    static boolean mayFollow(NamedNode step) {
        return STEPS.contains(step.getClass())
                || step instanceof SendDefinition<?> send && isJava(send.getEndpointUri())
                || step instanceof ToDynamicDefinition dynamic && isJava(dynamic.getUri());
    }

    private static boolean isJava(String uri) {
        return String.valueOf(uri).matches("(bean|class|language):.*");
    }

    @Override
    public boolean process(Exchange exchange, AsyncCallback callback) {
        if (Part.of(exchange) == null) {
            return super.process(exchange, callback);
        }
        Object before = exchange.getMessage().getBody();
        AtomicBoolean waits = new AtomicBoolean();
        boolean ended = super.process(exchange, doneSync -> {
            Object body = exchange.getMessage().getBody();
            if (exchange.getException() != null || body == before) { // the step that set the body has waited for it
                callback.done(doneSync);
                return;
            }
            CompletableFuture<Void> end = end(body);
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
                .map(FutureBody::end)
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
