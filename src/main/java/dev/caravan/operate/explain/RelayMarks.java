package dev.caravan.operate.explain;

import dev.caravan.operate.subscription.DestinationStatus;
import dev.caravan.operate.subscription.LaneStatus;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What relays did between two samples: lanes taken, subscriptions halted, destinations that were unavailable. No table has this, so it is
 * derived from the samples, and lost when the relay stops. Used by one thread at a time.
 */
final class RelayMarks {
    /** The oldest ones are forgotten. */
    private static final int MOST = 500;

    private record Lane(String subscription, int number) {}

    private record Held(String relay, long epoch) {}

    private record Takeover(String relay, Optional<String> from) {}

    private final Deque<Mark> marks = new ArrayDeque<>();
    private final Map<Lane, Held> held = new HashMap<>();
    private Map<String, SubscriptionStatus> before = Map.of();

    void add(Sample sample) {
        addTakeovers(sample);
        Map<String, SubscriptionStatus> now = new HashMap<>();
        for (SubscriptionStatus status : sample.subscriptions()) {
            addChanges(sample, Optional.ofNullable(before.get(status.name())), status);
            now.put(status.name(), status);
        }
        before = now;
        held.keySet().removeIf(lane -> !now.containsKey(lane.subscription));
        while (marks.size() > MOST) {
            marks.removeFirst();
        }
    }

    /** Oldest first. */
    List<Mark> all() {
        return List.copyOf(marks);
    }

    void clear() {
        marks.clear();
        held.clear();
        before = Map.of();
    }

    /** One mark for all lanes that a relay has taken from the same relay since the last sample. */
    private void addTakeovers(Sample sample) {
        Map<Takeover, List<String>> taken = new LinkedHashMap<>();
        for (SubscriptionStatus status : sample.subscriptions()) {
            for (LaneStatus lane : status.lanes()) {
                lane.owner().ifPresent(relay -> {
                    Held now = new Held(relay, lane.epoch());
                    Optional<Held> last = Optional.ofNullable(held.put(new Lane(status.name(), lane.lane()), now));
                    if (wasTaken(status, last, now)) {
                        taken.computeIfAbsent(new Takeover(relay, last.map(Held::relay)), any -> new ArrayList<>())
                                .add(status.name());
                    }
                });
            }
        }
        taken.forEach((takeover, names) -> marks.add(Mark.ofTakeover(
                sample.at(),
                takeover.relay,
                takeover.from,
                names.stream().distinct().toList(),
                names.size())));
    }

    /** False if a person is the cause, which the audit has, and for what was taken before the first sample. */
    private boolean wasTaken(SubscriptionStatus status, Optional<Held> last, Held now) {
        SubscriptionStatus old = before.get(status.name());
        return old != null
                && !old.paused()
                && old.halt().isEmpty()
                && !old.changing()
                && old.lanes().size() == status.lanes().size()
                && last.map(Held::epoch).orElse(-1L) < now.epoch;
    }

    private void addChanges(Sample sample, Optional<SubscriptionStatus> old, SubscriptionStatus now) {
        now.halt()
                .filter(halt -> old.flatMap(SubscriptionStatus::halt).isEmpty())
                .ifPresent(halt ->
                        marks.add(Mark.of(halt.since(), "halt", now.name(), Optional.ofNullable(halt.reason()))));
        boolean wasUnavailable =
                old.flatMap(status -> status.destination().outage()).isPresent();
        now.destination()
                .outage()
                .filter(outage -> !wasUnavailable)
                .ifPresent(outage -> marks.add(
                        Mark.of(outage.since(), "unavailable", now.name(), Optional.ofNullable(outage.error()))));
        if (wasUnavailable && now.destination().state() == DestinationStatus.State.AVAILABLE) {
            marks.add(Mark.of(sample.at(), "available", now.name(), Optional.empty()));
        }
    }
}
