package dev.caravan.lab.history;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.schedule.Delivery;

/** An attempt of a relay to deliver a message. */
final class PlayedAttempt {
    private final Deliveries destination;
    private final int number;
    private final Lane lane;
    private final Delivery delivery;
    /** The message; null until it is sent. */
    private ExpectedMessage message;

    PlayedAttempt(Deliveries destination, int number, Lane lane, Delivery delivery) {
        this.destination = destination;
        this.number = number;
        this.lane = lane;
        this.delivery = delivery;
    }

    Deliveries destination() {
        return destination;
    }

    Lane lane() {
        return lane;
    }

    int laneNumber() {
        return number;
    }

    Delivery delivery() {
        return delivery;
    }

    ExpectedMessage message() {
        return message;
    }

    boolean isSent() {
        return message != null;
    }

    void sent(ExpectedMessage sent) {
        message = sent;
    }
}
