package dev.caravan.component;

import dev.caravan.lane.Change;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.springframework.transaction.SavepointManager;

/** Finds the changes of a save that the database refuses because of what they hold, by writing ever smaller parts of them. */
final class RefusedChanges {
    /** Classes of SQLSTATE. */
    private static final Set<String> FAULTS_OF_DATA = Set.of("22", "23", "54", "P0");

    /** @param reason without anything of the message */
    record Refused(Change change, String reason) {}

    private final SavepointManager transaction;
    private final Consumer<List<Change>> write;
    private final List<Refused> found = new ArrayList<>();

    private RefusedChanges(SavepointManager transaction, Consumer<List<Change>> write) {
        this.transaction = transaction;
        this.write = write;
    }

    /**
     * Leaves the transaction usable, with those that are not refused written.
     *
     * @param write writes some of the changes
     */
    static List<Refused> among(List<Change> changes, SavepointManager transaction, Consumer<List<Change>> write) {
        RefusedChanges refused = new RefusedChanges(transaction, write);
        refused.search(changes);
        return refused.found;
    }

    private void search(List<Change> changes) {
        Object savepoint = transaction.createSavepoint();
        try {
            write.accept(changes);
            transaction.releaseSavepoint(savepoint);
        } catch (RuntimeException e) {
            if (!isFaultOfData(e)) {
                throw e;
            }
            transaction.rollbackToSavepoint(savepoint);
            if (changes.size() == 1) {
                found.add(new Refused(changes.get(0), reason(e)));
            } else {
                search(changes.subList(0, changes.size() / 2));
                search(changes.subList(changes.size() / 2, changes.size()));
            }
        }
    }

    /**
     * Whether a value is the cause: a data exception, a violated constraint, a limit of the program, or an error that a trigger
     * raised (classes 22, 23, 54 and P0 of SQLSTATE), or a value that cannot even be sent.
     */
    static boolean isFaultOfData(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                String state = String.valueOf(sql.getSQLState());
                return FAULTS_OF_DATA.contains(state.substring(0, Math.min(2, state.length())));
            }
            if (cause instanceof IllegalArgumentException
                    || cause instanceof ArithmeticException
                    || cause instanceof DateTimeException) {
                return true;
            }
        }
        return false;
    }

    /** The text of such an error may hold the row: only names are taken from it. */
    private static String reason(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (!(root instanceof PSQLException refused)) {
            return root.getClass().getSimpleName();
        }
        ServerErrorMessage server = refused.getServerErrorMessage();
        String constraint = server == null ? null : server.getConstraint();
        return "SQLSTATE " + refused.getSQLState() + (constraint == null ? "" : ", constraint " + constraint);
    }
}
