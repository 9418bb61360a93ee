package dev.caravan;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.caravan.lab.servers.MariaDbServer;

/** The MariaDB that all tests of this JVM share; each test uses its own database. */
public final class TestMariaDb {
    private TestMariaDb() {}

    /** Skips the test if MariaDB is missing, but fails it where all tests must run. */
    public static MariaDbServer server() {
        require();
        return Started.SERVER;
    }

    /** A server for a test that kills it. Skips the test or fails it as {@link #server} does. */
    public static MariaDbServer ownServer() throws Exception {
        require();
        return MariaDbServer.startForTests();
    }

    private static void require() {
        ServerTests.require();
        assumeTrue(
                MariaDbServer.isInstalled() || "true".equals(System.getenv("CI")),
                "mariadbd is not on the PATH; it is part of Debian's package mariadb-server");
    }

    private static final class Started {
        static final MariaDbServer SERVER = start(); // it ends with this JVM

        private static MariaDbServer start() {
            try {
                return MariaDbServer.startForTests();
            } catch (Exception e) {
                throw new IllegalStateException("Could not start MariaDB", e);
            }
        }
    }
}
