package dev.caravan.component;

import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.lane.Batch;
import dev.caravan.lane.Read;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The rows that {@code read.sql} returned, before it is known which read they answer. */
record BatchRows(List<Batch.Row> rows, int candidates) {
    static BatchRows of(ResultSet found) throws SQLException {
        List<Batch.Row> rows = new ArrayList<>();
        int candidates = 0;
        while (found.next()) {
            candidates = found.getInt(3);
            rows.add(row(found));
        }
        return new BatchRows(rows, candidates);
    }

    Batch answering(Read read) {
        return new Batch(read, rows, candidates);
    }

    private static Batch.Row row(ResultSet found) throws SQLException {
        long id = found.getLong(1);
        return new Batch.Row(id, found.getBoolean(2) ? message(id, found) : null);
    }

    private static Message message(long id, ResultSet found) throws SQLException {
        return new Message(
                id,
                found.getObject(4, UUID.class),
                new Key(found.getString(5), found.getString(6)),
                found.getString(7),
                found.getString(8),
                found.getString(9),
                CreatedAt.of(found.getObject(10, OffsetDateTime.class)));
    }
}
