package dev.caravan.cli;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An outbox, a source in H2 whose data source is the bean shopDb, and the commands {@code caravan intake}. */
abstract class IntakeCommands extends CommandFixture {
    static final String OUTBOX = """
            create table outbox (
                id bigint generated always as identity primary key,
                msg_key varchar(100) not null,
                topic varchar(100) not null,
                data clob not null,
                state smallint default 0 not null,
                created_on timestamp default current_timestamp not null,
                processed_on timestamp,
                number_of_attempts int default 0 not null,
                error varchar(1000))""";
    static final String SHOP = """
            intake: shop
            dataSource: shopDb
            table: outbox
            pending: "state = 0"
            mark: "state = 1, processed_on = current_timestamp"
            message:
              aggregateType: "'order'"
              aggregateId: msg_key
              type: topic
              payload: data
            """;

    private String url;
    private Connection source;

    IntakeCommands() {
        super("intake");
    }

    @BeforeEach
    void open() throws Exception {
        url = "jdbc:h2:mem:" + UUID.randomUUID();
        source = DriverManager.getConnection(url, "sa", "secret-of-h2");
        config = config(database, "postgres");
    }

    @AfterEach
    void close() throws Exception {
        source.close();
    }

    /** Settings with the data source shopDb. */
    String config(TestOutbox database, String user, String... lines) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                "caravan.intakes=" + folder.resolve("intakes"),
                "camel.beans.shopDb=#class:com.zaxxer.hikari.HikariDataSource",
                "camel.beans.shopDb.jdbcUrl=" + url,
                "camel.beans.shopDb.username=sa",
                "camel.beans.shopDb.password=secret-of-h2",
                "camel.beans.shopDb.maximumPoolSize=2"));
        all.addAll(List.of(lines));
        return CommandRun.config(folder, database.url(), user, all.toArray(String[]::new));
    }

    String url() {
        return url;
    }

    void execute(String... statements) throws SQLException {
        for (String sql : statements) {
            Sql.execute(source, sql);
        }
    }

    long number(String query) throws SQLException {
        return Sql.number(source, query);
    }

    Path write(String name, String yaml) throws IOException {
        return Files.writeString(
                Files.createDirectories(folder.resolve("intakes")).resolve(name + ".yaml"), yaml);
    }
}
