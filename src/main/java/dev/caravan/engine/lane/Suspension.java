package dev.caravan.engine.lane;

/** A reason for which a lane starts no messages. It continues when no reason is left. */
public enum Suspension {
    /** A person has paused the subscription. */
    PAUSE,
    /** The lane is being handed over to another relay, or the number of lanes is being changed. */
    HANDOVER,
    /** The route is suspended or stops. */
    STOP
}
