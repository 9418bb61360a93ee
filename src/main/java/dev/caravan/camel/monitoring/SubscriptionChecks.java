package dev.caravan.camel.monitoring;

import dev.caravan.base.text.Span;
import dev.caravan.engine.loop.RouteLanes;
import dev.caravan.operate.intake.IntakeStatus;
import dev.caravan.operate.subscription.DestinationStatus;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sampler;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.camel.health.HealthCheck;
import org.apache.camel.health.HealthCheckRepository;

/** The state of each subscription and intake as health checks. */
final class SubscriptionChecks implements HealthCheckRepository {
    private final Sampler sampler;
    private final RouteLanes lanes;
    private final Duration longAttempt;
    private boolean enabled = true;

    /**
     * @param lanes those of this relay, which knows the attempts that run in it
     * @param longAttempt an attempt that runs for longer may never end
     */
    SubscriptionChecks(Sampler sampler, RouteLanes lanes, Duration longAttempt) {
        this.sampler = sampler;
        this.lanes = lanes;
        this.longAttempt = longAttempt;
    }

    @Override
    public String getId() {
        return "caravan-subscriptions";
    }

    @Override
    public boolean isEnabled() {
        return enabled;
    }

    @Override
    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    @Override
    public Stream<HealthCheck> stream() {
        Attempts attempts = new Attempts();
        return sampler.latest().stream()
                .filter(sample -> enabled)
                .flatMap(sample -> Stream.concat(
                        sample.subscriptions().stream()
                                .map(status ->
                                        Check.ofState("subscription-" + status.name(), () -> state(status, attempts))),
                        sample.intakes().stream()
                                .map(intake -> Check.ofState("intake-" + intake.name(), () -> state(intake)))));
    }

    private static String state(IntakeStatus intake) {
        String error = intake.error().map(text -> ", " + text).orElse("");
        return switch (intake.state()) {
                    case RUNNING -> "worked by " + intake.relay().orElseThrow();
                    case PAUSED -> "paused";
                    case FAILING -> "degraded: fails, and is tried again" + error;
                    case HALTED -> "degraded: halted" + error;
                    case NO_RELAY -> "degraded: no relay";
                }
                + "; lag " + intake.lag().toSeconds() + " s, " + intake.copied() + " copied, " + intake.rejected()
                + " rejected, " + intake.deadLetters() + " dead";
    }

    private String state(SubscriptionStatus status, Attempts attempts) {
        return longest(attempts.of(status.name())).orElse("") + progress(status) + "; lag "
                + status.lag().toSeconds() + " s, at most " + status.backlog()
                + " undelivered, " + status.waiting() + " waiting, " + status.blocked() + " blocked, "
                + status.deadLetters() + " dead";
    }

    /** A step that never ends holds its place among those that run at once. When all places are held, nothing is delivered. */
    private Optional<String> longest(Duration attempt) {
        return attempt.compareTo(longAttempt) <= 0
                ? Optional.empty()
                : Optional.of("degraded: an attempt has not ended for " + Span.text(attempt)
                        + ", and a step without a timeout may never end (the log of this relay names it); ");
    }

    /** The longest running attempt of each subscription, read when the first check needs it: a lane may wait for its lock. */
    private final class Attempts {
        private Map<String, Duration> longest;

        synchronized Duration of(String subscription) {
            if (longest == null) {
                longest = new HashMap<>();
                lanes.all().forEach(lane -> lane.snapshot()
                        .ifPresent(state -> longest.merge(
                                lane.subscription(), state.longestAttempt(), SubscriptionChecks::longer)));
            }
            return longest.getOrDefault(subscription, Duration.ZERO);
        }
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static String progress(SubscriptionStatus status) {
        if (status.changing()) {
            return "changing lanes";
        }
        if (status.halt().isPresent()) {
            return "degraded: halted, " + status.halt().get().reason() + "; resume it after an id";
        }
        if (status.paused()) {
            return "paused";
        }
        return status.destination().outage().map(SubscriptionChecks::degraded).orElseGet(() -> status.owner()
                .map(owner -> "owned by " + owner
                        + status.rate().map(rate -> ", " + rate.text()).orElse(""))
                .orElse("degraded: no relay"));
    }

    private static String degraded(DestinationStatus.Outage outage) {
        return "degraded: destination unavailable for " + outage.lasting().toSeconds() + " s, next probe in "
                + Math.max(0, outage.untilProbe().toSeconds()) + " s, last error " + outage.error();
    }
}
