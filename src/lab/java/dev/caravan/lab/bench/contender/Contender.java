package dev.caravan.lab.bench.contender;

import dev.caravan.lab.bench.run.BenchRun;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Topic;
import java.io.IOException;
import java.sql.SQLException;

/** A program that moves the messages of an outbox to a Kafka topic. */
public interface Contender {
    /** The name in tables. */
    String name();

    /** The number of messages to deliver if this many are requested; fewer for a slow contender. */
    default int messages(int requested) {
        return requested;
    }

    /** Prepares a filled outbox before the measurement starts. */
    void prepare(Outbox outbox) throws SQLException;

    /** Starts the program on a prepared outbox and returns at once. The program runs until it is closed. */
    Program start(BenchRun run, Topic topic) throws IOException;

    /** Waits until the program has delivered all messages of the outbox and has saved its progress. */
    default void awaitDelivered(Outbox outbox, Program program) throws Exception {
        outbox.awaitDelivered(1, program);
    }
}
