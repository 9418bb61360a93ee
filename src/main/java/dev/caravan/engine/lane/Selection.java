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

    LaneSettings settings() {
        return settings;
    }

    /**
     * The next messages of a step, as a read of this lane would return them: others have only their ids.
     *
     * @param from the index of the first message
     */
    List<Message> of(TailStep step, int from) {
        List<Message> messages = step.messages();
        List<Message> chosen = new ArrayList<>(Math.min(messages.size() - from, settings.batchSize()));
        int selected = 0;
        long bytes = 0;
        for (int i = from; i < messages.size(); i++) {
            Message message = messages.get(i);
            if (!isSelected(message, step.keyHashes(), i)) {
                chosen.add(message.isSelected() ? Message.notSelected(message.id()) : message);
                continue;
            }
            bytes += message.bytes();
            if (++selected > 1 && (selected > settings.batchSize() || bytes > settings.batchBytes())) {
                return chosen;
            }
            chosen.add(message.withoutMoreThan(settings.maxMessageBytes()));
        }
        return chosen;
    }

    /** Whether a step has something that the lane should know at once. */
    boolean isAnyOf(TailStep step) {
        if (settings.order() == Order.strict
                || !step.settled().isEmpty()
                || !step.lookUpAgain().isEmpty()) {
            return true; // missing ids may hold back messages
        }
        for (int i = 0; i < step.messages().size(); i++) {
            if (isSelected(step.messages().get(i), step.keyHashes(), i)) {
                return true;
            }
        }
        return false;
    }

    private boolean isSelected(Message message, long[] keyHashes, int index) {
        return message.isSelected() && isOfTypes(message.type()) && isOfLane(keyHashes, index);
    }

    private boolean isOfTypes(String type) {
        if (known.size() >= MOST_TYPES) {
            known.clear();
        }
        return known.computeIfAbsent(type, types::test);
    }

    /** As the function {@code outbox_lane}. */
    private boolean isOfLane(long[] keyHashes, int index) {
        return settings.lanes() == 1 || (keyHashes[index] & Long.MAX_VALUE) % settings.lanes() == lane;
    }
}
