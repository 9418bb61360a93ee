package dev.caravan.lab.torture;

import dev.caravan.base.text.Formatted;
import dev.caravan.lab.torture.fault.Failovers;
import dev.caravan.lab.torture.receiver.Arrival;
import dev.caravan.lab.torture.receiver.WrittenMessage;
import dev.caravan.lab.torture.stage.TortureDestination;
import dev.caravan.lab.torture.stage.TortureStage;
import dev.caravan.lab.torture.stage.TortureWriters;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** Checks all invariants against the written messages and the arrivals. No I/O. */
final class Invariants {
    /** Tolerance between times of Postgres and of receivers: they are rounded and read shortly after the event. */
    private static final long ROUNDING_MILLIS = 50;

    /**
     * Longer than any delay of a subscription whose destination has no fault: a lost relay or a lock in Postgres, followed by a
     * probe.
     */
    private static final long LONGEST_SILENCE_MILLIS = 60_000;

    /** A longer pause between arrivals means that another fault stops the destination. */
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    private static final int SHOWN_OF_A_LINE = 300;

    private final Map<String, WrittenMessage> written = new HashMap<>();
    private final List<Invariant> found = new ArrayList<>();

    Invariants(Collection<WrittenMessage> messages) {
        messages.forEach(message -> written.put(message.messageId(), message));
    }

    List<Invariant> found() {
        return List.copyOf(found);
    }

    void addAll(Invariants others) {
        found.addAll(others.found);
    }

    private void add(String name, String figure, List<String> violations) {
        found.add(new Invariant(name, figure, violations));
    }

    void nothingIsLost(TortureDestination destination, List<Arrival> arrivals) {
        Set<String> arrived = new HashSet<>();
        arrivals.forEach(arrival -> arrived.add(arrival.messageId()));
        List<WrittenMessage> due =
                written.values().stream().filter(destination::expects).toList();
        List<String> lost = due.stream()
                .filter(message -> !arrived.contains(message.messageId()))
                .map(Objects::toString)
                .toList();
        add(destination + ": nothing lost", "%,d committed, %,d lost".formatted(due.size(), lost.size()), lost);
    }

    /** @param rolledBack number of ids that were drawn and not committed */
    void nothingRolledBackArrives(TortureDestination destination, List<Arrival> arrivals, long rolledBack) {
        List<String> foreign = arrivals.stream()
                .filter(arrival -> !written.containsKey(arrival.messageId()))
                .map(Objects::toString)
                .toList();
        add(
                destination + ": nothing delivered that was rolled back",
                "%,d rolled back, %,d of them delivered".formatted(rolledBack, foreign.size()),
                foreign);
    }

    /** Checks that no dead letters and no messages of other types arrived. */
    void nothingElseArrives(TortureDestination destination, List<Arrival> arrivals) {
        List<String> wrong = arrivals.stream()
                .map(arrival -> written.get(arrival.messageId()))
                .filter(message -> message != null && !destination.expects(message))
                .map(Objects::toString)
                .toList();
        add(
                destination + ": nothing delivered that is dead or not selected",
                "%,d arrivals, %,d of these".formatted(arrivals.size(), wrong.size()),
                wrong);
    }

    /** Checks that a message id always identifies the same message. */
    void repeatsHaveTheSameId(TortureDestination destination, List<Arrival> arrivals) {
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
     * Checks that the relay that works the lane sends no message again after its acknowledgement, and that repeats are bounded: at
     * each interruption by the messages in flight, and at each takeover by the messages that can be delivered without a save
     * during the lease.
     *
     * @param interruptions faults and takeovers
     * @param failovers failovers that may have lost saves: what was delivered before one is delivered again after it
     */
    void repeatsAreExplained(
            TortureDestination destination,
            List<Arrival> arrivals,
            SubscriptionHistory history,
            long interruptions,
            List<Failovers.Failover> failovers) {
        Map<String, Arrival> seen = new HashMap<>();
        List<String> wrong = new ArrayList<>();
        int repeats = 0;
        for (Arrival arrival : arrivals) {
            WrittenMessage message = written.get(arrival.messageId());
            Arrival before = seen.put(arrival.messageId(), arrival);
            if (message != null && before != null) {
                if (!isSetBack(before, history.finishedAt(message.id()), failovers)) {
                    repeats++;
                }
                if (arrival.atMillis() - ROUNDING_MILLIS > history.finishedAt(message.id())
                        && !history.isLate(message.id(), arrival.relay(), arrival.atMillis())) {
                    wrong.add("repeated after its acknowledgement: " + arrival);
                }
            }
        }
        int unexplained = wrong.size();
        long bound = (long) destination.inFlight() * destination.lanes() * interruptions
                + mostWithinALease(arrivals) * history.epochs();
        if (repeats > bound) {
            wrong.add("repeats: %,d, at most %,d are explained".formatted(repeats, bound));
        }
        add(
                destination + ": repeats explained",
                "%s (at most %,d from %,d faults and takeovers), %,d after their acknowledgement"
                        .formatted(Formatted.counted(repeats, "repeat"), bound, interruptions, unexplained),
                wrong);
    }

    /** Whether the promoted server of a failover did not know that the message had been delivered before. */
    private static boolean isSetBack(Arrival before, long finishedAt, List<Failovers.Failover> failovers) {
        long lease = TortureStage.LEASE.toMillis();
        return failovers.stream()
                .anyMatch(f -> before.atMillis() - lease <= f.until() && finishedAt + ROUNDING_MILLIS >= f.from());
    }

    private static long mostWithinALease(List<Arrival> arrivals) {
        long[] times = sortedTimes(arrivals);
        int most = 0;
        int first = 0;
        for (int last = 0; last < times.length; last++) {
            while (times[last] - times[first] > TortureStage.LEASE.toMillis()) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }

    /** Checks that the first arrivals of each key are in order. */
    void firstArrivalsAreInOrder(TortureDestination destination, List<Arrival> arrivals) {
        add(destination, "first arrivals of each key in order", KeyOrder.ofFirst(arrivals));
    }

    /** Checks that the first arrivals of all messages are in order of id. */
    void allAreInOrder(TortureDestination destination, List<Arrival> arrivals) {
        List<String> wrong = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        WrittenMessage last = null;
        for (Arrival arrival : arrivals) {
            WrittenMessage message = written.get(arrival.messageId());
            if (message != null && seen.add(arrival.messageId())) {
                if (last != null && message.id() < last.id()) {
                    wrong.add(arrival + ", id " + message.id() + " after " + last);
                }
                last = message;
            }
        }
        add(
                destination + ": all in order of id",
                "%,d messages, %,d out of order".formatted(seen.size(), wrong.size()),
                wrong);
    }

    /** Checks that the last arrivals of each key are in order, except for repeats by a relay that had lost its lease. */
    void lastArrivalsAreInOrder(TortureDestination destination, List<Arrival> arrivals, SubscriptionHistory history) {
        add(
                destination,
                "last arrivals of each key in order",
                KeyOrder.ofLast(arrivals, arrival -> isLate(arrival, history)));
    }

    private boolean isLate(Arrival arrival, SubscriptionHistory history) {
        WrittenMessage message = written.get(arrival.messageId());
        return message != null && history.isLate(message.id(), arrival.relay(), arrival.atMillis());
    }

    /** Checks that each key can be read in order: a message that overtook another one arrives again after it. */
    void eachKeyArrivesInOrder(TortureDestination destination, List<Arrival> arrivals) {
        List<WrittenMessage> due =
                written.values().stream().filter(destination::expects).toList();
        add(destination, "each key arrives in order", KeyOrder.ofAll(due, arrivals));
    }

    private void add(TortureDestination destination, String name, KeyOrder order) {
        add(
                destination + ": " + name,
                Formatted.counted(order.keys(), "key")
                        + ", %,d out of order".formatted(order.wrong().size()),
                order.wrong());
    }

    /**
     * Checks that exactly the messages that the destination never accepts are dead letters, unchanged, each stored once.
     *
     * @param unchanged ids of dead letters that contain the message as it was written
     * @param entered number of times that each id became a dead letter
     */
    void deadLettersAreComplete(TortureDestination destination, List<Long> unchanged, Map<Long, Integer> entered) {
        Map<Long, WrittenMessage> expected = new TreeMap<>();
        written.values().stream().filter(destination::becomesDead).forEach(m -> expected.put(m.id(), m));
        List<String> wrong = new ArrayList<>();
        expected.forEach((id, message) -> {
            if (!unchanged.contains(id)) {
                wrong.add("no dead letter: " + message);
            }
        });
        entered.forEach((id, times) -> {
            if (!expected.containsKey(id)) {
                wrong.add("dead without reason: " + id);
            } else if (times != 1) {
                wrong.add("dead " + times + " times: " + expected.get(id));
            }
        });
        add(
                destination + ": dead letters complete",
                "%,d undeliverable messages, %,d dead letters".formatted(expected.size(), entered.size()),
                wrong);
    }

    /**
     * Checks that refused messages do not delay accepted ones: a time without arrivals counts only as far as messages arrive elsewhere,
     * because other faults stop all destinations.
     *
     * @param elsewhere the arrivals at the other destinations
     */
    void arrivalsContinue(TortureDestination destination, List<Arrival> arrivals, List<Arrival> elsewhere) {
        long[] times = sortedTimes(arrivals);
        long[] others = sortedTimes(elsewhere);
        long longest = 0;
        int other = 0;
        for (int i = 1; i < times.length; i++) {
            long active = 0;
            for (; other < others.length && others[other] < times[i]; other++) {
                long since = Math.max(times[i - 1], other == 0 ? Long.MIN_VALUE : others[other - 1]);
                active += Math.max(0, Math.min(others[other] - since, LONGEST_PAUSE_MILLIS));
            }
            longest = Math.max(longest, active);
        }
        add(
                destination + ": accepted messages are not delayed by refused ones",
                "%,d arrivals, the longest time with arrivals only elsewhere %,d ms".formatted(times.length, longest),
                longest <= LONGEST_SILENCE_MILLIS
                        ? List.of()
                        : List.of("nothing arrived for " + longest + " ms in which messages arrived elsewhere"));
    }

    private static long[] sortedTimes(List<Arrival> arrivals) {
        return arrivals.stream().mapToLong(Arrival::atMillis).sorted().toArray();
    }

    /** @param forbidden changes of a subscription that must never happen */
    void nobodyAcknowledgesAfterLosingTheLease(long epochs, List<String> forbidden) {
        add(
                "no acknowledgement by a relay that lost its lease",
                "%,d epochs, %,d forbidden changes".formatted(epochs, forbidden.size()),
                forbidden);
    }

    /**
     * Checks that Postgres has each transaction whose commit it acknowledged.
     *
     * @param acknowledged the highest acknowledged sequence number of each key
     */
    void acknowledgedCommitsSurvive(Map<String, Long> acknowledged) {
        Map<String, Long> last = new HashMap<>();
        written.values().forEach(message -> last.merge(message.key(), message.sequence(), Math::max));
        List<String> wrong = acknowledged.entrySet().stream()
                .filter(key -> last.getOrDefault(key.getKey(), 0L) < key.getValue())
                .map(key -> key.getKey() + " ends with " + last.get(key.getKey()) + " and not with " + key.getValue())
                .toList();
        add(
                "no acknowledged commit is missing in the database",
                "%s, %,d with a loss".formatted(Formatted.counted(acknowledged.size(), "key"), wrong.size()),
                wrong);
    }

    /** @param log lines of the relays; they may name messages only by id */
    void noPayloadIsLogged(List<String> log) {
        List<String> wrong = log.stream()
                .filter(line -> line.contains(TortureWriters.IN_EVERY_PAYLOAD))
                .map(line -> line.substring(0, Math.min(line.length(), SHOWN_OF_A_LINE)))
                .toList();
        add("no payload in the logs", "%,d lines, %,d with payload".formatted(log.size(), wrong.size()), wrong);
    }

    /** @param problem text of the problem; empty if there was none */
    void holds(String name, String figure, List<String> problem) {
        add(name, figure, problem);
    }
}
