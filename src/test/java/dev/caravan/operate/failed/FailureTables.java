package dev.caravan.operate.failed;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.operate.audit.Actor;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** A new database, and short methods to insert dead letters and retries, as a relay would. */
public final class FailureTables {
    public final TestOutbox database;

    public FailureTables() {
        this(TestOutbox.create());
    }

    public FailureTables(TestOutbox database) {
        this.database = database;
    }

    /** A dead letter of key order/id that failed at noon plus {@code id} seconds. */
    public void dead(String subscription, long id, String... columnsAndValues) throws SQLException {
        StringBuilder columns = new StringBuilder();
        StringBuilder values = new StringBuilder();
        String key = "'" + id + "'";
        String type = "'order.created'";
        String failed = "timestamptz '2026-01-01 12:00:00Z' + " + id + " * interval '1 second'";
        String error = "'provider answered 400'";
        for (int i = 0; i < columnsAndValues.length; i += 2) {
            switch (columnsAndValues[i]) {
                case "aggregate_id" -> key = columnsAndValues[i + 1];
                case "type" -> type = columnsAndValues[i + 1];
                case "last_failed_at" -> failed = columnsAndValues[i + 1];
                case "error_text" -> error = columnsAndValues[i + 1];
                default -> {
                    columns.append(", ").append(columnsAndValues[i]);
                    values.append(", ").append(columnsAndValues[i + 1]);
                }
            }
        }
        database.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack"
                        + columns
                        + ") values ('" + subscription + "', " + id + ", md5('" + id + "')::uuid, 'order', " + key
                        + ", " + type
                        + ", timestamptz '2026-01-01 11:00:00Z', 3, timestamptz '2026-01-01 11:30:00Z', " + failed
                        + ", 'org.apache.camel.http.base.HttpOperationFailedException', " + error + ", 'at somewhere'"
                        + values
                        + ")");
    }

    /** This many dead letters with ids from 1, ten per key. */
    public void deadMany(String subscription, int count) throws SQLException {
        database.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " payload, created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select '" + subscription
                        + "', n, gen_random_uuid(), 'order', (n / 10)::text, 'order.created', '{\"n\":1}',"
                        + " now(), 1, now(), now() - n * interval '1 second', 'java.io.IOException', 'broken pipe ' || translate(n::text, '0123456789', 'abcdefghij'), 'stack'"
                        + " from generate_series(1, " + count + ") n");
    }

    /** Executes statements. */
    public void execute(String sql) {
        database.execute(sql);
    }

    public String text(String query) {
        return database.text(query);
    }

    public long number(String query) {
        return database.number(query);
    }

    public DataSource dataSource() {
        return database.dataSource();
    }

    public long count(String table) throws SQLException {
        return database.number("select count(*) from " + table);
    }

    public static Actor anna() {
        return new Actor("anna", Optional.of("because"));
    }

    static Selection frozen(FailureTables tables, MessageFilter filter) throws SQLException {
        return new DeadLetterSearch(tables.dataSource()).select(filter, found -> true);
    }

    public static Selection.Chunk allOf(FailureTables tables) throws SQLException {
        return frozen(tables, MessageFilter.ALL).chunks(1_000).get(0);
    }
}
