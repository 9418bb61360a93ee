package dev.caravan.delivery;

/** One message on its way to one destination. Its state belongs to the {@link Schedule} that handed it out. */
public final class Delivery {
    enum State {
        /** Waits for its turn. */
        QUEUED,
        /** May start. */
        READY,
        /** Is being sent. */
        STARTED,
        /** Arrived, but an earlier message of its key is not finished: counts only when that one has arrived too. */
        ARRIVED,
        /** Did not arrive. */
        FAILED
    }

    final Message message;
    State state = State.QUEUED;
    int attempts;

    Delivery(Message message) {
        this.message = message;
    }

    public Message message() {
        return message;
    }

    /** Which attempt this is, from 1. Attempts before a restart are not counted. */
    public int attempt() {
        return attempts;
    }

    boolean hasStarted() {
        return state != State.QUEUED && state != State.READY;
    }
}
