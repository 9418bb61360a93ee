package dev.caravan.lab.bench.run;

import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import dev.caravan.lab.servers.KafkaBroker;
import dev.caravan.lab.servers.PostgresServer;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The Postgres and the Kafka of all runs: new or given. */
public final class Servers implements AutoCloseable {
    private static final String DATABASE_IN_URL = "^(jdbc:postgresql://[^/]+/)([^?]*)(.*)$";

    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final long startMillis = System.currentTimeMillis();
    private final String url;
    private final String user;
    private final String password;
    private final String brokers;
    private final List<String> javaOptions;
    private int runs;

    /**
     * Starts the servers that are not given.
     *
     * @param javaOptions Java options of each measured program
     */
    public Servers(GivenServers given, List<String> javaOptions) throws Exception {
        this.javaOptions = List.copyOf(javaOptions);
        if (given.url() == null) {
            var postgres = PostgresServer.startUntilClosed();
            started.push(postgres);
            url = postgres.url("postgres");
            user = postgres.user();
            password = postgres.password();
        } else {
            url = given.url();
            user = given.user();
            password = given.password();
        }
        if (given.brokers() == null) {
            var kafka = KafkaBroker.start();
            started.push(kafka);
            brokers = kafka.bootstrapServers();
        } else {
            brokers = given.brokers();
        }
    }

    /** Creates the database of one run. */
    public BenchRun newRun() throws Exception {
        String name = "caravan_bench_" + startMillis + "_" + ++runs;
        execute("create database " + name);
        return new BenchRun(
                name,
                new Outbox(url.replaceFirst(DATABASE_IN_URL, "$1" + name + "$3"), user, password),
                brokers,
                javaOptions,
                () -> execute("drop database " + name + " with (force)"));
    }

    /** A setting of the database server, for example {@code server_version}. */
    public String setting(String name) throws SQLException {
        return Sql.text("select current_setting(:name)")
                .with("name", name)
                .first(Database.unpooled(url, user, password), row -> row.getString(1))
                .orElseThrow();
    }

    private void execute(String sql) throws SQLException {
        try (var connection = Database.unpooled(url, user, password).getConnection()) {
            Sql.execute(connection, sql);
        }
    }

    @Override
    public void close() throws Exception {
        while (!started.isEmpty()) {
            started.pop().close();
        }
    }
}
