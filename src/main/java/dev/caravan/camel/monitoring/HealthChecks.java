package dev.caravan.camel.monitoring;

import dev.caravan.engine.loop.LoopLiveness;
import dev.caravan.engine.loop.RouteLane;
import dev.caravan.engine.loop.RouteLanes;
import dev.caravan.operate.watch.Sampler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.health.HealthCheckRegistry;
import org.apache.camel.impl.health.AbstractHealthCheck;

/** The health checks in the registry of a context, of its lanes and of the database. Loaded only if camel-health is on the class path. */
final class HealthChecks implements AutoCloseable {
    /** Long, because housekeeping tasks may copy or drop whole partitions. */
    private static final Duration HOUSEKEEPING_TIMEOUT = Duration.ofMinutes(15);

    /** As after which a lane warns in the log. */
    private static final Duration LONG_ATTEMPT = Duration.ofMinutes(5);

    private final HealthCheckRegistry registry;
    private final List<Object> checks;

    private HealthChecks(HealthCheckRegistry registry, List<Object> checks) {
        this.registry = registry;
        this.checks = checks;
    }

    /** Empty if the context has no checks. @param checks checks and repositories of checks */
    static Optional<HealthChecks> add(CamelContext context, List<Object> checks) {
        HealthCheckRegistry registry = HealthCheckRegistry.get(context);
        if (registry == null) {
            return Optional.empty();
        }
        for (Object check : checks) {
            if (check instanceof AbstractHealthCheck single) {
                single.setCamelContext(context);
            }
            registry.register(check);
        }
        return Optional.of(new HealthChecks(registry, checks));
    }

    /** A check for each subscription and intake. */
    static Object ofSubscriptions(Sampler sampler, RouteLanes lanes) {
        return new SubscriptionChecks(sampler, lanes, LONG_ATTEMPT);
    }

    /**
     * The checks of an instance with lanes.
     *
     * @param housekeepingAge time since the last housekeeping task ended
     * @param loopTimeout time without a completed turn, beyond its own pauses, after which the loop of a lane is considered hanging;
     *     longer than the longest wait for the database
     */
    static List<Object> ofLanes(
            RouteLanes lanes, Sampler sampler, Supplier<Duration> housekeepingAge, Duration loopTimeout) {
        return List.of(
                new Check("lanes-turn", Check.Kind.LIVE, () -> hangingLane(lanes, loopTimeout)),
                new Check(
                        "housekeeping-turns",
                        Check.Kind.LIVE,
                        () -> Check.overdue("Housekeeping", housekeepingAge.get(), HOUSEKEEPING_TIMEOUT)),
                new Check("database", Check.Kind.READY, sampler::problem),
                ofSubscriptions(sampler, lanes));
    }

    private static Optional<String> hangingLane(RouteLanes lanes, Duration loopTimeout) {
        return lanes.all().stream()
                .flatMap(lane -> hanging(lane, loopTimeout).stream())
                .findFirst();
    }

    private static Optional<String> hanging(RouteLane lane, Duration loopTimeout) {
        LoopLiveness liveness = lane.liveness();
        Duration limit = liveness.longestPause().plus(loopTimeout);
        return liveness.running()
                ? Check.overdue(
                        "The loop of " + lane.subscription() + " (lane " + lane.number() + ")", liveness.age(), limit)
                : Optional.empty();
    }

    @Override
    public void close() {
        checks.forEach(registry::unregister);
    }
}
