package dev.caravan.torture;

/** What the HTTP destination makes of a message when it is well. */
enum Kind {
    plain,
    /** Refused with 400 for ever. */
    poison,
    /** Refused with 500 at first. */
    failing
}
