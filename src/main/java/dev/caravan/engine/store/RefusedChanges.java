package dev.caravan.engine.store;

import dev.caravan.base.text.Causes;
import dev.caravan.engine.lane.Change;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.springframework.transaction.SavepointManager;

/**
 * Finds the changes of a save that the database rejects because of their data, by bisection. Stops after a time limit: each rejected
 * change costs several statements, and the lease must not end meanwhile.
 */
public final class RefusedChanges {
    /** Classes of SQLSTATE. */
    private static final Set<String> FAULTS_OF_DATA = Set.of("22", "23", "54", "P0");

    /**
     * The result of a search.
     *
     * @param reasons the causes without content of the messages, by the ids of the messages whose changes are rejected, in their order
     * @param examined number of changes that were examined, from the first one; at least one
     */
    public record Found(Map<Long, String> reasons, int examined) {}

    private final SavepointManager transaction;
    private final Consumer<List<Change>> write;
    private final BooleanSupplier timeIsUp;
    private final Map<Long, String> reasons = new LinkedHashMap<>();
    private int examined;

    private RefusedChanges(SavepointManager transaction, Consumer<List<Change>> write, BooleanSupplier timeIsUp) {
        this.transaction = transaction;
        this.write = write;
        this.timeIsUp = timeIsUp;
    }

    /**
     * Searches the changes. Afterwards the transaction is usable and contains the examined changes that were not rejected.
     *
     * @param write writes some of the changes
     * @param timeIsUp whether the time limit has passed
     */
    static Found among(
            List<Change> changes,
            SavepointManager transaction,
            Consumer<List<Change>> write,
            BooleanSupplier timeIsUp) {
        RefusedChanges search = new RefusedChanges(transaction, write, timeIsUp);
        search.search(changes);
        return new Found(search.reasons, search.examined);
    }

    /** Searches in order, so that the first changes are examined when the time limit passes. */
    private void search(List<Change> changes) {
        if (examined > 0 && timeIsUp.getAsBoolean()) {
            return;
        }
        Object savepoint = transaction.createSavepoint();
        try {
            write.accept(changes);
            transaction.releaseSavepoint(savepoint);
            examined += changes.size();
        } catch (RuntimeException e) {
            if (!isFaultOfData(e)) {
                throw e;
            }
            transaction.rollbackToSavepoint(savepoint);
            if (changes.size() == 1) {
                reasons.put(changes.get(0).delivery().message().id(), reason(e));
                examined++;
            } else {
                search(changes.subList(0, changes.size() / 2));
                search(changes.subList(changes.size() / 2, changes.size()));
            }
        }
    }

    /**
     * Whether the data is the cause: a data exception, a constraint violation, a program limit, or an error raised by a trigger
     * (SQLSTATE classes 22, 23, 54 and P0), or a value that the driver cannot send.
     */
    public static boolean isFaultOfData(Throwable failure) {
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

    /** The SQLSTATE and the constraint only: the text of the error may quote the row. */
    private static String reason(Throwable failure) {
        Throwable root = Causes.root(failure);
        if (!(root instanceof PSQLException refused)) {
            return root.getClass().getSimpleName();
        }
        ServerErrorMessage server = refused.getServerErrorMessage();
        String constraint = server == null ? null : server.getConstraint();
        return "SQLSTATE " + refused.getSQLState() + (constraint == null ? "" : ", constraint " + constraint);
    }
}
