package dev.caravan.store;

/** The table and the route differ in the number of lanes: whoever worked the subscription now would break the order of keys. */
public final class LaneCountMismatch extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private LaneCountMismatch(String subscription, int inRoute, int inTable) {
        super("it has " + counted(inTable) + " in the database, but " + inRoute
                + " by its route. This relay delivers nothing of it. Set the option lanes of the route to " + inTable
                + ", or change the database with ./caravan subscriptions lanes " + subscription + " " + inRoute);
    }

    public static void throwIfOther(String subscription, int inRoute, int inTable) {
        if (inRoute != inTable) {
            throw new LaneCountMismatch(subscription, inRoute, inTable);
        }
    }

    private static String counted(int lanes) {
        return lanes + (lanes == 1 ? " lane" : " lanes");
    }
}
