package dev.caravan.console.http;

import java.util.List;
import java.util.Optional;

/** The rights of a caller. A caller can have different roles in different outboxes of the database. */
public record Rights(List<Grant> grants) {
    /** A role in some outboxes. */
    public record Grant(Role role, OutboxNames outboxes) {}

    static Rights of(Role role, OutboxNames outboxes) {
        return new Rights(List.of(new Grant(role, outboxes)));
    }

    /** The highest role in this outbox; empty if there is none. */
    public Optional<Role> in(String outbox) {
        return grants.stream()
                .filter(grant -> grant.outboxes().includes(outbox))
                .map(Grant::role)
                .max(Role::compareTo);
    }

    /** The highest role in any outbox. */
    public Role highest() {
        return grants.stream().map(Grant::role).max(Role::compareTo).orElse(Role.READ);
    }
}
