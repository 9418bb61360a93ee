package dev.caravan.engine.store;

/**
 * One lane of a subscription.
 *
 * @param number number of the lane, from 0
 * @param lanes number of lanes of the subscription in the route
 */
public record LaneId(String subscription, int number, int lanes) {
    private static final String NAME = "[a-z0-9][a-z0-9._-]{0,99}";

    /** Whether a subscription may have this name. A constraint of the table checks the same. */
    public static boolean isName(String subscription) {
        return subscription.matches(NAME);
    }

    /** The only lane of a subscription. */
    public static LaneId only(String subscription) {
        return new LaneId(subscription, 0, 1);
    }

    /** Whether it is the only lane of its subscription. */
    boolean isOnly() {
        return lanes == 1;
    }

    /** The name for logs and errors. */
    @Override
    public String toString() {
        return isOnly() ? subscription : subscription + " (lane " + number + ")";
    }
}
