package dev.caravan.store;

import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.lane.Batch;
import dev.caravan.progress.Read;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The rows that {@code read.sql} returned, before it is known which read they answer. */
public record BatchRows(List<Batch.Row> rows, int candidates, boolean outdated) {
    public static BatchRows of(ResultSet found) throws SQLException {
        List<Batch.Row> rows = new ArrayList<>();
        Map<String, String> types = new HashMap<>();
        int candidates = 0;
        boolean outdated = false;
        while (found.next()) {
            candidates = found.getInt(3);
            outdated = found.getBoolean(11);
            rows.add(row(found, types));
        }
        return new BatchRows(rows, candidates, outdated);
    }

    public Batch answering(Read read) {
        return new Batch(read, rows, candidates, outdated);
    }

    private static Batch.Row row(ResultSet found, Map<String, String> types) throws SQLException {
        long id = found.getLong(1);
        return new Batch.Row(id, found.getBoolean(2) ? message(id, found, types) : null);
    }

    /** @param types kept once each: a window of messages is in memory, and these are mostly the same few */
    private static Message message(long id, ResultSet found, Map<String, String> types) throws SQLException {
        return new Message(
                id,
                found.getObject(4, UUID.class),
                new Key(once(found.getString(5), types), found.getString(6)),
                once(found.getString(7), types),
                found.getString(8),
                found.getString(9),
                CreatedAt.of(found.getObject(10, OffsetDateTime.class)));
    }

    private static String once(String text, Map<String, String> known) {
        String first = known.putIfAbsent(text, text);
        return first == null ? text : first;
    }
}
