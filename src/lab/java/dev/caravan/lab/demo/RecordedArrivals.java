package dev.caravan.lab.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The arrivals at one destination, in the order of first arrival. Thread-safe. */
final class RecordedArrivals {
    private static final int SAMPLES = 3;

    private final Map<String, Arrival> byMessageId = new LinkedHashMap<>();
    private final Deque<String> samples = new ArrayDeque<>();

    /**
     * @param messageId as received
     * @param address of the receiver
     * @param sample one line for people
     */
    synchronized void add(String messageId, String address, String sample) {
        byMessageId.merge(messageId, new Arrival(address, 1), Arrival::and);
        samples.addLast(sample);
        if (samples.size() > SAMPLES) {
            samples.removeFirst();
        }
    }

    /** The number of different messages that arrived. */
    synchronized int size() {
        return byMessageId.size();
    }

    /** The last few arrivals, oldest first. */
    synchronized List<String> samples() {
        return List.copyOf(samples);
    }

    /** A copy by message id, in the order of first arrival. */
    synchronized Map<String, Arrival> inOrder() {
        return new LinkedHashMap<>(byMessageId);
    }

    /** @param address of the receiver; several, separated by commas, if repeats had other receivers */
    record Arrival(String address, int times) {
        private Arrival and(Arrival repeat) {
            String both = address.equals(repeat.address) ? address : address + "," + repeat.address;
            return new Arrival(both, times + repeat.times);
        }
    }
}
