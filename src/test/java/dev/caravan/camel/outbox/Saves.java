package dev.caravan.camel.outbox;

import dev.caravan.engine.store.SubscriptionStore;

/** Recognizes the transactions of saves: reads of waiting messages are transactions too. */
final class Saves {
    private Saves() {}

    /** Whether this thread is saving progress together with changes of messages. */
    static boolean isSaving() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(SubscriptionStore.class.getName())
                        && frame.getMethodName().equals("saveWithChanges")));
    }
}
