package dev.caravan.lab.history;

import dev.caravan.lab.history.plan.HistoryOptions;

/**
 * A subscription of a history.
 *
 * @param messages what it must deliver
 * @param destination where it delivers to
 * @param people those who operate it
 */
record PlayedSubscription(
        String name, HistoryOptions options, ExpectedMessages messages, Deliveries destination, People people) {
    static PlayedSubscription of(String name, HistoryOptions options, HistoryDatabase database) {
        ExpectedMessages messages = new ExpectedMessages(name, options, database.jdbc());
        return new PlayedSubscription(
                name,
                options,
                messages,
                new Deliveries(name, options, database.jdbc(), messages),
                new People(name, database, messages, options.lanes()));
    }
}
