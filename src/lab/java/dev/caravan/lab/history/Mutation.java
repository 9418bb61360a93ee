package dev.caravan.lab.history;

/** Changes the statements of relays, to show that a wrong statement is found. */
@FunctionalInterface
interface Mutation {
    Mutation NONE = (sql, options) -> sql;

    /** The text of a statement of a relay with these options. */
    String of(String sql, HistoryOptions options);
}
