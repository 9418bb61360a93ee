package dev.caravan.selection;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Headers and payload of a message as the tables store them.
 *
 * @param headers a JSON object
 * @param payload JSON as written; empty for a binary message and for an empty body
 * @param bytes the payload of a binary message
 */
public record StoredContent(Optional<String> headers, Optional<String> payload, Optional<byte[]> bytes) {

    public static StoredContent of(ResultSet row) throws SQLException {
        return new StoredContent(
                Optional.ofNullable(row.getString("headers")),
                Optional.ofNullable(row.getString("payload")),
                Optional.ofNullable(row.getBytes("payload_bytes")));
    }

    public boolean isBinary() {
        return bytes.isPresent();
    }
}
