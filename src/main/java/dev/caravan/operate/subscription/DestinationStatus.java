package dev.caravan.operate.subscription;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/**
 * Whether a destination is available, as the owner of the lane reported a few seconds ago.
 *
 * @param outage present exactly when the state is {@code UNAVAILABLE}
 */
@JsonPropertyOrder({"state", "unavailableSince", "error", "nextProbeAt"})
public record DestinationStatus(State state, @JsonIgnore Optional<Outage> outage) {
    static final DestinationStatus UNKNOWN = new DestinationStatus(State.UNKNOWN, Optional.empty());
    static final DestinationStatus AVAILABLE = new DestinationStatus(State.AVAILABLE, Optional.empty());

    /** The state of a destination. */
    public enum State {
        AVAILABLE,
        UNAVAILABLE,
        /** No relay holds the lane. */
        UNKNOWN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The outage of a destination.
     *
     * @param since when it started
     * @param lasting time since then, by the clock of the database
     * @param error the last error, in one line without content of messages
     * @param nextProbe time of the next probe
     * @param untilProbe time until the next probe; negative when it is due
     */
    public record Outage(Instant since, Duration lasting, String error, Instant nextProbe, Duration untilProbe) {}

    @JsonProperty
    Optional<Instant> unavailableSince() {
        return outage.map(Outage::since);
    }

    @JsonProperty
    Optional<String> error() {
        return outage.map(Outage::error);
    }

    @JsonProperty
    Optional<Instant> nextProbeAt() {
        return outage.map(Outage::nextProbe);
    }

    static DestinationStatus unavailable(Outage outage) {
        return new DestinationStatus(State.UNAVAILABLE, Optional.of(outage));
    }

    /** Combines the reports of several lanes: unavailable if one lane reports it, with the longest outage. */
    static DestinationStatus of(Collection<DestinationStatus> lanes) {
        return lanes.stream()
                .flatMap(lane -> lane.outage().stream())
                .min(Comparator.comparing(Outage::since))
                .map(DestinationStatus::unavailable)
                .orElse(lanes.contains(AVAILABLE) ? AVAILABLE : UNKNOWN);
    }
}
