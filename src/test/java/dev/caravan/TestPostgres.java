package dev.caravan;

import dev.caravan.lab.servers.PostgresServer;
import dev.caravan.schema.Schema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/** The Postgres that all tests of this JVM share; each test takes a database of its own from it. */
public final class TestPostgres {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private TestPostgres() {}

    public static PostgresServer server() {
        return Started.SERVER;
    }

    /** Creates a database with the tables of the outbox and returns its name. */
    public static String databaseWithTables() throws SQLException {
        String name = "outbox" + DATABASES.incrementAndGet();
        execute(server(), "create database " + name + " template " + Template.NAME + " strategy file_copy");
        return name;
    }

    private static void execute(PostgresServer server, String... statements) throws SQLException {
        try (var connection = server.dataSource("postgres").getConnection();
                var statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    /** Copying a database is ten times faster than applying the migrations again; as files, so that nothing goes through the WAL. */
    private static final class Template {
        static final String NAME = create();

        private static String create() {
            try {
                String name = server().createDatabase();
                new Schema(server().dataSource(name)).apply();
                return name;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static final class Started {
        static final PostgresServer SERVER = start();

        private static PostgresServer start() {
            try {
                PostgresServer server = PostgresServer.startWithPreparedTransactions();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> close(server), "stop-test-postgres"));
                // What it stores does not have to outlive a crash of this machine.
                execute(
                        server,
                        "alter system set fsync = off",
                        "alter system set full_page_writes = off",
                        "select pg_reload_conf()");
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void close(PostgresServer server) {
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
