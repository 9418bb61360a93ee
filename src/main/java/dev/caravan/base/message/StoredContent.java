package dev.caravan.base.message;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Headers and payload of a message as the tables store them.
 *
 * @param headers a JSON object
 * @param payload JSON as written; empty for a binary message and for an empty body
 * @param bytes the payload of a binary message
 * @param leftOut the size of headers and payload if they are too large and were not read; otherwise 0
 */
public record StoredContent(Optional<String> headers, Optional<String> payload, Optional<byte[]> bytes, long leftOut) {
    /**
     * Larger contents are not read: what is shown of one takes up to 25 times its size, and trees of an edit up to 100 times. Several requests
     * together may not take the heap of a relay.
     */
    public static final long MOST_BYTES = mostBytes(Runtime.getRuntime().maxMemory());

    /** A content that was read. */
    public StoredContent(Optional<String> headers, Optional<String> payload, Optional<byte[]> bytes) {
        this(headers, payload, bytes, 0);
    }

    static long mostBytes(long heap) {
        return Math.max(1 << 20, Math.min(heap / 256, 16 << 20));
    }

    public static StoredContent of(ResultSet row) throws SQLException {
        return new StoredContent(
                Optional.ofNullable(row.getString("headers")),
                Optional.ofNullable(row.getString("payload")),
                Optional.ofNullable(row.getBytes("payload_bytes")),
                row.getLong("left_out"));
    }

    public boolean isBinary() {
        return bytes.isPresent();
    }
}
