package dev.caravan.monitoring;

import dev.caravan.subscription.DestinationStatus;
import dev.caravan.subscription.SubscriptionStatus;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.camel.health.HealthCheck;
import org.apache.camel.health.HealthCheckRepository;
import org.apache.camel.health.HealthCheckResultBuilder;
import org.apache.camel.impl.health.AbstractHealthCheck;

/**
 * The state of each subscription as health checks. They are never DOWN, because a restart of the relay helps neither an unavailable
 * destination nor a paused subscription.
 */
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
                .map(OfSubscription::new);
    }

    private static final class OfSubscription extends AbstractHealthCheck {
        private final SubscriptionStatus status;

        private OfSubscription(SubscriptionStatus status) {
            super("caravan", "subscription-" + status.name());
            this.status = status;
        }

        @Override
        public boolean isLiveness() {
            return false;
        }

        @Override
        public boolean isReadiness() {
            return false;
        }

        @Override
        protected void doCall(HealthCheckResultBuilder result, Map<String, Object> options) {
            result.up()
                    .message(state() + "; lag " + status.lag().toSeconds() + " s, at most " + status.backlog()
                            + " undelivered, " + status.waiting() + " waiting, " + status.blocked() + " blocked, "
                            + status.deadLetters() + " dead");
        }

        private String state() {
            if (status.changing()) {
                return "changing lanes";
            }
            if (status.halt().isPresent()) {
                return "degraded: halted, " + status.halt().get().reason() + "; resume it after an id";
            }
            if (status.paused()) {
                return "paused";
            }
            return status.destination().outage().map(OfSubscription::degraded).orElseGet(() -> status.owner()
                    .map(owner -> "owned by " + owner
                            + status.rate().map(rate -> ", " + rate.text()).orElse(""))
                    .orElse("degraded: no relay"));
        }

        private static String degraded(DestinationStatus.Outage outage) {
            return "degraded: destination unavailable for " + outage.lasting().toSeconds() + " s, next probe in "
                    + Math.max(0, outage.untilProbe().toSeconds()) + " s, last error " + outage.error();
        }
    }
}
