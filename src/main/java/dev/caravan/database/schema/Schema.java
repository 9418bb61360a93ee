package dev.caravan.database.schema;

import dev.caravan.base.text.TextFile;
import dev.caravan.database.OutboxSchema;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfoService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The migrations, which create and upgrade the tables. */
public final class Schema {
    private static final Logger LOG = LoggerFactory.getLogger(Schema.class);
    private static final String HISTORY_TABLE = "outbox_schema_history";
    /** File names in order; the number before the underscores is the schema version. */
    static final List<String> MIGRATIONS = List.of("V1__outbox.sql");

    /** The lock of Flyway begins after it has created its table: another process would see the table empty, and refuse it. */
    private static final String LOCK = "select pg_catalog.pg_advisory_%s(pg_catalog.hashtextextended("
            + "pg_catalog.concat('caravan schema '::text, pg_catalog.current_setting('search_path')), 0::bigint))";

    private static final String LOCK_WAIT = "set lock_timeout = '10s'";
    private static final String NOT_LOCKED = "55P03";

    private final DataSource dataSource;

    /** @param dataSource its sessions have the schema of the tables first in their search_path */
    public Schema(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Creates or upgrades the tables, and the schema if it does not exist. Safe to repeat, and safe when several relays start at the
     * same time. Tables that another migration tool has created from {@link #print} are accepted. Waits for another process that does it; every
     * role that can connect can hold that lock, so it is taken only if there is something to do.
     *
     * @return the number of migrations applied now
     * @throws SchemaRefusal if the server is too old, the database has another encoding than UTF8, the outbox belongs to another program, or tables are missing that no migration would create
     */
    public int apply() throws SQLException {
        int applied = isUpToDate() ? 0 : applyLocked();
        try (var connection = dataSource.getConnection()) {
            requireComplete(connection, "but the migrations in " + HISTORY_TABLE + " were applied");
        }
        return applied;
    }

    private boolean isUpToDate() throws SQLException {
        ExistingTables existing = prepare();
        if (!existing.outbox() || !existing.migrated()) {
            return false;
        }
        Flyway flyway = flyway(existing);
        MigrationInfoService migrations = flyway.info();
        if (migrations.current() == null || migrations.pending().length > 0) {
            return false;
        }
        flyway.validate();
        return true;
    }

    private int applyLocked() throws SQLException {
        try (var connection = dataSource.getConnection()) {
            Sql.execute(connection, LOCK_WAIT);
            for (Set<String> reported = new HashSet<>(); !isLocked(connection); report(connection, reported)) {
                // the wait is in the statement
            }
            try {
                return flyway(prepare()).migrate().migrationsExecuted;
            } finally {
                Sql.execute(connection, LOCK.replace("%s", "unlock"));
            }
        }
    }

    private static boolean isLocked(Connection connection) throws SQLException {
        try {
            Sql.execute(connection, LOCK.replace("%s", "lock"));
            return true;
        } catch (SQLException e) {
            if (NOT_LOCKED.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    /** Reports each session once that holds the lock for long. */
    private static void report(Connection connection, Set<String> reported) throws SQLException {
        for (String holder : Sql.file("database/schema_lock_holder").query(connection, row -> row.getString("name"))) {
            if (reported.add(holder)) {
                LOG.warn(
                        "The tables need a migration, which waits: {} holds its lock. If it is not a relay or command of Caravan that"
                                + " works, end it with pg_terminate_backend",
                        holder);
            }
        }
    }

    private Flyway flyway(ExistingTables existing) {
        return Flyway.configure()
                .dataSource(dataSource)
                .locations("classpath:db/caravan")
                .table(HISTORY_TABLE)
                .baselineOnMigrate(true)
                .baselineVersion(existing.outbox() ? "1" : "0") // a new schema version needs a new condition here
                .load();
    }

    /** All migrations as one SQL script, for use with another migration tool. Names no schema if it is the schema {@code public}. */
    public static String print(OutboxSchema schema) {
        String migrations = MIGRATIONS.stream()
                .map(file -> "-- " + file + "\n"
                        + TextFile.resource("/db/caravan/" + file).orElseThrow())
                .collect(Collectors.joining("\n"));
        return schema.equals(OutboxSchema.PUBLIC)
                ? migrations
                : "create schema if not exists " + schema.quoted() + ";\n" + schema.use() + ";\n\n" + migrations
                        + "\nreset search_path;\n";
    }

    /** Creates the schema, and refuses what a migration must not touch. */
    private ExistingTables prepare() throws SQLException {
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
            return existing;
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
}
