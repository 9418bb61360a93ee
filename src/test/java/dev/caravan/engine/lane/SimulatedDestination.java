package dev.caravan.engine.lane;

import dev.caravan.base.message.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The destination of a simulation: the messages that arrived, in the order of arrival. */
final class SimulatedDestination {
    /** @param start a number that grows with each attempt that starts */
    record Arrival(Message message, long start) {}

    private final List<Arrival> arrivals = new ArrayList<>();
    private final Set<Long> ids = new HashSet<>();
    private long starts;

    /** An attempt starts; returns its number. */
    long starts() {
        return ++starts;
    }

    void arrived(Message message, long start) {
        arrivals.add(new Arrival(message, start));
        ids.add(message.id());
    }

    boolean has(long id) {
        return ids.contains(id);
    }

    List<Arrival> arrivals() {
        return arrivals;
    }

    /** The messages in the order in which each arrived for the first time. */
    List<Message> firstArrivals() {
        Set<Long> seen = new HashSet<>();
        return arrivals.stream()
                .map(Arrival::message)
                .filter(message -> seen.add(message.id()))
                .toList();
    }
}
