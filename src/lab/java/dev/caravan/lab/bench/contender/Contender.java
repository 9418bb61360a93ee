package dev.caravan.lab.bench.contender;

import dev.caravan.lab.bench.ground.Ground;
import dev.caravan.lab.bench.ground.Outbox;
import dev.caravan.lab.bench.ground.Program;
import dev.caravan.lab.bench.ground.Topic;
import java.io.IOException;
import java.sql.SQLException;

/** A program that moves the messages of an outbox to a Kafka topic. */
public interface Contender {
    /** The name in tables. */
    String name();

    /** Number of messages it is given out of this many; fewer for a slow contender. */
    int messages(int asked);

    /** Prepares a filled outbox before the measurement starts. */
    void prepare(Outbox outbox) throws SQLException;

    /** Starts the program on a prepared outbox and returns at once. The program runs until it is closed. */
    Program start(Ground ground, Topic topic) throws IOException;

    /** Waits until the program has delivered all messages of the outbox and has saved its progress. */
    void awaitDelivered(Outbox outbox, Program program) throws Exception;
}
