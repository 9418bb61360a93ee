package dev.caravan.console.http;

import java.util.Locale;

/** What a caller may do in an outbox. Each role includes the ones before it. */
public enum Role {
    /** May read everything except payloads and header values. */
    READ,
    /** May also read payloads and header values, and make changes that can be undone or deliver what is due: pause, retry, discard. */
    OPERATE,
    /** May also repeat and skip messages and change the number of lanes. */
    ADMIN;

    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
