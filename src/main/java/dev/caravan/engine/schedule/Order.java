package dev.caravan.engine.schedule;

import dev.caravan.base.message.Message;

/** The order in which the messages of a subscription are delivered. */
public enum Order {
    /** By id within each key; different keys run in parallel. */
    key,
    /** By id within the whole subscription; waits at a missing id and at a failure. */
    strict,
    /** No order: a failure blocks no other message. */
    none;

    /** The key of the queue of a message. Messages of the same queue wait for each other. */
    Object queueOf(Message message) {
        return switch (this) {
            case key -> message.key();
            case strict -> strict;
            case none -> message.id();
        };
    }
}
