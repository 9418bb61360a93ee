package dev.caravan.camel.outbox;

import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Result;
import org.apache.camel.Message;

/** Receives the start and the end of each attempt. Thread-safe; its methods must neither throw nor block. */
public interface Tracing extends AutoCloseable {
    /** Does nothing. */
    Tracing OFF = (subscription, delivery, in) -> result -> {};

    /**
     * Called at the start of an attempt.
     *
     * @param in the message for the route, with its headers; headers may be added
     */
    Attempt begin(String subscription, Delivery delivery, Message in);

    /** Called after the last attempt has ended. */
    @Override
    default void close() {}

    /** An attempt in progress. */
    @FunctionalInterface
    interface Attempt {
        /** Called once at the end of the attempt, on any thread. */
        void ended(Result result);
    }
}
