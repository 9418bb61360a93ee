package dev.caravan.deadletter;

import java.util.Optional;
import java.util.UUID;

/**
 * A filter of discarded dead letters.
 *
 * @param letters a filter of the dead letters as they were, except that its times are those of the discard
 * @param discard the change that discarded them; empty for all
 */
public record DiscardedFilter(DeadLetterFilter letters, Optional<UUID> discard) {}
