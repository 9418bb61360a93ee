package dev.caravan.api;

import dev.caravan.database.SqlFile;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A session with an open transaction that has written to the outbox and may still fill a missing id.
 *
 * @param pid empty for a prepared transaction
 * @param since when the transaction began; empty when the server hides it
 * @param waits whether it waits for a lock of another session
 */
record Writer(
        Optional<Integer> pid,
        Optional<String> application,
        Optional<String> state,
        Optional<Instant> since,
        boolean waits) {

    private static final String STATEMENT =
            SqlFile.file("api/gap_writers").replace("/*writers*/", SqlFile.file("store/writers"));

    /** All writers, oldest transaction first. */
    static List<Writer> all(DataSource database) throws SQLException {
        return Transaction.run(database, connection -> Statement.queryText(connection, STATEMENT, Writer::of));
    }

    private static Writer of(ResultSet row) throws SQLException {
        return new Writer(
                Optional.ofNullable((Integer) row.getObject("pid")),
                Optional.ofNullable(row.getString("application_name")),
                Optional.ofNullable(row.getString("state")),
                Optional.ofNullable(row.getObject("xact_start", OffsetDateTime.class))
                        .map(OffsetDateTime::toInstant),
                row.getBoolean("waits"));
    }

    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("pid", pid.orElse(null));
        fields.put("applicationName", application.orElse(null));
        fields.put("state", state.orElse(null));
        fields.put("transactionSince", since.map(Instant::toString).orElse(null));
        fields.put("waitingForLock", waits);
        return fields;
    }
}
