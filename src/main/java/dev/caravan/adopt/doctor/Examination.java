package dev.caravan.adopt.doctor;

import java.sql.SQLException;
import java.util.function.Consumer;

/**
 * Looks for one or a few kinds of findings.
 *
 * @param subject what it examines, for the report
 * @param needs what it requires to run
 */
record Examination(String subject, Needs needs, Look look) {
    enum Needs {
        /** Only a database. */
        DATABASE,
        /** The catalog entry of a table. */
        TABLE,
        /** The right to read the rows of a table. */
        ROWS,
        /** Also a condition for pending rows, and an order. */
        PENDING
    }

    /** An examination cannot run in this database. */
    static final class NotPossible extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String fix;

        NotPossible(String why, String fix) {
            super(why);
            this.fix = fix;
        }

        String fix() {
            return fix;
        }
    }

    /** The examination itself. */
    @FunctionalInterface
    interface Look {
        void at(Target target, Consumer<Finding> found) throws SQLException;
    }

    /** Whether the target has what the examination needs, apart from rights. */
    boolean applies(MessageTable table) {
        return switch (needs) {
            case DATABASE -> true;
            case TABLE, ROWS -> table != null;
            case PENDING ->
                table != null
                        && table.pending().isPresent()
                        && table.columns().order().isPresent();
        };
    }

    boolean readsRows() {
        return needs == Needs.ROWS || needs == Needs.PENDING;
    }
}
