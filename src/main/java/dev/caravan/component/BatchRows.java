package dev.caravan.component;

import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.lane.Batch;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Turns the rows of {@code read.sql} into a batch. */
final class BatchRows {
    private BatchRows() {}

    static Batch read(ResultSet rows, int limit) throws SQLException {
        List<Batch.Row> batch = new ArrayList<>();
        int candidates = 0;
        while (rows.next()) {
            candidates = rows.getInt(3);
            batch.add(row(rows));
        }
        return new Batch(batch, batch.size() == candidates && candidates < limit);
    }

    private static Batch.Row row(ResultSet rows) throws SQLException {
        long id = rows.getLong(1);
        return new Batch.Row(id, rows.getBoolean(2) ? message(id, rows) : null);
    }

    private static Message message(long id, ResultSet rows) throws SQLException {
        return new Message(
                id,
                rows.getObject(4, UUID.class),
                new Key(rows.getString(5), rows.getString(6)),
                rows.getString(7),
                rows.getString(8),
                rows.getString(9),
                rows.getObject(10, OffsetDateTime.class).toInstant());
    }
}
