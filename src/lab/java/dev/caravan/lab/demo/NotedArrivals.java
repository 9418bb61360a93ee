package dev.caravan.lab.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What arrived at one destination, in the order of first arrival. Safe for several threads. */
final class NotedArrivals {
    private static final int SAMPLES = 3;

    private final Map<String, Arrival> byMessageId = new LinkedHashMap<>();
    private final Deque<String> samples = new ArrayDeque<>();

    /**
     * @param messageId as the receiver saw it
     * @param address to whom it went
     * @param sample one line to show to people
     */
    synchronized void add(String messageId, String address, String sample) {
        byMessageId.merge(messageId, new Arrival(address, 1), Arrival::and);
        samples.addLast(sample);
        if (samples.size() > SAMPLES) {
            samples.removeFirst();
        }
    }

    /** How many different messages arrived. */
    synchronized int size() {
        return byMessageId.size();
    }

    /** The last few arrivals, oldest first. */
    synchronized List<String> samples() {
        return List.copyOf(samples);
    }

    /** A copy, by message id in order of first arrival. */
    synchronized Map<String, Arrival> inOrder() {
        return new LinkedHashMap<>(byMessageId);
    }

    /** @param address where it went; several, separated by commas, when repeats went elsewhere */
    record Arrival(String address, int times) {
        private Arrival and(Arrival repeat) {
            String both = address.equals(repeat.address) ? address : address + "," + repeat.address;
            return new Arrival(both, times + repeat.times);
        }
    }
}
