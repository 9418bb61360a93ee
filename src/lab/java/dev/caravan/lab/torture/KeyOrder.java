package dev.caravan.lab.torture;

import dev.caravan.lab.torture.receiver.Arrival;
import dev.caravan.lab.torture.receiver.WrittenMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Whether the messages of each key arrived in order.
 *
 * @param keys number of keys
 * @param wrong one line for each violation
 */
record KeyOrder(int keys, List<String> wrong) {
    private static final Deque<Long> NOTHING = new ArrayDeque<>();

    /** The order of the first arrivals. */
    static KeyOrder ofFirst(List<Arrival> arrivals) {
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
        return new KeyOrder(last.size(), wrong);
    }

    /**
     * The order of the last arrivals.
     *
     * @param isLate whether the relay had lost its lease: its repeats may be out of order
     */
    static KeyOrder ofLast(List<Arrival> arrivals, Predicate<Arrival> isLate) {
        Map<String, Arrival> lasts = new LinkedHashMap<>();
        Set<Arrival> repeats = new HashSet<>();
        for (Arrival arrival : arrivals) {
            if (lasts.remove(arrival.messageId()) != null) { // so that it moves to the end
                repeats.add(arrival);
            }
            lasts.put(arrival.messageId(), arrival);
        }
        Map<String, Arrival> newest = new HashMap<>();
        List<String> wrong = new ArrayList<>();
        for (Arrival arrival : lasts.values()) {
            Arrival before = newest.get(arrival.key());
            if (before == null || before.sequence() < arrival.sequence()) {
                newest.put(arrival.key(), arrival);
            } else if (!repeats.contains(arrival) || !isLate.test(arrival)) {
                wrong.add(arrival + " after " + before);
            }
        }
        return new KeyOrder(newest.size(), wrong);
    }

    /** The order in which each key can be read: a message that overtook another one arrives again after it. */
    static KeyOrder ofAll(Collection<WrittenMessage> written, List<Arrival> arrivals) {
        Map<String, Deque<Long>> due = new HashMap<>();
        written.stream()
                .sorted(Comparator.comparingLong(WrittenMessage::sequence))
                .forEach(m ->
                        due.computeIfAbsent(m.key(), key -> new ArrayDeque<>()).add(m.sequence()));
        for (Arrival arrival : arrivals) {
            Deque<Long> next = due.getOrDefault(arrival.key(), NOTHING);
            if (!next.isEmpty() && next.peek() == arrival.sequence()) {
                next.remove();
            }
        }
        List<String> wrong = due.entrySet().stream()
                .filter(key -> !key.getValue().isEmpty())
                .map(key -> key.getKey() + " arrived in order up to "
                        + key.getValue().peek())
                .toList();
        return new KeyOrder(due.size(), wrong);
    }
}
