package dev.caravan.lab.bench;

import picocli.CommandLine.Option;

/** The options that name servers to use instead of those that the benchmark starts. */
final class GivenServers {
    @Option(
            names = "--database-url",
            paramLabel = "URL",
            description =
                    "JDBC URL of a Postgres to use; its role must be allowed to create databases and to checkpoint."
                            + " Default: one started for the benchmark.")
    private String url;

    @Option(
            names = "--database-user",
            paramLabel = "USER",
            defaultValue = "${env:DB_USER:-postgres}",
            description = "Its user; the password is taken from the environment variable DB_PASSWORD."
                    + " Default: ${DEFAULT-VALUE}.")
    private String user;

    @Option(
            names = "--kafka",
            paramLabel = "BROKERS",
            description =
                    "host:port of a Kafka to use; topics are created and deleted there. Its clock must agree with the"
                            + " one of this machine. Default: one started for the benchmark.")
    private String brokers;

    /** Null: to be started. */
    String url() {
        return url;
    }

    String user() {
        return user;
    }

    String password() {
        String password = System.getenv("DB_PASSWORD");
        return password == null ? "" : password;
    }

    /** Null: to be started. */
    String brokers() {
        return brokers;
    }
}
