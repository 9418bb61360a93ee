package dev.caravan.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/** The migrations, which create and upgrade the tables. */
public final class Schema {
    private static final String HISTORY_TABLE = "outbox_schema_history";
    /** File names in order; the number before the underscores is the schema version. */
    static final List<String> MIGRATIONS = List.of("V1__outbox.sql");

    private final DataSource dataSource;

    public Schema(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Creates or upgrades the tables. Safe to repeat, and safe when several relays start at the same time. Tables that another
     * migration tool has created from {@link #print()} are accepted as they are.
     *
     * @return the number of migrations applied now
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

    /** All migrations as one SQL script, for use with another migration tool. */
    public static String print() {
        return MIGRATIONS.stream()
                .map(file -> "-- " + file + "\n" + read("/db/" + file))
                .collect(Collectors.joining("\n"));
    }

    /** The version of tables created without {@link #apply()}. Each later version adds a condition here. */
    private String existingVersion() throws SQLException {
        try (var connection = dataSource.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select to_regclass('outbox') is not null")) {
            rows.next();
            return rows.getBoolean(1) ? "1" : "0";
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
