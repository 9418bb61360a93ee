package dev.caravan.lab.history;

/** What happens at a statement of a relay. */
enum Fate {
    /** It is executed and answered. */
    EXECUTED,
    /** The connection is lost before it. */
    LOST,
    /** It is executed, and the connection is lost before the answer. */
    NOT_ANSWERED,
    /** The connection is lost; the server does not notice, and its transaction stays open. */
    CUT,
    /** The server answers it with an error that has nothing to do with the data. */
    REJECTED,
    /** The server answers it with an error that blames the data. */
    REJECTED_DATA,
    /** The relay is killed before it. */
    KILLED
}
