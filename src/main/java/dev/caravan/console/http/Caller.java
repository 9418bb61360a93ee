package dev.caravan.console.http;

import dev.caravan.operate.audit.Via;
import java.util.Optional;

/**
 * Who sends a request.
 *
 * @param name the name of the person if it is known; empty for a token, and for a request from this machine without a token
 */
public record Caller(Optional<String> name, Rights rights, Via via) {
    static final Caller LOCAL = new Caller(Optional.empty(), Rights.of(Role.ADMIN, OutboxNames.ALL), Via.LOCAL);

    static Caller token(Rights rights) {
        return new Caller(Optional.empty(), rights, Via.TOKEN);
    }

    /** The role in this outbox. @throws HttpProblem if there is none */
    public Role in(String outbox) {
        return rights.in(outbox)
                .orElseThrow(() -> new HttpProblem(
                        403, name.orElse("The token") + " has no role in this outbox. Nothing was changed."));
    }

    /** @throws HttpProblem unless the role of the caller in this outbox includes the needed one */
    void require(Role needed, String outbox) {
        Role role = in(outbox);
        if (!role.includes(needed)) {
            throw new HttpProblem(
                    403,
                    "This operation needs the role " + needed + ", and " + name.orElse("the token") + " has the role "
                            + role + ". Nothing was changed.");
        }
    }
}
