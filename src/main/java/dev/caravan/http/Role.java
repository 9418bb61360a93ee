package dev.caravan.http;

import java.util.Locale;

/** The rights of a request. */
public enum Role {
    /** May read and change everything. */
    OPERATOR,
    /** May read everything except payloads and header values. */
    READER;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
