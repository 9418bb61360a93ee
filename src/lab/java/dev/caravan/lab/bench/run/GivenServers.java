package dev.caravan.lab.bench.run;

import picocli.CommandLine.Option;

/** Options for servers to use instead of starting new ones. */
public final class GivenServers {
    @Option(
            names = "--database-url",
            paramLabel = "URL",
            description =
                    "JDBC URL of a Postgres to use. The role must be allowed to create databases and to checkpoint."
                            + " Default: a new Postgres.")
    private String url;

    @Option(
            names = "--database-user",
            paramLabel = "USER",
            defaultValue = "${env:DB_USER:-postgres}",
            description = "User of the database. The password is taken from the environment variable DB_PASSWORD."
                    + " Default: ${DEFAULT-VALUE}.")
    private String user;

    @Option(
            names = "--kafka",
            paramLabel = "BROKERS",
            description =
                    "host:port of a Kafka to use. Topics are created and deleted there. Its clock must agree with the"
                            + " clock of this machine. Default: a new broker.")
    private String brokers;

    /** Null when a new server is started. */
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

    /** Null when a new server is started. */
    String brokers() {
        return brokers;
    }
}
