package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.ProvenSession;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Sessions of other relays that were observed to have ended. A lane of such a session may be claimed when no proof of the session
 * can be valid any more. The key of a session is never used again, so an observation remains true. Thread-safe.
 */
final class EndedSessions {
    /** A proof is valid for this time longer if its relay was suspended and its clock did not detect that. */
    private static final Duration UNDETECTED_SUSPENSION = Duration.ofMillis(100);

    private static final long WAIT =
            ProvenSession.VALIDITY.plus(UNDETECTED_SUSPENSION).toNanos();

    /** Longer than any lane of an ended relay waits for its next owner. */
    private static final long REMOVED_AFTER = Duration.ofMinutes(1).toNanos();

    private final Clock clock;
    /** Times of the first observations, in their order, by {@link Clock#nanos()}: that clock does not jump forward. */
    private final Map<Long, Long> observedAt = new LinkedHashMap<>();

    EndedSessions(Clock clock) {
        this.clock = clock;
    }

    /** Records that the lock of a session was free. */
    synchronized void observed(long key) {
        long now = clock.nanos();
        observedAt.values().removeIf(at -> now - at >= REMOVED_AFTER);
        observedAt.putIfAbsent(key, now);
    }

    /** The keys of sessions of which no proof is valid. */
    synchronized Long[] withoutProof() {
        long now = clock.nanos();
        return observedAt.entrySet().stream()
                .filter(session -> now - session.getValue() >= WAIT)
                .map(Map.Entry::getKey)
                .toArray(Long[]::new);
    }

    /** The time until another session is added to {@link #withoutProof()}, within a limit. */
    synchronized Duration untilNext(Duration limit) {
        long now = clock.nanos();
        return observedAt.values().stream()
                .map(at -> WAIT - (now - at))
                .filter(left -> left > 0 && left < limit.toNanos())
                .min(Long::compare)
                .map(left -> Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(left) + 1))
                .orElse(limit);
    }
}
