package dev.caravan.operate.subscription;

import java.util.Locale;

/** The state of a subscription in a word: why it delivers nothing, or that it is running. */
public enum SubscriptionState {
    CHANGING_LANES,
    HALTED,
    PAUSED,
    NO_RELAY,
    DESTINATION_UNAVAILABLE,
    /** Dead letters block keys; messages of other keys are delivered. */
    KEYS_BLOCKED,
    RUNNING;

    static SubscriptionState of(SubscriptionStatus status) {
        if (status.changing()) {
            return CHANGING_LANES;
        }
        if (status.halt().isPresent()) {
            return HALTED;
        }
        if (status.paused()) {
            return PAUSED;
        }
        if (!hasRelay(status)) {
            return NO_RELAY;
        }
        if (status.destination().outage().isPresent()) {
            return DESTINATION_UNAVAILABLE;
        }
        return status.keysBlockedByDead().atLeast() > 0 ? KEYS_BLOCKED : RUNNING;
    }

    /** Whether a relay has a lease of one of its lanes. */
    private static boolean hasRelay(SubscriptionStatus status) {
        return status.lanes().stream()
                .anyMatch(lane ->
                        lane.leaseLeft().filter(left -> !left.isNegative()).isPresent());
    }

    /** {@code destination unavailable}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
