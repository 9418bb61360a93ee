package dev.caravan.schema;

import java.time.Duration;
import java.time.Instant;
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
 */
public record LaneStatus(
        int lane,
        long position,
        long gaps,
        Optional<String> owner,
        long epoch,
        Optional<Instant> leaseUntil,
        Optional<Duration> leaseLeft) {}
