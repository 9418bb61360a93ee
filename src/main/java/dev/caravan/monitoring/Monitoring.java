package dev.caravan.monitoring;

import dev.caravan.loop.LaneTurns;
import dev.caravan.loop.WorkedLane;
import dev.caravan.loop.WorkedLanes;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.health.HealthCheckRegistry;

/** Puts what a relay knows about itself into the metrics and the health checks of Camel. */
public final class Monitoring {
    /** Tasks of housekeeping may copy or drop whole partitions. */
    private static final Duration HOUSEKEEPING_PATIENCE = Duration.ofMinutes(15);

    private final WorkedLanes lanes;
    private final Sampler sampler;
    private final Supplier<Duration> housekeepingAge;
    private final Duration loopPatience;

    /**
     * @param housekeepingAge how long ago a task of the housekeeping ended
     * @param loopPatience a loop of a lane that has not turned for so long, beyond its own pauses, hangs; longer than the database
     *     is waited for
     */
    public Monitoring(WorkedLanes lanes, Sampler sampler, Supplier<Duration> housekeepingAge, Duration loopPatience) {
        this.lanes = lanes;
        this.sampler = sampler;
        this.housekeepingAge = housekeepingAge;
        this.loopPatience = loopPatience;
    }

    /** Registers the meters. */
    public void measure(MeterRegistry registry) {
        lanes.listen(new LaneMeters(registry));
        sampler.listen(new SampleMeters(registry, sampler));
    }

    /** Registers the checks, if the context has any. */
    public void check(CamelContext context) {
        HealthCheckRegistry registry = HealthCheckRegistry.get(context);
        if (registry != null) {
            register(context, new Check("lanes-turn", Check.Kind.LIVE, this::hangingLane));
            register(context, new Check("housekeeping-turns", Check.Kind.LIVE, this::hangingHousekeeping));
            register(context, new Check("database", Check.Kind.READY, sampler::trouble));
            registry.register(new SubscriptionChecks(sampler));
        }
    }

    private static void register(CamelContext context, Check check) {
        check.setCamelContext(context);
        HealthCheckRegistry.get(context).register(check);
    }

    private Optional<String> hangingLane() {
        return lanes.all().stream().flatMap(lane -> hanging(lane).stream()).findFirst();
    }

    private Optional<String> hanging(WorkedLane lane) {
        LaneTurns turns = lane.turns();
        Duration limit = turns.longestPause().plus(loopPatience);
        return turns.polls()
                ? Check.overdue(
                        "The loop of " + lane.subscription() + " (lane " + lane.number() + ")", turns.age(), limit)
                : Optional.empty();
    }

    private Optional<String> hangingHousekeeping() {
        return Check.overdue("Housekeeping", housekeepingAge.get(), HOUSEKEEPING_PATIENCE);
    }
}
