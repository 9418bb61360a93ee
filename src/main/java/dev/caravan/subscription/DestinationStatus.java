package dev.caravan.subscription;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a destination can be sent to, as far as the relay knew that holds the lane, a few seconds ago.
 *
 * @param away present exactly when it is away
 */
public record DestinationStatus(State state, Optional<Away> away) {
    static final DestinationStatus UNKNOWN = new DestinationStatus(State.UNKNOWN, Optional.empty());
    static final DestinationStatus AVAILABLE = new DestinationStatus(State.AVAILABLE, Optional.empty());

    /** What is known of it. */
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
     * A destination that is away.
     *
     * @param since when it was first found away
     * @param lasting time since then, by the clock of the database
     * @param error the last error, in one line without anything of a message
     * @param nextProbe when it is probed next
     * @param untilProbe time until then, negative when that was due
     */
    public record Away(Instant since, Duration lasting, String error, Instant nextProbe, Duration untilProbe) {}

    static DestinationStatus away(Away away) {
        return new DestinationStatus(State.UNAVAILABLE, Optional.of(away));
    }

    /** Of several lanes: away if any of them finds it away, and then as the one says that has done so for longest. */
    static DestinationStatus of(Collection<DestinationStatus> lanes) {
        return lanes.stream()
                .flatMap(lane -> lane.away().stream())
                .min(Comparator.comparing(Away::since))
                .map(DestinationStatus::away)
                .orElse(lanes.contains(AVAILABLE) ? AVAILABLE : UNKNOWN);
    }

    /** As it is printed in JSON. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("state", state.toString());
        fields.put("unavailableSince", away.map(gone -> gone.since().toString()).orElse(null));
        fields.put("error", away.map(Away::error).orElse(null));
        fields.put("nextProbeAt", away.map(gone -> gone.nextProbe().toString()).orElse(null));
        return fields;
    }
}
