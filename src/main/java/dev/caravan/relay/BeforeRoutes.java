package dev.caravan.relay;

/** Blocks the start of a relay until its routes can start. Health, metrics and the API are served meanwhile. */
@FunctionalInterface
public interface BeforeRoutes {
    /** Lets the routes start at once. */
    BeforeRoutes NOTHING = () -> {};

    /** Returns when the routes can start. An exception ends the start of the relay. */
    void await() throws Exception;
}
