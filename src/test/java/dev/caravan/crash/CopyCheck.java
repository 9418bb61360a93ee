package dev.caravan.crash;

import dev.caravan.lab.bench.run.SourceTable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares the rows of the source with the messages in the outbox.
 *
 * @param rows committed rows of the source
 * @param lost rows without a message
 * @param doubled messages of a row that had one already
 * @param invented messages without a row, for example of a transaction that was rolled back
 * @param disordered messages of a key behind a later one, without those that are doubled
 * @param pending rows that are not marked
 * @param markedAgain rows that were marked more than once
 */
record CopyCheck(
        int rows,
        List<String> lost,
        List<String> doubled,
        List<String> invented,
        List<String> disordered,
        List<String> pending,
        List<String> markedAgain) {
    private record Row(String key, long sequence) {}

    /** To be called when nothing is written or copied any more. */
    static CopyCheck of(SourceTable source, Connection outbox) throws SQLException {
        List<String> pending = new ArrayList<>();
        List<String> markedAgain = new ArrayList<>();
        Map<String, Row> rows = rows(source, pending, markedAgain);

        List<String> doubled = new ArrayList<>();
        List<String> invented = new ArrayList<>();
        List<String> disordered = new ArrayList<>();
        Set<String> found = new HashSet<>();
        Map<String, Long> last = new HashMap<>();
        try (var statement = outbox.createStatement();
                ResultSet messages = statement.executeQuery("select message_id, id from outbox order by id")) {
            while (messages.next()) {
                String id = messages.getString(1);
                String message = id + " (" + messages.getLong(2) + ")";
                Row row = rows.get(id);
                if (row == null) {
                    invented.add(message);
                } else if (!found.add(id)) {
                    doubled.add(message);
                } else {
                    Long before = last.put(row.key, row.sequence);
                    if (before != null && before > row.sequence) {
                        disordered.add(row + " after " + before);
                    }
                }
            }
        }
        List<String> lost =
                rows.keySet().stream().filter(id -> !found.contains(id)).toList();
        return new CopyCheck(rows.size(), lost, doubled, invented, disordered, pending, markedAgain);
    }

    private static Map<String, Row> rows(SourceTable source, List<String> pending, List<String> markedAgain)
            throws SQLException {
        Map<String, Row> rows = new HashMap<>();
        try (Connection connection = source.connect();
                var statement = connection.createStatement();
                ResultSet found = statement.executeQuery(
                        "select id, msg_key, json_value(data, '$.sequence'), state = 1 and processed_on is not null, marks"
                                + " from outbox")) {
            while (found.next()) {
                String id = found.getString(1);
                rows.put(id, new Row(found.getString(2), found.getLong(3)));
                if (!found.getBoolean(4)) {
                    pending.add(id);
                }
                if (found.getInt(5) > 1) {
                    markedAgain.add(id);
                }
            }
        }
        return rows;
    }

    @Override
    public String toString() {
        return rows + " rows, lost " + lost.size() + ", doubled " + doubled.size() + ", invented " + invented.size()
                + ", out of order " + disordered.size() + ", not marked " + pending.size() + ", marked again "
                + markedAgain.size();
    }
}
