package dev.caravan.operate.explain;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a person or a relay did, or what happened to a destination: charts mark it.
 *
 * @param at when, or when the first of several changes was made
 * @param what the action as in the audit; or {@code start} or {@code takeover} of a relay, {@code halt} of a subscription,
 *     {@code unavailable} or {@code available} of a destination
 * @param person whether a person did it
 * @param who the person or the relay; empty if the subscription or its destination is all that is known
 * @param from of a takeover: the relay that had the lanes before; the same one if it has taken them again, for example after a restart
 * @param subscriptions names, in order; empty if all are concerned
 * @param count how many entries of the audit were made within a minute, or how many lanes were taken
 * @param messages how many messages a person changed; empty if it was no change of messages, or if their number is not known yet
 * @param note the reason of the person, why a subscription is halted or a destination is unavailable, or the version of the relay
 * @param audit id of the first entry of the audit
 */
public record Mark(
        Instant at,
        String what,
        boolean person,
        Optional<String> who,
        Optional<String> from,
        List<String> subscriptions,
        long count,
        Optional<Long> messages,
        Optional<String> note,
        Optional<Long> audit) {

    /** What happened to one subscription. */
    static Mark of(Instant at, String what, String subscription, Optional<String> note) {
        return ofRelay(at, what, Optional.empty(), Optional.empty(), List.of(subscription), 1, note);
    }

    /** A relay has taken lanes of these subscriptions. */
    static Mark ofTakeover(Instant at, String relay, Optional<String> from, List<String> subscriptions, long lanes) {
        return ofRelay(at, "takeover", Optional.of(relay), from, subscriptions, lanes, Optional.empty());
    }

    /** A relay has started. */
    static Mark ofStart(Instant at, String relay, String version) {
        return ofRelay(
                at, "start", Optional.of(relay), Optional.empty(), List.of(), 1, Optional.of("version " + version));
    }

    private static Mark ofRelay(
            Instant at,
            String what,
            Optional<String> relay,
            Optional<String> from,
            List<String> subscriptions,
            long count,
            Optional<String> note) {
        return new Mark(at, what, false, relay, from, subscriptions, count, Optional.empty(), note, Optional.empty());
    }

    /** Whether it concerns a subscription. */
    boolean concerns(String subscription) {
        return subscriptions.isEmpty() || subscriptions.contains(subscription);
    }
}
