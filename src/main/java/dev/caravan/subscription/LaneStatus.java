package dev.caravan.subscription;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How far one lane of a subscription is.
 *
 * @param lane its number, from 0
 * @param position highest id taken
 * @param gaps number of ids at or below the position that are not delivered
 * @param owner the relay that works the lane, empty when none does
 * @param leaseUntil end of its lease by the clock of the database
 * @param leaseLeft time until then; negative when the lease has ended
 * @param delivered messages it has delivered since the subscription exists; repeats count again
 * @param inFlight messages taken and not finished; like what follows a few seconds old, and empty when no relay holds the lane
 * @param latencyMillis of what was delivered in the seconds before: the time from its creation that 99 % took at most; empty
 *     if nothing was
 */
public record LaneStatus(
        int lane,
        long position,
        long gaps,
        Optional<String> owner,
        long epoch,
        Optional<Instant> leaseUntil,
        Optional<Duration> leaseLeft,
        long delivered,
        Optional<Integer> inFlight,
        Optional<Integer> latencyMillis,
        DestinationStatus destination) {

    /** As it is printed in JSON. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("lane", lane);
        fields.put("position", position);
        fields.put("gaps", gaps);
        fields.put("owner", owner.orElse(null));
        fields.put("epoch", epoch);
        fields.put("leaseUntil", leaseUntil.map(Object::toString).orElse(null));
        fields.put("delivered", delivered);
        fields.put("inFlight", inFlight.orElse(null));
        fields.put("latencyMillis", latencyMillis.orElse(null));
        fields.put("destination", destination.fields());
        return fields;
    }
}
