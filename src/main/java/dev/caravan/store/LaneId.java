package dev.caravan.store;

/**
 * One lane of a subscription.
 *
 * @param number from 0
 * @param lanes how many lanes the route says that the subscription has
 */
public record LaneId(String subscription, int number, int lanes) {
    /** The lane of a subscription that has no other. */
    public static LaneId only(String subscription) {
        return new LaneId(subscription, 0, 1);
    }

    /** Whether it is the only lane of its subscription. */
    boolean isOnly() {
        return lanes == 1;
    }

    /** As people are told of it. */
    @Override
    public String toString() {
        return isOnly() ? subscription : subscription + " (lane " + number + ")";
    }
}
