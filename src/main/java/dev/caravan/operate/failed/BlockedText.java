package dev.caravan.operate.failed;

import dev.caravan.base.text.Formatted;
import dev.caravan.operate.failed.Retries.Blocker;

/** Explains why a blocked message cannot be retried or given up, and what to do instead. */
public final class BlockedText {
    private static final int LONGEST_KEY = 200;

    private BlockedText() {}

    public static String of(WaitingSummary message, Blocker blocker) {
        String blocked = message.subscription() + " " + message.id() + " is blocked: ";
        String key = "its key " + Formatted.line(message.key().toString(), LONGEST_KEY);
        if (blocker.waiting().isPresent()) {
            return blocked + "it waits for message " + blocker.waiting().getAsLong() + " of " + key
                    + ". Retry or give up that message.";
        }
        if (blocker.dead().isPresent()) {
            return blocked + key + " has the dead letter " + blocker.dead().getAsLong()
                    + ". With onDead=block or order=strict, retry or discard the dead letter; otherwise the message is"
                    + " delivered soon.";
        }
        return blocked + "the message that it waited for is finished, and it is delivered soon.";
    }
}
