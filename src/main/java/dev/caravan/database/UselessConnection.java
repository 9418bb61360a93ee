package dev.caravan.database;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;

/**
 * Closes a pooled connection that is of no more use: a write failed because its server has become read-only, so that another server may be the
 * primary now, which only a new connection finds; the server has ended the session; or a statement of a user has begun a transaction and
 * failed in it, so that every later one would fail too.
 */
public final class UselessConnection implements SQLExceptionOverride {
    private static final String READ_ONLY_SQL_TRANSACTION = "25006";
    private static final String IN_FAILED_SQL_TRANSACTION = "25P02";

    @java.lang.Override // the other Override is that of the interface
    public Override adjudicate(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return READ_ONLY_SQL_TRANSACTION.equals(state)
                        || IN_FAILED_SQL_TRANSACTION.equals(state)
                        || DatabaseFailure.ENDED_SESSION.contains(state)
                ? Override.MUST_EVICT
                : Override.CONTINUE_EVICT;
    }
}
