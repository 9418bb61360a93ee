package dev.caravan.camel.guard;

import java.util.HashMap;
import java.util.Map;

/** Names of the messages that an attempt appends to the outbox: different for each, and the same on every attempt. */
final class AppendedNames {
    private Map<String, Integer> counts = Map.of();

    /** The name of the next message that this place of the route appends. */
    synchronized String next(String place) {
        int before = counts.getOrDefault(place, 0);
        return place + (before == 0 ? "" : "#" + before);
    }

    /** Records that the message was appended. */
    synchronized void appended(String place) {
        if (counts.isEmpty()) {
            counts = new HashMap<>();
        }
        counts.merge(place, 1, Integer::sum);
    }
}
