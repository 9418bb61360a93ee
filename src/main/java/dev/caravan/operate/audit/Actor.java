package dev.caravan.operate.audit;

import java.util.Optional;

/**
 * The person who makes a change and the reason, for the audit.
 *
 * @param who name of the person; not blank
 * @param via how the person made the change
 * @param reason the reason given by the person
 */
public record Actor(String who, Via via, Optional<String> reason) {
    public Actor {
        if (who.isBlank()) {
            throw new IllegalArgumentException("who must not be empty");
        }
    }

    /** A person who uses the command line. */
    public Actor(String who, Optional<String> reason) {
        this(who, Via.COMMAND, reason);
    }
}
