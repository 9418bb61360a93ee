package dev.caravan.relay;

/** Blocks the start of a relay until its routes can start. Health, metrics and the API are served meanwhile. */
@FunctionalInterface
public interface BeforeRoutes {
    /** Lets the routes start at once. */
    BeforeRoutes NOTHING = () -> {};

    /** Throws an exception to give up the start of the relay. */
    void await() throws Exception;
}
