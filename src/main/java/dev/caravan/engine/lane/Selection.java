package dev.caravan.engine.lane;

import dev.caravan.base.message.Message;
import dev.caravan.base.message.TypePatterns;
import dev.caravan.engine.schedule.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The messages of the tail that one lane delivers: those of its types, whose key belongs to it, without the content of those that are too large
 * for it. Decides as {@code read.sql} does. Thread-safe.
 */
public final class Selection {
    /** A bound for applications that write a new type with each message. */
    private static final int MOST_TYPES = 1_000;

    private final LaneSettings settings;
    private final int lane;
    private final Predicate<String> types;
    private final Map<String, Boolean> known = new ConcurrentHashMap<>();

    /** @param lane the number of the lane */
    public Selection(LaneSettings settings, int lane) {
        this.settings = settings;
        this.lane = lane;
        types = TypePatterns.matching(settings.types());
    }

    /** The messages of a step that the lane delivers, as a read of this lane would return them, and where it continues. */
    record Chosen(List<Message> messages, int end) {}

    /** @param from the place of the first message of the step that the lane has not taken */
    Chosen of(TailStep step, int from) {
        List<Message> chosen = new ArrayList<>();
        long bytes = 0;
        for (int place : places(step)) {
            if (place < from || !isOfLane(step.keyHashes(), place)) {
                continue;
            }
            Message message = step.messages().get(place);
            bytes += message.bytes();
            if (!chosen.isEmpty() && (chosen.size() == settings.batchSize() || bytes > settings.batchBytes())) {
                return new Chosen(chosen, place);
            }
            chosen.add(message.withoutMoreThan(settings.maxMessageBytes()));
        }
        return new Chosen(chosen, step.messages().size());
    }

    /** The places of the messages of its types, in ascending order. */
    private List<Integer> places(TailStep step) {
        List<List<Integer>> ofTypes = step.places().entrySet().stream()
                .filter(type -> isOfTypes(type.getKey()))
                .map(Map.Entry::getValue)
                .toList();
        return ofTypes.size() == 1
                ? ofTypes.get(0)
                : ofTypes.stream().flatMap(List::stream).sorted().toList();
    }

    /** Whether a step has something that the lane should know at once. */
    boolean isAnyOf(TailStep step) {
        if (settings.order() == Order.strict
                || !step.settled().isEmpty()
                || !step.lookUpAgain().isEmpty()) {
            return true; // missing ids may hold back messages
        }
        if (settings.lanes() > 1) {
            return !of(step, 0).messages().isEmpty();
        }
        for (String type : step.places().keySet()) { // no stream: each lane is asked at each step
            if (isOfTypes(type)) {
                return true;
            }
        }
        return false;
    }

    private boolean isOfTypes(String type) {
        Boolean before = known.get(type); // locks nothing
        if (before != null) {
            return before;
        }
        if (known.size() >= MOST_TYPES) {
            known.clear();
        }
        return known.computeIfAbsent(type, types::test);
    }

    /** As the function {@code outbox_lane}. */
    private boolean isOfLane(long[] keyHashes, int place) {
        return settings.lanes() == 1 || (keyHashes[place] & Long.MAX_VALUE) % settings.lanes() == lane;
    }
}
