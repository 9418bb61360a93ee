package dev.caravan.operate.audit;

import java.util.Locale;

/** The way in which a person made a change, which determines how far the name in the audit can be trusted. */
public enum Via {
    /** The command line: the name is as given. */
    COMMAND,
    /** The HTTP API of a relay without a token, from the same machine: the name is as given. */
    LOCAL,
    /** The HTTP API with a token: the name is as given by a holder of the token. */
    TOKEN,
    /** The HTTP API through a trusted proxy, which sent the name. */
    PROXY,
    /** The HTTP API after a sign-in with OpenID Connect; the provider signed the name. */
    OPENID;

    /** The value in the database and the API. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
