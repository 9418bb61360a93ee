package dev.caravan.engine.lane;

import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.IdRanges;
import java.util.List;

/**
 * What one read of the tail has shown. The lanes that follow the tail take its steps one after the other. Immutable: all lanes share it.
 *
 * @param number the number of the read; reads that showed nothing have no step
 * @param lookUpAgain missing ids that were left out, and that this read and the next ones look up again
 * @param messages in ascending order of id; those that no lane selects have only their ids
 * @param keyHashes the hash of the key of each message, as the database computes it; empty if no subscription has several lanes
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
        IdRanges settled,
        IdRanges leftOut,
        long coveredTo) {

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
