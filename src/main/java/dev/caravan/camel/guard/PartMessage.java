package dev.caravan.camel.guard;

import org.apache.camel.Message;

/** A message of a batch. If a part of a split contains it, a failure of the part is a failure of this message only. */
public interface PartMessage {
    /**
     * Records the end of its part.
     *
     * @param result the message after the steps of the part
     * @param fault why the part failed; null if it did not
     */
    void partEnded(Message result, Fault fault);

    /** Whether an earlier message of its key in the batch has failed. This one is then sent again after it. */
    boolean isBehindFailed();
}
