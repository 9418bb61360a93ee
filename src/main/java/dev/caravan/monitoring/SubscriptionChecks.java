package dev.caravan.monitoring;

import dev.caravan.subscription.DestinationStatus;
import dev.caravan.subscription.SubscriptionStatus;
import java.util.stream.Stream;
import org.apache.camel.health.HealthCheck;
import org.apache.camel.health.HealthCheckRepository;

/** The state of each subscription as health checks. */
final class SubscriptionChecks implements HealthCheckRepository {
    private final Sampler sampler;
    private boolean enabled = true;

    SubscriptionChecks(Sampler sampler) {
        this.sampler = sampler;
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
        return sampler.latest().stream()
                .filter(sample -> enabled)
                .flatMap(sample -> sample.subscriptions().stream())
                .map(status -> new StateCheck("subscription-" + status.name(), () -> state(status)));
    }

    private static String state(SubscriptionStatus status) {
        return progress(status) + "; lag " + status.lag().toSeconds() + " s, at most " + status.backlog()
                + " undelivered, " + status.waiting() + " waiting, " + status.blocked() + " blocked, "
                + status.deadLetters() + " dead";
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
