package dev.caravan.lab.demo;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.text.Formatted;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The result of a demo, computed from the arrivals.
 *
 * @param committed messages that the application has committed, as it counted them
 * @param inOutbox messages in the outbox table
 * @param rolledBack messages that the application inserted and rolled back
 */
@JsonPropertyOrder({"good", "seed", "seconds", "committed", "inOutbox", "rolledBack", "destinations"})
record Verdict(long seed, double seconds, long committed, long inOutbox, long rolledBack, List<Tally> destinations) {

    static List<Tally> tallies(Map<String, SentMessage> sent, Map<DemoDestination, RecordedArrivals> arrivals) {
        return Arrays.stream(DemoDestination.values())
                .map(destination ->
                        Tally.of(destination, sent, arrivals.get(destination).inOrder()))
                .toList();
    }

    /** Whether exactly the committed messages arrived at their destinations, in order per key. */
    @JsonProperty
    boolean good() {
        return committed == inOutbox && destinations.stream().allMatch(Tally::good);
    }

    String toJson() {
        try {
            return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("A record of texts and numbers is always JSON", e);
        }
    }

    String toText() {
        String header = "%-15s %9s %9s %8s %11s %13s %13s %8s"
                .formatted(
                        "destination",
                        "expected",
                        "arrived",
                        "missing",
                        "unexpected",
                        "misaddressed",
                        "out of order",
                        "repeats");
        String rows = destinations.stream()
                .map(tally -> "%-15s %9d %9d %8d %11d %13d %13d %8d"
                        .formatted(
                                tally.destination(),
                                tally.expected(),
                                tally.arrived(),
                                tally.missing(),
                                tally.unexpected(),
                                tally.misaddressed(),
                                tally.outOfOrder(),
                                tally.repeats()))
                .collect(Collectors.joining("\n"));
        return "%s committed, %d rolled back, in %.1f s (seed %d)\n%s\n%s\n%s"
                .formatted(
                        Formatted.counted(committed, "message"), rolledBack, seconds, seed, header, rows, conclusion());
    }

    private String conclusion() {
        if (committed != inOutbox) {
            return "NOT GOOD: the application committed " + Formatted.counted(committed, "message")
                    + ", but the outbox holds " + inOutbox + ".";
        }
        return good()
                ? "Good: every committed message arrived at all its destinations, in order per booking."
                : "NOT GOOD: see the columns missing, unexpected, misaddressed and out of order.";
    }
}
