package dev.caravan.lab.history;

import dev.caravan.lab.history.plan.HistoryOptions;

/** Changes the statements of relays, to show that a wrong statement is found. */
@FunctionalInterface
interface Mutation {
    Mutation NONE = (sql, options) -> sql;

    /** The text of a statement of a relay with these options. */
    String of(String sql, HistoryOptions options);
}
