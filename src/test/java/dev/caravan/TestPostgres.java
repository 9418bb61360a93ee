package dev.caravan;

import dev.caravan.demo.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The Postgres that all tests of this JVM share; each test takes a database of its own from it. */
public final class TestPostgres {
    private TestPostgres() {}

    public static PostgresServer server() {
        return Started.SERVER;
    }

    private static final class Started {
        static final PostgresServer SERVER = start();

        private static PostgresServer start() {
            try {
                PostgresServer server = PostgresServer.startWithPreparedTransactions();
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
