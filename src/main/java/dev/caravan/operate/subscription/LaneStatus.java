package dev.caravan.operate.subscription;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The progress and state of one lane of a subscription. The last five values are reported by the owner every few seconds; they are
 * empty or unknown when the lane has no owner.
 *
 * @param lane its number, starting at 0
 * @param position highest id taken
 * @param gaps number of ids at or below the position that are not delivered
 * @param owner the relay that holds the lease; empty when none does
 * @param leaseUntil end of the lease by the clock of the database
 * @param leaseLeft time until then; negative when the lease has expired
 * @param presence whether the owner has shown by a session that it is running: after a crash the lane is taken over within about a
 *     second, otherwise when the lease ends
 * @param delivered messages delivered since the subscription was created; repeats count again
 * @param inFlight messages taken and not finished
 * @param latencyMillis 99th percentile of the time from creation to delivery over the last seconds; empty if nothing was
 *     delivered
 * @param destination whether its destination is available
 * @param rate the use of the rate; empty without one
 * @param followsTail whether it takes its messages from the tail that its relay reads once for all lanes; otherwise it is behind, and
 *     reads for itself
 */
public record LaneStatus(
        int lane,
        long position,
        long gaps,
        Optional<String> owner,
        long epoch,
        Optional<Instant> leaseUntil,
        @JsonIgnore Optional<Duration> leaseLeft,
        boolean presence,
        long delivered,
        Optional<Integer> inFlight,
        Optional<Integer> latencyMillis,
        DestinationStatus destination,
        Optional<RateStatus> rate,
        Optional<Boolean> followsTail) {}
