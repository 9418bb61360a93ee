package dev.caravan.http;

import dev.caravan.audit.Via;
import java.util.Optional;

/**
 * Who sends a request.
 *
 * @param name the name of the person if it is known; empty for a token, and for a request from this machine without one
 */
public record Caller(Optional<String> name, Role role, Via via) {
    static final Caller LOCAL = new Caller(Optional.empty(), Role.ADMIN, Via.LOCAL);

    static Caller token(Role role) {
        return new Caller(Optional.empty(), role, Via.TOKEN);
    }

    /** @throws HttpProblem unless the role of the caller includes this one */
    void require(Role needed) {
        if (!role.includes(needed)) {
            throw new HttpProblem(
                    403,
                    "This needs the role " + needed + ", and " + name.orElse("the token") + " has the role " + role
                            + ". Nothing was changed.");
        }
    }
}
