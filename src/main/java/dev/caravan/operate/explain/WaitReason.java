package dev.caravan.operate.explain;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One reason why a message is not delivered.
 *
 * @param text a sentence without content of a message
 * @param error the answer of the destination or the error behind it, if there is one
 * @param since since when, if known
 * @param next what to run next to find out more: a command or an SQL statement
 * @param remedies what a person can do about it; what is done most often comes first
 */
public record WaitReason(
        Cause cause,
        String text,
        Optional<String> error,
        Optional<Instant> since,
        Optional<String> next,
        List<Remedy> remedies) {
    /** The text with its error. */
    public String sentence() {
        return text + error.map(why -> ": " + why).orElse("");
    }

    static WaitReason of(Cause cause, String text) {
        return new WaitReason(cause, text, Optional.empty(), Optional.empty(), Optional.empty(), List.of());
    }

    WaitReason error(Optional<String> reason) {
        return new WaitReason(cause, text, reason, since, next, remedies);
    }

    WaitReason since(Instant time) {
        return new WaitReason(cause, text, error, Optional.ofNullable(time), next, remedies);
    }

    WaitReason next(String command) {
        return new WaitReason(cause, text, error, since, Optional.of(command), remedies);
    }

    WaitReason remedies(Remedy... all) {
        return new WaitReason(cause, text, error, since, next, List.of(all));
    }
}
