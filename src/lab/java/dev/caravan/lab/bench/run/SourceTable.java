package dev.caravan.lab.bench.run;

import dev.caravan.database.Sql;
import dev.caravan.lab.servers.MariaDbServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/** The outbox table of an application, in a new database of a MariaDB, and the settings of its intake. */
public final class SourceTable {
    /** The name of the intake. */
    public static final String INTAKE = "orders";

    /** What ends pending, in SQL of the source. */
    static final String MARK = "state = 1, processed_on = now(6), marks = marks + 1";

    private static final String FILE = """
            intake: %s
            dataSource: source
            table: outbox
            key: id
            pending: "state = 0"
            order: seq
            mark: "%s"
            message:
              id: id
              aggregateType: "'order'"
              aggregateId: msg_key
              type: topic
              payload: data
            batch: %d
            """;

    private final MariaDbServer server;
    private final String database;

    /** Creates the database and the table. */
    public SourceTable(MariaDbServer server) throws SQLException {
        this.server = server;
        database = server.createDatabase();
        execute(BenchSql.read("source_table"));
    }

    /** The update of a list of rows, as the intake does it. */
    public static String mark(String keys) {
        return "update outbox set " + MARK + " where id in (" + keys + ") and state = 0";
    }

    public String url() {
        return server.url(database);
    }

    public String user() {
        return server.user();
    }

    public String password() {
        return server.password();
    }

    /** Opens a connection, which the caller closes. */
    public Connection connect() throws SQLException {
        return server.connect(database);
    }

    /** Inserts pending rows, in one transaction. */
    public void fill(int rows, int keys, int bytes) throws SQLException {
        try (Connection connection = connect();
                var insert = connection.prepareStatement(BenchSql.read("source_fill"))) {
            insert.setInt(1, keys);
            insert.setInt(2, Math.max(1, bytes - 30));
            insert.setInt(3, rows);
            insert.executeUpdate();
        }
    }

    public void execute(String sql) throws SQLException {
        try (Connection connection = connect()) {
            Sql.execute(connection, sql);
        }
    }

    /** The first value of the first row. */
    public long number(String query) throws SQLException {
        try (Connection connection = connect()) {
            return Sql.number(connection, query);
        }
    }

    /** How many rows are not marked. */
    public long pending() throws SQLException {
        return number("select count(*) from outbox where state = 0");
    }

    /** Processor time that the server has used; zero if the system does not report it. */
    public Duration serverCpu() {
        return ProcessHandle.of(server.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElse(Duration.ZERO);
    }

    /**
     * Writes the file of the intake, and returns the settings of a relay that works it.
     *
     * @param folder for the file
     */
    public Map<String, String> intake(Path folder, int batch) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(INTAKE + ".yaml"), FILE.formatted(INTAKE, MARK, batch));
        return Map.of(
                "caravan.intakes", folder.toAbsolutePath().toString(),
                "camel.beans.source", "#class:com.zaxxer.hikari.HikariDataSource",
                "camel.beans.source.jdbcUrl", url(),
                "camel.beans.source.username", user(),
                "camel.beans.source.password", password(),
                "camel.beans.source.maximumPoolSize", "2",
                // the source may be away when the relay starts
                "camel.beans.source.initializationFailTimeout", "-1");
    }
}
