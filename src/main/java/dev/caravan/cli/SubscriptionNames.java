package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.NearestName;
import dev.caravan.operate.subscription.Subscriptions;
import java.sql.SQLException;
import java.util.List;

/** Checks names of subscriptions given on the command line. */
final class SubscriptionNames {
    private final Subscriptions subscriptions;

    SubscriptionNames(Subscriptions subscriptions) {
        this.subscriptions = subscriptions;
    }

    /** @throws CommandFailure when no subscription has the name */
    void require(String name) throws SQLException {
        String unknown = unknown(name);
        if (!unknown.isEmpty()) {
            throw new CommandFailure(unknown + " Nothing was changed.");
        }
    }

    /** The error for an unknown name, with the nearest known one; empty when the subscription exists. */
    String unknown(String name) throws SQLException {
        List<String> known = subscriptions.names();
        if (known.contains(name)) {
            return "";
        }
        return "There is no subscription " + Formatted.line(name, 100)
                + NearestName.to(name, known)
                        .map(near -> ", did you mean " + near + "?")
                        .orElse(".");
    }
}
