package dev.caravan.test;

import dev.caravan.base.message.Message;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The lanes of all tested routes. */
record TestLanes(List<TestLane> all) {
    boolean isEmpty() {
        return all.isEmpty();
    }

    void each(Consumer<TestLane> step) {
        all.forEach(step);
    }

    /** Adds a message to the lanes of the routes that read its type. */
    List<RouteMessage> add(Message row) {
        return all.stream()
                .filter(lane -> lane.route().reads(row.type()))
                .map(lane -> lane.add(row))
                .toList();
    }

    boolean mayRetry() {
        return all.stream().anyMatch(TestLane::mayRetry);
    }

    /** The largest number of attempts that a message may have. */
    int maxAttempts() {
        return all.stream().mapToInt(lane -> lane.policy().maxAttempts()).max().orElse(0);
    }

    /** A description of the first message that waits; empty if none does. */
    String firstWaiting() {
        return all.stream()
                .flatMap(TestLane::waiting)
                .map(RouteMessage::describe)
                .findFirst()
                .orElse("");
    }

    /** Why the messages of a key did not arrive in order, or cannot be compared; empty if they arrived in order. */
    Optional<String> problemOfOrder(String key) {
        boolean compared = false;
        for (TestLane lane : all) {
            List<Long> order = lane.deliveredOf(key);
            compared |= order.size() > 1;
            if (!order.equals(order.stream().sorted().toList())) {
                return Optional.of("Expected the messages of key " + key + " in order, but route "
                        + lane.route().id() + " delivered them in the order "
                        + order.stream().map(String::valueOf).collect(Collectors.joining(", "))
                        + ". Its subscription has order=" + lane.order() + ".");
            }
        }
        return compared
                ? Optional.empty()
                : Optional.of("Expected messages of key " + key + " in order, but no route has delivered two of them:"
                        + all.stream()
                                .flatMap(TestLane::all)
                                .map(message ->
                                        "\n  " + Report.subject(message) + " " + Report.predicate(message) + ".")
                                .collect(Collectors.joining()));
    }

    /** The message types that each route reads, as text. */
    String readers() {
        return all.stream()
                .map(TestLane::route)
                .map(route -> route.id() + " reads " + route.types())
                .collect(Collectors.joining("; "));
    }
}
