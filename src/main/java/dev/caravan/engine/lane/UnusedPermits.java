package dev.caravan.engine.lane;

import java.time.Duration;

/**
 * The permits that the last owner of a lane has not used.
 *
 * @param accumulating the time in which they have accumulated; may be very long, because the burst limits their number
 * @param isExact whether that owner has released the lane. Otherwise it has crashed, and may have used some after it reported
 *     them
 */
public record UnusedPermits(Duration accumulating, boolean isExact) {
    /** The permits of a lane that no relay has owned. */
    public static final UnusedPermits ALL = new UnusedPermits(Duration.ofDays(3650), true);

    /** @param millis null if no relay has owned the lane with a rate */
    public static UnusedPermits of(Long millis, boolean isExact) {
        return millis == null ? ALL : new UnusedPermits(Duration.ofMillis(millis), isExact);
    }
}
