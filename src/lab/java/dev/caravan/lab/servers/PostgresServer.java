package dev.caravan.lab.servers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A real Postgres on a free port, with its data in a temporary folder that close removes. */
public final class PostgresServer implements AutoCloseable {
    private static final String MAX_CONNECTIONS = "200";

    private final EmbeddedPostgres postgres;
    private final String password;
    /** For statements about databases: a new session for each would take more processor time than most statements. */
    private final HikariDataSource administration;

    private final AtEndOfJvm end;
    private final AtomicInteger databases = new AtomicInteger();

    private PostgresServer(EmbeddedPostgres postgres, String password) throws IOException {
        this.postgres = postgres;
        this.password = password;
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
        return start(builder());
    }

    /** Starts a server that allows prepared transactions. */
    public static PostgresServer startWithPreparedTransactions() throws IOException {
        return start(builder().setServerConfig("max_prepared_transactions", "10"));
    }

    /** Starts a server whose WAL a connector such as Debezium's can read. */
    public static PostgresServer startWithLogicalDecoding() throws IOException {
        return start(
                builder().setServerConfig("wal_level", "logical").setServerConfig("max_prepared_transactions", "10"));
    }

    /**
     * Starts a server for tests, with prepared transactions. Its data does not have to survive a crash of this machine: it does not
     * wait for the disk, and its data is in memory if the machine has enough. There a copy of a database takes a tenth of the time. It asks
     * for no password.
     */
    public static PostgresServer startForTests() throws IOException {
        EmbeddedPostgres.Builder server = InitializedData.serverOn(MemoryFolder.create("caravan-postgres-"))
                .setServerConfig("max_connections", MAX_CONNECTIONS)
                .setServerConfig("max_prepared_transactions", "10")
                .setServerConfig("fsync", "off")
                .setServerConfig("full_page_writes", "off")
                .setServerConfig("max_wal_size", "200MB")
                .setServerConfig("bgwriter_delay", "10s")
                .setServerConfig("autovacuum_naptime", "1h"); // of each database: a hundred of them would keep it busy
        return new PostgresServer(server.start(), "postgres");
    }

    /** Starts a server that only {@link #close} stops, so that it can be used while the process shuts down. */
    public static PostgresServer startUntilClosed() throws IOException {
        return start(builder().setRegisterShutdownHook(false));
    }

    private static EmbeddedPostgres.Builder builder() throws IOException {
        return InitializedData.builder().setServerConfig("max_connections", MAX_CONNECTIONS);
    }

    /** With a password that nobody knows: whoever is a superuser runs programs as the user who has started the server. */
    private static PostgresServer start(EmbeddedPostgres.Builder server) throws IOException {
        String password = UUID.randomUUID().toString();
        Path file = Files.createTempFile("caravan-", ".password"); // only its owner may read it
        try {
            Files.writeString(file, password);
            server.setLocaleConfig("auth", "scram-sha-256") // these options of initdb are not only for locales
                    .setLocaleConfig("pwfile", file.toString())
                    .setConnectConfig("password", password);
            return new PostgresServer(server.start(), password);
        } finally {
            Files.delete(file);
        }
    }

    /** JDBC URL of a database of this server. */
    public String url(String database) {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/" + database;
    }

    public String user() {
        return "postgres";
    }

    public String password() {
        return password;
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
