package dev.caravan;

import dev.caravan.database.schema.Schema;
import dev.caravan.lab.servers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The Postgres that all tests of this JVM share; each test uses its own database. */
public final class TestPostgres {
    private static final AtomicInteger ENCODED = new AtomicInteger();

    private TestPostgres() {}

    public static PostgresServer server() {
        return Started.SERVER;
    }

    /** Creates a database with the tables of the outbox and returns its name. */
    public static String databaseWithTables() throws SQLException {
        return server().copyDatabase(Template.NAME);
    }

    /** Connections to a new database with another encoding, without tables. */
    public static DataSource withEncoding(String encoding) throws SQLException {
        String name = "encoding_" + encoding.toLowerCase(Locale.ROOT) + "_" + ENCODED.incrementAndGet();
        try (var connection = server().dataSource("postgres").getConnection();
                var statement = connection.createStatement()) {
            statement.execute("create database " + name + " encoding '" + encoding
                    + "' locale 'C' template template0 strategy file_copy");
        }
        return server().dataSource(name);
    }

    /** Copying a database is ten times faster than applying the migrations again. */
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
            ServerTests.require();
            try {
                PostgresServer server = PostgresServer.startForTests();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> close(server), "stop-test-postgres"));
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
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
