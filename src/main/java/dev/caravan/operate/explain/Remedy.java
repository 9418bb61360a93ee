package dev.caravan.operate.explain;

import java.util.Locale;
import java.util.Optional;

/**
 * What a person can do about a reason.
 *
 * @param message the message to which it is done; empty if it concerns the subscription
 * @param command the command that does it
 */
public record Remedy(Action action, Optional<Long> message, String command) {
    /** The changes that a person can make. */
    public enum Action {
        RETRY_DEAD_LETTER("dead-letters retry", ""),
        DISCARD_DEAD_LETTER("dead-letters discard", " --reason TEXT"),
        UNDO_DISCARD("dead-letters undo-discard", ""),
        RETRY_NOW("retries retry", ""),
        GIVE_UP("retries give-up", " --reason TEXT"),
        RESUME("subscriptions resume", ""),
        RESUME_HALTED("subscriptions resume", " --after ID"),
        RESUME_INTAKE("intake resume", "");

        private final String command;
        private final String options;

        Action(String command, String options) {
            this.command = command;
            this.options = options;
        }

        /** {@code retry-dead-letter}. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    static Remedy of(Action action, String subscription) {
        return new Remedy(action, Optional.empty(), command(action, subscription));
    }

    static Remedy of(Action action, String subscription, long message) {
        return new Remedy(action, Optional.of(message), command(action, subscription + " " + message));
    }

    private static String command(Action action, String what) {
        return "./caravan " + action.command + " " + what + action.options;
    }
}
