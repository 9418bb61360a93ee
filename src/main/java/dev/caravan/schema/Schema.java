package dev.caravan.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/** The numbered SQL files that make the tables, and their application to a database. */
public final class Schema {
    private static final String HISTORY_TABLE = "outbox_schema_history";
    /** File names in order; the number before the underscores is the schema version. */
    static final List<String> MIGRATIONS = List.of(
            "V1__outbox.sql",
            "V2__failures.sql",
            "V3__lanes.sql",
            "V4__wake_up.sql",
            "V5__monitoring.sql",
            "V6__console.sql",
            "V7__bounds.sql",
            "V8__halt.sql",
            "V10__heads.sql",
            "V11__older_gaps.sql");

    private final DataSource dataSource;

    public Schema(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Creates or upgrades the tables; safe to repeat and safe when several relays start at once. Tables that were made from
     * {@link #print()} by another migration tool are taken as they are.
     *
     * @return how many migrations were applied now
     */
    public int apply() throws SQLException {
        return Flyway.configure()
                .dataSource(dataSource)
                .locations("classpath:db")
                .table(HISTORY_TABLE)
                .baselineOnMigrate(true)
                .baselineVersion(existingVersion())
                .load()
                .migrate()
                .migrationsExecuted;
    }

    /** All migrations as one SQL script, for people who use their own migration tool. */
    public static String print() {
        return MIGRATIONS.stream()
                .map(file -> "-- " + file + "\n" + read("/db/" + file))
                .collect(Collectors.joining("\n"));
    }

    /** Which version the tables have that were made without {@link #apply()}, by what each version added. */
    private String existingVersion() throws SQLException {
        try (var connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select case when exists (select from pg_attribute"
                        + " where attrelid = to_regclass('outbox_subscription') and attname = 'older_gaps') then '11'"
                        + " when exists (select from pg_attribute"
                        + " where attrelid = to_regclass('outbox_subscription') and attname = 'dead_letters_block') then '10'"
                        + " when exists (select from pg_attribute"
                        + " where attrelid = to_regclass('outbox_subscription') and attname = 'halted_at') then '8'"
                        + " when exists (select from pg_attribute"
                        + " where attrelid = to_regclass('outbox_retry') and attname = 'key_hash') then '7'"
                        + " when exists (select from pg_attribute"
                        + " where attrelid = to_regclass('outbox_dead_letter') and attname = 'error_group') then '6'"
                        + " when exists (select from pg_attribute"
                        + " where attrelid = to_regclass('outbox_subscription') and attname = 'delivered') then '5'"
                        + " when to_regclass('outbox_sleeper') is not null then '4'"
                        + " when to_regclass('outbox_relay') is not null then '3'"
                        + " when to_regclass('outbox_dead_letter') is not null then '2'"
                        + " when to_regclass('outbox') is not null then '1' else '0' end")) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static String read(String resource) {
        try (var stream = Schema.class.getResourceAsStream(resource)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
