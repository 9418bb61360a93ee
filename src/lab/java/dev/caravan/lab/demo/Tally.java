package dev.caravan.lab.demo;

import dev.caravan.lab.demo.RecordedArrivals.Arrival;
import java.util.HashMap;
import java.util.Map;

/**
 * Compares sent messages with the arrivals at one destination.
 *
 * @param unexpected arrivals that were rolled back, never sent, or not for this destination
 * @param misaddressed arrivals at another key, number or address than intended
 * @param outOfOrder first arrivals after a later message of their key
 * @param repeats arrivals beyond the first of each message; allowed after a crash
 */
record Tally(
        String destination,
        long expected,
        long arrived,
        long missing,
        long unexpected,
        long misaddressed,
        long outOfOrder,
        long repeats) {

    static Tally of(DemoDestination destination, Map<String, SentMessage> sent, Map<String, Arrival> arrivals) {
        long expected = sent.values().stream()
                .filter(message -> destination.expects(message.type()))
                .count();
        long arrived = 0;
        long unexpected = 0;
        long misaddressed = 0;
        long outOfOrder = 0;
        long repeats = 0;
        Map<String, Long> highest = new HashMap<>();
        for (var entry : arrivals.entrySet()) {
            SentMessage message = sent.get(entry.getKey());
            repeats += entry.getValue().times() - 1;
            if (message == null || !destination.expects(message.type())) {
                unexpected++;
                continue;
            }
            arrived++;
            misaddressed +=
                    destination.addressOf(message).equals(entry.getValue().address()) ? 0 : 1;
            outOfOrder += message.seq() < highest.getOrDefault(message.key(), 0L) ? 1 : 0;
            highest.merge(message.key(), message.seq(), Math::max);
        }
        return new Tally(
                destination.title(),
                expected,
                arrived,
                expected - arrived,
                unexpected,
                misaddressed,
                outOfOrder,
                repeats);
    }

    boolean good() {
        return missing == 0 && unexpected == 0 && misaddressed == 0 && outOfOrder == 0;
    }
}
