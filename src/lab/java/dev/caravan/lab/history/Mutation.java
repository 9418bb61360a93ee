package dev.caravan.lab.history;

import dev.caravan.lab.history.plan.HistoryOptions;

/** Changes the statements of relays, to show that histories find a wrong statement. */
@FunctionalInterface
interface Mutation {
    Mutation NONE = (sql, options) -> sql;

    /** Returns the changed text of a statement of a relay with these options. */
    String of(String sql, HistoryOptions options);
}
