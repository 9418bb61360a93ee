package dev.caravan.routes.tryout;

import dev.caravan.base.message.Message;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.base.text.Causes;
import dev.caravan.camel.outbox.OnDemandConsumer;
import dev.caravan.camel.outbox.OnDemandConsumer.Attempted;
import dev.caravan.engine.lane.LaneSettings;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Outcome;
import dev.caravan.engine.schedule.Result;
import dev.caravan.engine.schedule.RetryPolicy;
import dev.caravan.routes.component.UserJars;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.camel.CamelContext;
import org.apache.camel.Route;
import org.apache.camel.support.LifecycleStrategySupport;
import org.apache.camel.util.function.ThrowingConsumer;

/**
 * Runs routes for given messages. Each endpoint that leaves the process is replaced. Routes, error handling, settings and headers are
 * those of a relay. Not thread-safe: one attempt at a time.
 */
public final class DryRun implements AutoCloseable {
    private final DryRunCamel camel;
    private final Recorder recorder;
    private final Duration limit;
    private final UserJars.Use jars;
    private final ExecutorService attempts = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "dry-run");
        thread.setDaemon(true); // a route may never end
        return thread;
    });

    private DryRun(DryRunOptions options) throws IOException {
        recorder = new Recorder(options.answers, options.sends);
        jars = UserJars.of(options.settings).use();
        limit = options.limit;
        camel = new DryRunCamel(options, recorder);
    }

    /** @throws DryRunException if the routes cannot be started */
    public static DryRun start(DryRunOptions options) {
        DryRun run = begin(options, DryRunCamel::start);
        run.recorder.take(); // discards what the start of routes has sent
        return run;
    }

    /**
     * Loads the routes. The caller starts the {@link #context()}, and stops it, which closes the dry run too.
     *
     * @throws DryRunException if the routes cannot be loaded
     */
    public static DryRun prepare(DryRunOptions options) {
        DryRun run = begin(options, DryRunCamel::init);
        run.context().addLifecycleStrategy(new LifecycleStrategySupport() {
            @Override
            public void onContextStopped(CamelContext context) {
                run.attempts.shutdownNow();
                run.jars.close();
            }
        });
        return run;
    }

    private static DryRun begin(DryRunOptions options, ThrowingConsumer<DryRunCamel, Exception> step) {
        DryRun run;
        try {
            run = new DryRun(options);
        } catch (IOException e) {
            throw new DryRunException("Could not read the routes: " + e.getMessage(), e);
        }
        try {
            step.accept(run.camel);
            return run;
        } catch (Exception e) {
            String reason = run.secrets().mask(StartFailure.text(run.camel.getCamelContext(), e));
            run.close();
            throw new DryRunException(reason, e);
        }
    }

    /** The context of the routes. */
    public CamelContext context() {
        return camel.getCamelContext();
    }

    /** The routes that read the outbox, with the file of each. */
    public List<TriedRoute> routes() {
        return camel.getCamelContext().getRoutes().stream()
                .filter(route -> route.getConsumer() instanceof OnDemandConsumer)
                .map(DryRun::tried)
                .toList();
    }

    /**
     * A route that reads the outbox.
     *
     * @param source its file; empty for a route of a builder
     */
    public record TriedRoute(String id, String subscription, String types, String source) {
        /** Whether the subscription delivers messages of a type to this route. */
        public boolean reads(String type) {
            return TypePatterns.match(types, type);
        }
    }

    private static TriedRoute tried(Route route) {
        var endpoint = ((OnDemandConsumer) route.getConsumer()).getEndpoint();
        String source = Optional.ofNullable(route.getSourceResource())
                .map(resource -> resource.getLocation().replaceFirst("^file:", ""))
                .orElse("");
        return new TriedRoute(
                route.getRouteId(),
                endpoint.getName(),
                endpoint.getSubscription().getTypes(),
                source);
    }

    /** Whether the routes have used an idempotent repository in memory instead of the one in the database. */
    public boolean rememberedInMemory() {
        return camel.ids().used();
    }

    /** Also those that routes have read so far from the environment or a vault, by placeholders. */
    public Secrets secrets() {
        return camel.lookups().secrets();
    }

    /** Removes the ids of delivered messages that are stored in memory instead of the database. */
    public void forgetIds() {
        camel.ids().clear();
    }

    /** How long an attempt may take. */
    public Duration limit() {
        return limit;
    }

    /** The options of the lanes of a route. */
    public LaneSettings lane(String routeId) {
        return consumer(routeId).lane();
    }

    /** Makes the first attempt to deliver a message by a route. */
    public Trial attempt(String routeId, Message message) {
        return attempt(routeId, Delivery.fresh(message));
    }

    /** Makes one attempt of a delivery by a route. */
    public Trial attempt(String routeId, Delivery delivery) {
        OnDemandConsumer consumer = consumer(routeId);
        Attempt attempt = attempt(routeId, List.of(delivery));
        Result result = attempt.end().map(end -> end.results().get(0)).orElse(null);
        RetryPolicy policy = consumer.lane().retry();
        Trial.End end = end(attempt.end(), policy, delivery);
        return new Trial(
                delivery.message(),
                routeId,
                consumer.getEndpoint().getName(),
                delivery.attempt(),
                end,
                result == null ? null : result.failure(),
                result == null ? Duration.ZERO : result.retryAfter(),
                policy,
                attempt.recorded(),
                end == Trial.End.DEAD ? deadLetter(routeId, delivery, result.failure()) : List.of());
    }

    /**
     * An attempt to deliver messages with one exchange.
     *
     * @param end empty if the route had not ended in time
     * @param recorded what was sent, or would be, in order
     */
    public record Attempt(Optional<Attempted> end, List<Recorded> recorded) {}

    /**
     * Makes one attempt to deliver messages by a route with one exchange.
     *
     * @param deliveries several only for a route with batching
     */
    public Attempt attempt(String routeId, List<Delivery> deliveries) {
        OnDemandConsumer consumer = consumer(routeId);
        recorder.take();
        Optional<Attempted> end = bounded(() -> consumer.attempt(deliveries).get());
        return new Attempt(end, recorder.take());
    }

    /** Sends a dead letter to the route {@code dead-letter}, if there is one; returns what that route sends. */
    public List<Recorded> deadLetter(String routeId, Delivery delivery, Failure failure) {
        recorder.take();
        bounded(() -> {
            consumer(routeId).deadLetter(delivery, failure);
            return true;
        });
        return recorder.take();
    }

    private OnDemandConsumer consumer(String routeId) {
        Route route = camel.getCamelContext().getRoute(routeId);
        if (route == null || !(route.getConsumer() instanceof OnDemandConsumer consumer)) {
            throw new DryRunException("There is no route " + routeId + " that reads the outbox");
        }
        return consumer;
    }

    private static Trial.End end(Optional<Attempted> attempted, RetryPolicy policy, Delivery delivery) {
        if (attempted.isEmpty()) {
            return Trial.End.UNFINISHED;
        }
        Outcome outcome = attempted.get().results().get(0).outcome();
        return switch (outcome) {
            case DELIVERED -> attempted.get().repeat() ? Trial.End.REPEAT : Trial.End.DELIVERED;
            case UNAVAILABLE -> Trial.End.WAITS;
            case DEAD -> Trial.End.DEAD;
            case RETRY ->
                policy.isExhausted(delivery.failedAttempts() + 1, delivery.failingFor())
                        ? Trial.End.DEAD
                        : Trial.End.RETRIED;
        };
    }

    /** Runs a task with a time limit; empty if it had not ended by then. */
    private <T> Optional<T> bounded(Callable<T> task) {
        Future<T> running = attempts.submit(task);
        try {
            return Optional.of(running.get(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            running.cancel(true);
            return Optional.empty();
        } catch (InterruptedException e) {
            running.cancel(true);
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new DryRunException("The attempt ended without a result: " + Causes.root(e), e);
        }
    }

    @Override
    public void close() {
        attempts.shutdownNow();
        try {
            camel.stop();
        } finally {
            jars.close();
        }
    }
}
