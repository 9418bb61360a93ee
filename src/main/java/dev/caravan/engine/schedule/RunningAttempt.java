package dev.caravan.engine.schedule;

/** An attempt that has not ended. Any thread may call its methods. */
@FunctionalInterface
public interface RunningAttempt {
    /** The last endpoint to which the route has sent the message, without options; empty if there is none yet. */
    String step();
}
