package dev.caravan.lane;

/** Why a lane starts nothing for now. It goes on when no reason is left. */
public enum Suspension {
    /** A person has paused the subscription. */
    PAUSE,
    /** The lane is to be given to another relay, or the number of lanes is being changed. */
    HANDOVER,
    /** The route is suspended or stops. */
    STOP
}
