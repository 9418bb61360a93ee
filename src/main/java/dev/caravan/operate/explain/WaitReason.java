package dev.caravan.operate.explain;

import java.time.Instant;
import java.util.Optional;

/**
 * One reason why a message is not delivered.
 *
 * @param text a sentence without content of a message
 * @param since since when, if known
 * @param next what to run next: a command or an SQL statement
 */
public record WaitReason(Cause cause, String text, Optional<Instant> since, Optional<String> next) {
    static WaitReason of(Cause cause, String text) {
        return new WaitReason(cause, text, Optional.empty(), Optional.empty());
    }

    WaitReason since(Instant time) {
        return new WaitReason(cause, text, Optional.ofNullable(time), next);
    }

    WaitReason next(String command) {
        return new WaitReason(cause, text, since, Optional.of(command));
    }
}
