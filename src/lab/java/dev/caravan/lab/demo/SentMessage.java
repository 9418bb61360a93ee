package dev.caravan.lab.demo;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;

/**
 * A message that was committed, read back from the outbox.
 *
 * @param seq 1, 2, 3 … within the key
 */
record SentMessage(String key, String type, long seq, String phone, String email) {
    private static final int FETCH_SIZE = 5_000;

    /** All committed messages by message id. */
    static Map<String, SentMessage> readAll(DataSource database) throws SQLException {
        Map<String, SentMessage> sent = new LinkedHashMap<>();
        try (var connection = database.getConnection();
                var statement = connection.prepareStatement(DemoSql.read("sent"))) {
            connection.setAutoCommit(false); // the driver fetches rows in parts only inside a transaction
            statement.setFetchSize(FETCH_SIZE);
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    var message = new SentMessage(
                            rows.getString("aggregate_id"),
                            rows.getString("type"),
                            rows.getLong("seq"),
                            rows.getString("phone"),
                            rows.getString("email"));
                    sent.put(rows.getString("message_id"), message);
                }
            }
            connection.rollback();
        }
        return sent;
    }
}
