package dev.caravan.outbox;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Result;
import org.apache.camel.Message;

/** Sees each attempt begin and end. Called by many threads at once; must neither throw nor wait. */
public interface Tracing extends AutoCloseable {
    /** Sees nothing and leaves the headers of messages as they are. */
    Tracing OFF = (subscription, delivery, in) -> result -> {};

    /**
     * An attempt begins.
     *
     * @param in what goes to the route, with the headers of the message; more may be set
     */
    Attempt begin(String subscription, Delivery delivery, Message in);

    /** Everything has ended. */
    @Override
    default void close() {}

    /** An attempt that has begun. */
    @FunctionalInterface
    interface Attempt {
        /** It has ended, on whatever thread. Called once. */
        void ended(Result result);
    }
}
