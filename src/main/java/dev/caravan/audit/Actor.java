package dev.caravan.audit;

import java.util.Optional;

/**
 * Who changes something, and why; both go into the audit.
 *
 * @param who the person
 * @param reason in the words of the person
 */
public record Actor(String who, Optional<String> reason) {
    public Actor {
        if (who.isBlank()) {
            throw new IllegalArgumentException("who must not be empty");
        }
    }
}
