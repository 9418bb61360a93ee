package dev.caravan.bench;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** One database with an outbox, filled for a round of the benchmark. */
record Outbox(DataSource dataSource, String url, String user, String password) {
    private static final String FILL = """
            insert into outbox (aggregate_type, aggregate_id, type, payload)
            select 'order', 'order-' || i % ?, 'order.created', ('{"orderId":' || i || ',"text":"' || repeat('x', ?) || '"}')::json
            from generate_series(1, ?) as i
            """;

    /** Inserts messages with payloads of about a size in bytes, in one transaction, keys in turn. */
    void fill(int messages, int keys, int bytes) throws SQLException {
        try (var connection = dataSource.getConnection();
                var insert = connection.prepareStatement(FILL)) {
            insert.setInt(1, keys);
            insert.setInt(2, Math.max(0, bytes - 30));
            insert.setInt(3, messages);
            insert.execute();
            connection.createStatement().execute("vacuum (freeze, analyze) outbox");
            connection.createStatement().execute("checkpoint");
        }
    }

    /** The write-ahead log position, in bytes. */
    long walBytes() throws SQLException {
        return number("select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint");
    }

    long number(String query) throws SQLException {
        try (var connection = dataSource.getConnection();
                var rows = connection.createStatement().executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** Waits until a subscription has delivered everything up to an id and saved that. */
    void awaitDelivered(String subscription, long id, long timeoutSeconds) throws SQLException, InterruptedException {
        String query = "select count(*) from outbox_subscription where name = '" + subscription + "' and position >= "
                + id + " and isempty(gaps)";
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeoutSeconds);
        while (number(query) == 0) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("Subscription " + subscription + " did not reach id " + id + " within "
                        + timeoutSeconds + " s");
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }
}
