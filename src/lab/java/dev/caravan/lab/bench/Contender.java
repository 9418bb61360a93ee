package dev.caravan.lab.bench;

import java.io.IOException;
import java.sql.SQLException;

/** One way to move the messages of an outbox to a Kafka topic, as a program of its own. */
interface Contender {
    /** As it is called in tables. */
    String name();

    /** How many of so many messages it is given: fewer to one that would take all day. */
    int messages(int asked);

    /** What it needs in a filled outbox, before the clock runs. */
    void prepare(Outbox outbox) throws SQLException;

    /** Starts it on a prepared outbox and returns at once; it runs until it is closed. */
    Program start(Ground ground, Topic topic) throws IOException;

    /** Waits until it has delivered all that is in the outbox, and has saved that. */
    void awaitDelivered(Outbox outbox, Program program) throws Exception;
}
