package dev.caravan;

/** Tests that start a server are integration tests: the quick level runs without servers. */
public final class ServerTests {
    private ServerTests() {}

    /** Throws an exception in a JVM of tests whose class is named …Test. */
    public static void require() {
        if ("none".equals(System.getProperty("test.servers"))) {
            throw new IllegalStateException(
                    "A test that starts a server is an integration test: rename its class from …Test to …IT");
        }
    }
}
