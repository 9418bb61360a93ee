package dev.caravan.adopt.capture;

import java.util.List;

/**
 * The state of a take-over.
 *
 * @param pending rows that are not sent and not captured
 * @param captured messages that the paused subscription has not delivered; 0 in other stages
 * @param others subscriptions that deliver messages of these types at once
 * @param triggers triggers of the table that fire when a row is marked, and whose functions depend on the {@code search_path}
 */
public record TakeOverState(
        String table,
        String subscription,
        Stage stage,
        long pending,
        long captured,
        List<String> others,
        List<Trigger> triggers) {
    /**
     * A trigger of the application.
     *
     * @param function with its schema where needed, and with parentheses
     */
    public record Trigger(String name, String function) {}

    /** The stages of a take-over. */
    public enum Stage {
        /** The poller sends; nothing is installed. */
        NOT_BEGUN,
        /** New rows are captured, and their messages wait in the paused subscription until the poller has sent the old rows. */
        DRAINING,
        /** The subscription delivers. */
        COMPLETE
    }
}
