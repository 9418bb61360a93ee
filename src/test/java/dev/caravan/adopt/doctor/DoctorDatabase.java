package dev.caravan.adopt.doctor;

import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import dev.caravan.lab.servers.AtEndOfJvm;
import dev.caravan.lab.servers.InitializedData;
import dev.caravan.lab.servers.MemoryFolder;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * A database for the doctor. All of them are on one server of their own, which is durable, has pg_stat_statements, slots and prepared
 * transactions: problems of the server would disturb other tests.
 */
final class DoctorDatabase {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** Each figure of the server that has a limit is a finding. */
    static final Limits NO_LIMITS = new Limits(Duration.ZERO, Duration.ZERO, 1, 0, 1, Long.MAX_VALUE, 0);

    /** For the table outbox. */
    static final Request DEFAULT = request(null, null);

    /** A function that fails when the superuser runs it. */
    static final String NOT_AS_POSTGRES = " create function go(text) returns boolean immutable language plpgsql as"
            + " 'begin if current_user = ''postgres'' then raise ''ran as postgres''; end if; return true; end';";

    /** The session of the latest database: a new one for each statement would take most of the processor time of these tests. */
    private static Connection session;

    private final String name;

    private DoctorDatabase(String name) {
        this.name = name;
    }

    static DoctorDatabase create() throws SQLException {
        String name = "doctor" + NUMBER.incrementAndGet();
        new DoctorDatabase("postgres").execute("create database " + name + " strategy file_copy");
        DoctorDatabase database = new DoctorDatabase(name);
        database.execute("create extension pg_stat_statements");
        return database;
    }

    /** With the schema public for Caravan's tables. */
    static Doctor doctor(DataSource dataSource, Limits limits) {
        return new Doctor(dataSource, dataSource, limits);
    }

    static Request request(String table, String pending) {
        return new Request(Optional.ofNullable(table), Optional.ofNullable(pending), Optional.empty());
    }

    String name() {
        return name;
    }

    /** Creates a role with this schema. */
    String owner(String schema) throws SQLException {
        String role = name + "_" + schema;
        execute(
                "create role " + role + " login password 'postgres'",
                "create schema " + schema + " authorization " + role);
        return role;
    }

    String url() {
        return "jdbc:postgresql://localhost:" + Started.SERVER.getPort() + "/" + name;
    }

    DataSource dataSource() {
        return dataSourceAs("postgres");
    }

    DataSource dataSourceAs(String role) {
        return Database.unpooled(url(), role, "postgres");
    }

    Connection connect() throws SQLException {
        return dataSource().getConnection();
    }

    /** Executes statements, each in a transaction of its own. */
    void execute(String... statements) throws SQLException {
        try (var statement = session().createStatement()) {
            for (String each : statements) {
                statement.execute(each);
                statement.execute(
                        "select pg_stat_force_next_flush()"); // otherwise an earlier one may count after VACUUM
            }
            statement.execute("discard all");
        }
    }

    private Connection session() throws SQLException {
        if (session == null || session.isClosed() || !session.getCatalog().equals(name)) {
            if (session != null) {
                session.close();
            }
            session = connect();
        }
        return session;
    }

    String text(String query) throws SQLException {
        return Sql.rows(session(), query, row -> row.getString(1)).get(0);
    }

    Report examine(String table) throws SQLException {
        return examine(request(table, null));
    }

    Report examine(Request request) throws SQLException {
        return doctor(dataSource(), Limits.DEFAULT).examine(request);
    }

    /** The findings of a kind about a table. */
    List<Finding> findings(String table, FindingKind kind) throws SQLException {
        return only(kind, examine(table));
    }

    /** The findings of a kind when every figure of the server is too high. */
    List<Finding> findingsWithoutLimits(String table, FindingKind kind) throws SQLException {
        return only(kind, doctor(dataSource(), NO_LIMITS).examine(request(table, null)));
    }

    static List<Finding> only(FindingKind kind, Report report) {
        return report.findings().stream()
                .filter(finding -> finding.kind() == kind)
                .toList();
    }

    private static final class Started {
        static final EmbeddedPostgres SERVER = start();

        private static EmbeddedPostgres start() {
            try {
                Path data = MemoryFolder.create("caravan-doctor-");
                AtEndOfJvm.removePostgres(data);
                return InitializedData.serverOn(data)
                        .setServerConfig("fsync", "on")
                        .setServerConfig("synchronous_commit", "on")
                        .setServerConfig("max_connections", "100")
                        .setServerConfig("max_prepared_transactions", "10")
                        .setServerConfig("autovacuum_naptime", "1h")
                        .setServerConfig("wal_level", "logical")
                        .setServerConfig("shared_preload_libraries", "pg_stat_statements")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
