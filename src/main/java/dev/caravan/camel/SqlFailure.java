package dev.caravan.camel;

import dev.caravan.base.text.Causes;
import dev.caravan.database.UselessConnection;
import java.sql.SQLException;
import org.apache.camel.ExchangeException;

/**
 * Classifies failures of steps that send to a database. Used by the error handling of the routes.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class SqlFailure {
    private SqlFailure() {}

    /** Whether the database is read-only, as one that is no longer the primary. */
    public static boolean isOfReadOnlyDatabase(@ExchangeException Exception error) {
        return Causes.of(error)
                .anyMatch(cause -> cause instanceof SQLException failure && UselessConnection.isReadOnly(failure));
    }
}
