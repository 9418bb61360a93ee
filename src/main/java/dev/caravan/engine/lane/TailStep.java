package dev.caravan.engine.lane;

import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.IdRanges;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one read of the tail has shown. The lanes that follow the tail take its steps one after the other. Immutable: all lanes share it.
 *
 * @param number the number of the read; reads that showed nothing have no step
 * @param lookUpAgain missing ids that were left out, and that this read and the next ones look up again
 * @param messages in ascending order of id; those that no lane selects have only their ids
 * @param keyHashes the hash of the key of each message, as the database computes it; empty if no subscription has several lanes
 * @param ids the ids of the messages
 * @param places the places of the messages of each type, in ascending order
 * @param settled missing ids that will never appear
 * @param leftOut missing ids that the next reads leave out
 * @param coveredTo the id up to which the read has shown every visible message that it looked up
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record TailStep(
        long number,
        IdRanges lookUpAgain,
        List<Message> messages,
        long[] keyHashes,
        IdRanges ids,
        Map<String, List<Integer>> places,
        IdRanges settled,
        IdRanges leftOut,
        long coveredTo) {
    private static final IdRanges NONE = new IdRanges();

    TailStep(long number, IdRanges lookUpAgain, Found found, long[] keyHashes, long coveredTo) {
        this(
                number,
                lookUpAgain,
                found.messages(),
                keyHashes,
                new IdRanges(),
                new HashMap<>(),
                found.settled(),
                found.leftOut(),
                coveredTo);
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            ids.add(message.id());
            if (message.isSelected()) {
                places.computeIfAbsent(message.type(), type -> new ArrayList<>())
                        .add(i);
            }
        }
    }

    /**
     * Several steps as one, for a lane that selects none of their messages.
     *
     * @param steps in ascending order, without {@code lookUpAgain} and {@code settled}
     */
    static TailStep together(List<TailStep> steps) {
        IdRanges ids = new IdRanges();
        IdRanges leftOut = new IdRanges();
        long coveredTo = 0;
        for (TailStep step : steps) {
            ids.addAll(step.ids());
            leftOut.addAll(step.leftOut());
            coveredTo = Math.max(coveredTo, step.coveredTo());
        }
        TailStep last = steps.get(steps.size() - 1);
        return new TailStep(last.number(), NONE, List.of(), new long[0], ids, Map.of(), NONE, leftOut, coveredTo);
    }

    /** The ids of the messages from one place to another, which is excluded. */
    IdRanges ids(int from, int to) {
        if (from == 0 && to == messages.size()) {
            return ids;
        }
        IdRanges part = new IdRanges();
        messages.subList(from, to).forEach(message -> part.add(message.id()));
        return part;
    }

    /** Approximate size in memory, in bytes. */
    long bytes() {
        long bytes = 0;
        for (Message message : messages) {
            bytes += message.bytes();
        }
        return bytes;
    }

    /** Whether lanes need not take this step. */
    boolean isEmpty() {
        return messages.isEmpty() && lookUpAgain.isEmpty() && settled.isEmpty() && leftOut.isEmpty();
    }
}
