package dev.caravan.operate.failed;

import java.util.Optional;
import java.util.UUID;

/**
 * A filter of discarded dead letters.
 *
 * @param letters a filter of the dead letters before the discard, except that its times refer to the discard
 * @param discard id of the discard; empty for all
 */
public record DiscardedFilter(DeadLetterFilter letters, Optional<UUID> discard) {}
