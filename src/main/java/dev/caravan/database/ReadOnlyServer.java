package dev.caravan.database;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;

/**
 * Closes a pooled connection on which a write failed because its server has become read-only. Another server may be the primary now,
 * and only a new connection finds it.
 */
public final class ReadOnlyServer implements SQLExceptionOverride {
    private static final String READ_ONLY_SQL_TRANSACTION = "25006";

    @java.lang.Override // the other Override is that of the interface
    public Override adjudicate(SQLException failure) {
        return READ_ONLY_SQL_TRANSACTION.equals(failure.getSQLState()) ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
    }
}
