package dev.caravan.database.schema;

import dev.caravan.database.OutboxSchema;
import dev.caravan.database.Sql;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/** The migrations, which create and upgrade the tables. */
public final class Schema {
    private static final String HISTORY_TABLE = "outbox_schema_history";
    /** File names in order; the number before the underscores is the schema version. */
    static final List<String> MIGRATIONS = List.of("V1__outbox.sql");

    /** The lock of Flyway begins after it has created its table: another process would see the table empty, and refuse it. */
    private static final String LOCK = "select pg_catalog.pg_advisory_%s(pg_catalog.hashtextextended("
            + "pg_catalog.concat('caravan schema '::text, pg_catalog.current_setting('search_path')), 0::bigint))";

    private final DataSource dataSource;

    /** @param dataSource its sessions have the schema of the tables first in their search_path */
    public Schema(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Creates or upgrades the tables, and the schema if it does not exist. Safe to repeat, and safe when several relays start at the
     * same time. Tables that another migration tool has created from {@link #print} are accepted.
     *
     * @return the number of migrations applied now
     * @throws SchemaRefusal if the server is too old, the database has another encoding than UTF8, the outbox belongs to another program, or tables are missing that no migration would create
     */
    public int apply() throws SQLException {
        try (var connection = dataSource.getConnection()) {
            Sql.execute(connection, LOCK.replace("%s", "lock"));
            try {
                return applyAlone();
            } finally {
                Sql.execute(connection, LOCK.replace("%s", "unlock"));
            }
        }
    }

    private int applyAlone() throws SQLException {
        String version = prepare();
        int applied = Flyway.configure()
                .dataSource(dataSource)
                .locations("classpath:db/caravan")
                .table(HISTORY_TABLE)
                .baselineOnMigrate(true)
                .baselineVersion(version)
                .load()
                .migrate()
                .migrationsExecuted;
        try (var connection = dataSource.getConnection()) {
            requireComplete(connection, "but the migrations in " + HISTORY_TABLE + " were applied");
        }
        return applied;
    }

    /** All migrations as one SQL script, for use with another migration tool. Names no schema if it is the schema {@code public}. */
    public static String print(OutboxSchema schema) {
        String migrations = MIGRATIONS.stream()
                .map(file -> "-- " + file + "\n" + read("/db/caravan/" + file))
                .collect(Collectors.joining("\n"));
        return schema.equals(OutboxSchema.PUBLIC)
                ? migrations
                : "create schema if not exists " + schema.quoted() + ";\n" + schema.use() + ";\n\n" + migrations
                        + "\nreset search_path;\n";
    }

    /** @return the version of tables that were created without {@link #apply()}; a new schema version needs a new condition here */
    private String prepare() throws SQLException {
        try (var connection = dataSource.getConnection()) {
            SchemaCheck.ofServer(connection).stream().findFirst().ifPresent(problem -> {
                throw new SchemaRefusal(problem.text() + "\nNothing was changed.");
            });
            OutboxSchema.create(connection);
            OutboxSchema.require(connection);
            Optional<String> foreign = ForeignCode.refusal(connection);
            if (foreign.isPresent()) { // the statements of Flyway
                throw new SchemaRefusal(foreign.get() + ".\nNothing was changed.");
            }
            ExistingTables existing = ExistingTables.of(connection);
            if (existing.foreign()) {
                throw new SchemaRefusal(existing.refusal() + "\nNothing was changed.");
            }
            if (existing.stranger() != null) { // its triggers would run with the rights of this role
                throw new SchemaRefusal("The table " + HISTORY_TABLE + " belongs to " + existing.stranger()
                        + ", which is not a member of the owner of the outbox. Drop the table, or make this role its owner,"
                        + " and run ./caravan schema apply again.\nNothing was changed.");
            }
            if (existing.outbox() && !existing.migrated()) {
                requireComplete(connection, "and no migration was applied here");
            }
            return existing.outbox() ? "1" : "0";
        }
    }

    /** Refuses incomplete tables. Otherwise, apply and check would each advise to run the other. */
    private static void requireComplete(Connection connection, String history) throws SQLException {
        List<String> incomplete = Lack.texts(connection);
        if (!incomplete.isEmpty()) {
            throw new SchemaRefusal(
                    "Caravan's tables are incomplete, " + history + ":\n- "
                            + String.join("\n- ", incomplete)
                            + "\nRestore what is missing from a backup, or create it from the output of: ./caravan schema print");
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
