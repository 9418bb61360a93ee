package dev.caravan.engine.store;

/** The route and the table differ in the number of lanes. Delivery would break the order of keys. */
public final class LaneCountMismatch extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private LaneCountMismatch(String subscription, int inRoute, int inTable) {
        super("it has " + counted(inTable) + " in the database, but " + inRoute
                + " in its route. This relay delivers none of its messages. Set the option lanes of the route to "
                + inTable
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
