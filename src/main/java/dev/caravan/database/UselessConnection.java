package dev.caravan.database;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Closes a pooled connection that is of no more use: a write failed because its server has become read-only, so that another server may be the
 * primary now, which only a new connection finds; the server has ended the session; or a statement of a user has begun a transaction and
 * failed in it, so that every later one would fail too.
 */
public final class UselessConnection implements SQLExceptionOverride {
    private static final String READ_ONLY_SQL_TRANSACTION = "25006";
    /** The codes of other databases: MySQL and MariaDB, SQL Server, Oracle. The first one has more meanings. */
    private static final Set<Integer> READ_ONLY = Set.of(1290, 1836, 3906, 16000);

    private static final Pattern SAYS_READ_ONLY = Pattern.compile("read.only", Pattern.CASE_INSENSITIVE);
    private static final String IN_FAILED_SQL_TRANSACTION = "25P02";

    private final HikariDataSource pool;

    /** For a pool that keeps few idle connections. */
    public UselessConnection() {
        this(null);
    }

    /** @param pool closes all its connections when its database has become read-only; one after the other would take minutes. May be null */
    public UselessConnection(HikariDataSource pool) {
        this.pool = pool;
    }

    @java.lang.Override // the other Override is that of the interface
    public Override adjudicate(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        boolean isReadOnly = isReadOnly(failure);
        if (pool != null && isReadOnly) {
            pool.getHikariPoolMXBean().softEvictConnections();
        }
        return isReadOnly || IN_FAILED_SQL_TRANSACTION.equals(state) || DatabaseFailure.ENDED_SESSION.contains(state)
                ? Override.MUST_EVICT
                : Override.CONTINUE_EVICT;
    }

    /** Whether a database has refused a statement because it is read-only: it is no longer the primary. */
    public static boolean isReadOnly(SQLException failure) {
        return READ_ONLY_SQL_TRANSACTION.equals(failure.getSQLState())
                || READ_ONLY.contains(failure.getErrorCode())
                        && SAYS_READ_ONLY
                                .matcher(String.valueOf(failure.getMessage()))
                                .find();
    }
}
