package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.NearestName;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Checks names of subscriptions given on the command line. */
final class SubscriptionNames {
    private final Subscriptions subscriptions;

    SubscriptionNames(Subscriptions subscriptions) {
        this.subscriptions = subscriptions;
    }

    /** @throws CommandFailure when no subscription has the name */
    void require(String name) throws SQLException {
        String unknown = unknown(name, subscriptions.names());
        if (!unknown.isEmpty()) {
            throw new CommandFailure(unknown + " Nothing was changed.");
        }
    }

    /**
     * Accepts also the subscription of the rejected rows of an intake.
     *
     * @throws CommandFailure for any other name
     */
    void requireReader(String name) throws SQLException {
        String unknown = unknown(name);
        if (!unknown.isEmpty()) {
            throw new CommandFailure(unknown + " Nothing was changed.");
        }
    }

    /**
     * Accepts a subscription that exists, and one that was deleted while something of it is stored.
     *
     * @param name empty for all subscriptions
     * @param after a sentence that follows the error, with a leading space
     * @throws CommandFailure for any other name
     */
    void requireStored(Optional<String> name, String after) throws SQLException {
        if (name.isPresent() && !subscriptions.isStored(name.get())) {
            throw new CommandFailure(unknown(name.get()) + after);
        }
    }

    /** The error for an unknown name, with the nearest known one; empty when the subscription or intake exists. */
    String unknown(String name) throws SQLException {
        return unknown(name, subscriptions.withIntakes());
    }

    private static String unknown(String name, List<String> known) {
        if (known.contains(name)) {
            return "";
        }
        return "There is no subscription " + Formatted.line(name, 100) + NearestName.suggestion(name, known, ".");
    }
}
