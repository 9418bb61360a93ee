package dev.caravan.lane;

import dev.caravan.delivery.Key;
import java.util.Map;
import java.util.Set;

/**
 * Which keys of a subscription have messages in the side tables.
 *
 * @param waiting keys in {@code outbox_retry}; the value says whether one of their messages has a time to be tried at
 * @param dead keys in {@code outbox_dead_letter} that hold back later messages; empty unless dead letters block
 * @param lowest in order {@code strict} the lowest id of a message in the side tables; {@link Long#MAX_VALUE} if there is none,
 *     and in the other orders
 */
public record RetrySurvey(Map<Key, Boolean> waiting, Set<Key> dead, long lowest) {}
