package dev.caravan.lab.servers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A real Postgres on a free port, with its data in a temporary folder that close removes. */
public final class PostgresServer implements AutoCloseable {
    private static final String MAX_CONNECTIONS = "200";

    private final EmbeddedPostgres postgres;
    /** For statements about databases: a new session for each would take more processor time than most statements. */
    private final HikariDataSource administration;

    private final AtEndOfJvm end;
    private final AtomicInteger databases = new AtomicInteger();

    private PostgresServer(EmbeddedPostgres postgres) throws IOException {
        this.postgres = postgres;
        administration = pool("postgres");
        end = AtEndOfJvm.removePostgres(dataDirectory());
    }

    private Path dataDirectory() throws IOException {
        try (var connection = administration.getConnection()) {
            return Sql.rows(connection, "show data_directory", row -> Path.of(row.getString(1)))
                    .get(0);
        } catch (SQLException e) {
            throw new IOException("Could not read the data directory of Postgres", e);
        }
    }

    /** Starts a server, which takes a few seconds. It stops when it is closed or the process ends. */
    public static PostgresServer start() throws IOException {
        return new PostgresServer(builder().start());
    }

    /** Starts a server that allows prepared transactions. */
    public static PostgresServer startWithPreparedTransactions() throws IOException {
        return new PostgresServer(
                builder().setServerConfig("max_prepared_transactions", "10").start());
    }

    /** Starts a server whose WAL a connector such as Debezium's can read. */
    public static PostgresServer startWithLogicalDecoding() throws IOException {
        return new PostgresServer(builder()
                .setServerConfig("wal_level", "logical")
                .setServerConfig("max_prepared_transactions", "10")
                .start());
    }

    /**
     * Starts a server for tests, with prepared transactions. Its data does not have to survive a crash of this machine: it does not
     * wait for the disk, and its data is in memory if the machine has enough. There a copy of a database takes a tenth of the time.
     */
    public static PostgresServer startForTests() throws IOException {
        return new PostgresServer(InitializedData.serverOn(MemoryFolder.create("caravan-postgres-"))
                .setServerConfig("max_connections", MAX_CONNECTIONS)
                .setServerConfig("max_prepared_transactions", "10")
                .setServerConfig("fsync", "off")
                .setServerConfig("full_page_writes", "off")
                .setServerConfig("max_wal_size", "200MB")
                .setServerConfig("bgwriter_delay", "10s")
                .setServerConfig("autovacuum_naptime", "1h") // of each database: a hundred of them would keep it busy
                .start());
    }

    /** Starts a server that only {@link #close} stops, so that it can be used while the process shuts down. */
    public static PostgresServer startUntilClosed() throws IOException {
        return new PostgresServer(builder().setRegisterShutdownHook(false).start());
    }

    private static EmbeddedPostgres.Builder builder() {
        return EmbeddedPostgres.builder().setServerConfig("max_connections", MAX_CONNECTIONS);
    }

    /** JDBC URL of a database of this server. */
    public String url(String database) {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/" + database;
    }

    public String user() {
        return "postgres";
    }

    public String password() {
        return "postgres";
    }

    /** Creates an empty database and returns its name. */
    public String createDatabase() throws SQLException {
        return createDatabase("");
    }

    /** Copies a database without sessions, and returns the name of the copy. Copies files, and writes no WAL for the rows. */
    public String copyDatabase(String template) throws SQLException {
        return createDatabase(" template " + template + " strategy file_copy");
    }

    private String createDatabase(String how) throws SQLException {
        String name = "db" + databases.incrementAndGet();
        execute("create database " + name + how);
        return name;
    }

    /** Removes a database with all sessions that use it. */
    public void dropDatabase(String name) throws SQLException {
        execute("drop database if exists " + name + " with (force)");
    }

    private void execute(String sql) throws SQLException {
        try (var connection = administration.getConnection()) {
            Sql.execute(connection, sql);
        }
    }

    /** Unpooled connections to a database of this server. */
    public DataSource dataSource(String database) {
        return Database.unpooled(url(database), user(), password());
    }

    /** Pooled connections to a database of this server, for many short statements. The caller closes the pool. */
    public HikariDataSource pool(String database) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(dataSource(database));
        config.setMinimumIdle(0);
        config.setInitializationFailTimeout(-1); // otherwise the pool opens a session at once, and closes it
        config.setPoolName(database);
        return new HikariDataSource(config);
    }

    @Override
    public void close() throws IOException {
        administration.close();
        postgres.close();
        end.close();
    }
}
