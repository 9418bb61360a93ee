package dev.caravan.torture;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** What must hold, checked over what was written and what arrived. No I/O. */
final class Invariants {
    /** Clocks of Postgres and of receivers are the same, but rounded, and read a moment after the fact. */
    private static final long ROUNDING_MILLIS = 50;

    private final Map<String, WrittenMessage> written = new HashMap<>();
    private final List<Invariant> found = new ArrayList<>();

    Invariants(Collection<WrittenMessage> messages) {
        messages.forEach(message -> written.put(message.messageId(), message));
    }

    List<Invariant> found() {
        return List.copyOf(found);
    }

    private void add(String name, String figure, List<String> violations) {
        found.add(new Invariant(name, figure, violations));
    }

    /** @param expected the kinds of messages that this destination takes */
    void nothingIsLost(String destination, List<Arrival> arrivals, Set<Kind> expected) {
        Set<String> arrived = new HashSet<>();
        arrivals.forEach(arrival -> arrived.add(arrival.messageId()));
        List<WrittenMessage> due = written.values().stream()
                .filter(message -> expected.contains(message.kind()))
                .toList();
        List<String> lost = due.stream()
                .filter(message -> !arrived.contains(message.messageId()))
                .map(Objects::toString)
                .toList();
        add(destination + ": nothing lost", "%,d committed, %,d lost".formatted(due.size(), lost.size()), lost);
    }

    /** @param rolledBack how many ids were drawn and not committed */
    void nothingRolledBackArrives(String destination, List<Arrival> arrivals, long rolledBack) {
        List<String> foreign = arrivals.stream()
                .filter(arrival -> !written.containsKey(arrival.messageId()))
                .map(Objects::toString)
                .toList();
        add(
                destination + ": nothing delivered that was rolled back",
                "%,d rolled back, %,d of them delivered".formatted(rolledBack, foreign.size()),
                foreign);
    }

    /** What a message id stands for never changes. */
    void repeatsCarryTheSameId(String destination, List<Arrival> arrivals) {
        Map<String, String> idOfContent = new HashMap<>();
        written.values().forEach(m -> idOfContent.put(m.key() + "/" + m.sequence(), m.messageId()));
        List<String> other = arrivals.stream()
                .filter(a -> !a.messageId().equals(idOfContent.get(a.key() + "/" + a.sequence())))
                .map(Objects::toString)
                .toList();
        add(
                destination + ": each repeat has the message id of the first",
                "%,d arrivals, %,d with another id".formatted(arrivals.size(), other.size()),
                other);
    }

    /**
     * No message is sent again by the relay that works the lane once it is acknowledged, and what is repeated is bounded: by
     * what is on its way at each interruption, and at each takeover by what can be delivered without a save, which is for as
     * long as the lease.
     *
     * @param onTheirWay how many messages may be on their way at once
     * @param interruptions faults and takeovers
     */
    void repeatsAreExplained(
            String destination,
            List<Arrival> arrivals,
            SubscriptionHistory history,
            int onTheirWay,
            long interruptions) {
        Set<String> seen = new HashSet<>();
        List<String> wrong = new ArrayList<>();
        int repeats = 0;
        for (Arrival arrival : arrivals) {
            WrittenMessage message = written.get(arrival.messageId());
            if (message != null && !seen.add(arrival.messageId())) {
                repeats++;
                if (arrival.atMillis() > history.finishedAt(message.id()) + ROUNDING_MILLIS
                        && !history.isLate(arrival.relay(), arrival.atMillis())) {
                    wrong.add("repeated after its acknowledgement: " + arrival);
                }
            }
        }
        int unexplained = wrong.size();
        long bound = onTheirWay * interruptions + mostWithinALease(arrivals) * history.epochs();
        if (repeats > bound) {
            wrong.add("%,d repeats are more than %,d".formatted(repeats, bound));
        }
        add(
                destination + ": repeats explained",
                "%,d repeats (at most %,d from %,d faults and takeovers), %,d after their acknowledgement"
                        .formatted(repeats, bound, interruptions, unexplained),
                wrong);
    }

    private static long mostWithinALease(List<Arrival> arrivals) {
        long[] times = arrivals.stream().mapToLong(Arrival::atMillis).sorted().toArray();
        int most = 0;
        int first = 0;
        for (int last = 0; last < times.length; last++) {
            while (times[last] - times[first] > Stage.LEASE.toMillis()) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }

    /** Of each key the first arrivals are in order. */
    void firstArrivalsAreInOrder(String destination, List<Arrival> arrivals) {
        Set<String> seen = new HashSet<>();
        Map<String, Arrival> last = new HashMap<>();
        List<String> wrong = new ArrayList<>();
        for (Arrival arrival : arrivals) {
            if (seen.add(arrival.messageId())) {
                Arrival before = last.put(arrival.key(), arrival);
                if (before != null && arrival.sequence() < before.sequence()) {
                    wrong.add(arrival + " after " + before);
                }
            }
        }
        order(destination + ": first arrivals of each key in order", last.size(), wrong);
    }

    /** Of each key the last arrivals are in order, but for repeats by a relay that had lost its lease. */
    void lastArrivalsAreInOrder(String destination, List<Arrival> arrivals, SubscriptionHistory history) {
        Map<String, Arrival> lasts = new LinkedHashMap<>();
        for (Arrival arrival : arrivals) {
            boolean lateRepeat =
                    lasts.containsKey(arrival.messageId()) && history.isLate(arrival.relay(), arrival.atMillis());
            if (!lateRepeat) {
                lasts.remove(arrival.messageId()); // so that it moves to the end
                lasts.put(arrival.messageId(), arrival);
            }
        }
        Map<String, Arrival> last = new HashMap<>();
        List<String> wrong = new ArrayList<>();
        for (Arrival arrival : lasts.values()) {
            Arrival before = last.put(arrival.key(), arrival);
            if (before != null && arrival.sequence() < before.sequence()) {
                wrong.add(arrival + " after " + before);
            }
        }
        order(destination + ": last arrivals of each key in order", last.size(), wrong);
    }

    /** Each key can be read in order, whatever comes in between: what overtook another one arrives again after it. */
    void eachKeyArrivesInOrder(String destination, List<Arrival> arrivals) {
        Map<String, Long> reached = new HashMap<>();
        for (Arrival arrival : arrivals) {
            reached.computeIfPresent(arrival.key(), (key, n) -> arrival.sequence() == n + 1 ? n + 1 : n);
            reached.putIfAbsent(arrival.key(), arrival.sequence() == 1 ? 1L : 0L);
        }
        Map<String, Long> newest = new HashMap<>();
        written.values().forEach(m -> newest.merge(m.key(), m.sequence(), Math::max));
        List<String> wrong = newest.entrySet().stream()
                .filter(key -> !key.getValue().equals(reached.get(key.getKey())))
                .map(key ->
                        key.getKey() + " arrived in order up to " + reached.get(key.getKey()) + " of " + key.getValue())
                .toList();
        order(destination + ": each key arrives in order", newest.size(), wrong);
    }

    private void order(String name, int keys, List<String> wrong) {
        add(name, "%,d keys, %,d out of order".formatted(keys, wrong.size()), wrong);
    }

    /**
     * Each poison message, and nothing else, is a dead letter, whole, and has become one once.
     *
     * @param unchanged ids of dead letters that hold the message as it was written
     * @param entered how often each id became a dead letter
     * @param arrivals no poison message may be among them
     */
    void deadLettersAreConserved(
            String destination, List<Long> unchanged, Map<Long, Integer> entered, List<Arrival> arrivals) {
        Set<Long> poison = new TreeSet<>();
        Map<Long, WrittenMessage> byId = new HashMap<>();
        for (WrittenMessage message : written.values()) {
            byId.put(message.id(), message);
            if (message.kind() == Kind.poison) {
                poison.add(message.id());
            }
        }
        List<String> wrong = new ArrayList<>();
        poison.stream()
                .filter(id -> !unchanged.contains(id))
                .forEach(id -> wrong.add("no dead letter: " + byId.get(id)));
        entered.forEach((id, times) -> {
            if (!poison.contains(id)) {
                wrong.add("dead without reason: " + byId.get(id));
            } else if (times != 1) {
                wrong.add("dead " + times + " times: " + byId.get(id));
            }
        });
        arrivals.stream()
                .map(arrival -> written.get(arrival.messageId()))
                .filter(message -> message != null && poison.contains(message.id()))
                .forEach(message -> wrong.add("dead and delivered: " + message));
        add(
                destination + ": dead letters conserved",
                "%,d poison messages, %,d dead letters".formatted(poison.size(), entered.size()),
                wrong);
    }

    /** @param forbidden changes of a subscription that must never happen */
    void nobodyAcknowledgesAfterLosingTheLease(long epochs, List<String> forbidden) {
        add(
                "no acknowledgement by a relay that lost its lease",
                "%,d epochs, %,d forbidden changes".formatted(epochs, forbidden.size()),
                forbidden);
    }

    /** @param problem what did not go well; empty if all did */
    void holds(String name, String figure, List<String> problem) {
        add(name, figure, problem);
    }
}
