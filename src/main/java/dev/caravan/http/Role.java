package dev.caravan.http;

import java.util.Locale;

/** What somebody may do. */
public enum Role {
    /** Everything. */
    OPERATOR,
    /** Look, but not at payloads. */
    READER;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
