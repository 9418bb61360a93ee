package dev.caravan.lab.history;

/** What happens at a statement of a relay. */
enum StatementOutcome {
    /** It is executed and answered. */
    EXECUTED,
    /** The connection is lost before it is executed. */
    LOST,
    /** It is executed, and the connection is lost before the answer. */
    NOT_ANSWERED,
    /** The connection is lost; the server does not notice, and its transaction stays open. */
    CUT,
    /** The server answers with an error that the data did not cause. */
    REJECTED,
    /** The server answers with an error that the data caused. */
    REJECTED_DATA,
    /** The relay is killed before it is executed. */
    KILLED
}
