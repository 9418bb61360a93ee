package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drafts of intakes of tables in H2, which no relay works. */
class IntakeInitCommandTest {
    private static final String OUTBOX = """
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

    @TempDir
    Path folder;

    private String url;
    private Connection database;

    @BeforeEach
    void open() throws Exception {
        url = "jdbc:h2:mem:" + UUID.randomUUID();
        database = DriverManager.getConnection(url, "sa", "secret-of-h2");
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    private void execute(String sql) throws Exception {
        try (var statement = database.createStatement()) {
            statement.execute(sql);
        }
    }

    private String config(String... lines) throws IOException {
        Path file = folder.resolve("test.properties");
        Files.writeString(
                file,
                "caravan.db.url=jdbc:postgresql://localhost:1/none\ncamel.beans.shopDb=#class:com.zaxxer.hikari.HikariDataSource\n"
                        + "camel.beans.shopDb.jdbcUrl=" + url + "\ncamel.beans.shopDb.username=sa\n"
                        + "camel.beans.shopDb.password=secret-of-h2\ncamel.beans.shopDb.maximumPoolSize=2\n"
                        + String.join("\n", lines) + "\n");
        Files.createDirectories(folder.resolve("routes"));
        return file.toString();
    }

    private CommandRun init(String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of("intake", "init"));
        all.addAll(Arrays.asList(args));
        all.addAll(List.of("--config", config()));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private String draft(String table) throws IOException {
        CommandRun run = init("--data-source", "shopDb", "--table", table, "--output", "-");
        assertThat(run.err()).isEmpty();
        return run.out();
    }

    @Test
    void a_usual_table_is_understood() throws Exception {
        execute(OUTBOX);
        execute("insert into outbox (msg_key, topic, data, state) values ('7', 'orders', '{}', 0), ('7', 'orders', '[1]', 1)");
        System.out.println(draft("outbox"));
    }

    @Test
    void hostile() throws Exception {
        execute("create table \"My \"\"Out'box\" (\"key\" varchar(10), \"order\" int, \"Weird: # name\" varchar(10), \"payload\" varchar(1000), a timestamp)");
        System.out.println(draft("\"My \"\"Out'box\""));
        System.out.println(init("--data-source", "shopDb", "--table", "outbux", "--output", "-"));
        execute(OUTBOX);
        System.out.println(init("--data-source", "shopDb", "--table", "outbux", "--output", "-"));
        System.out.println(init("--data-source", "shopDb", "--table", "outbox"));
        System.out.println(init("--data-source", "shopDb", "--table", "outbox"));
        System.out.println(init("--data-source", "shopDB", "--table", "outbox"));
        System.out.println(init("--url", "jdbc:mysql://localhost/x", "--table", "outbox"));
        System.out.println(init("--url", "jdbc:foo://localhost/x", "--table", "outbox"));
        System.out.println(init("--url", url, "--user", "sa", "--table", "outbox"));
        System.out.println(init("--url", url, "--user", "sa", "--password", "secret-of-h2", "--table", "outbox", "--name", "shop", "--data-source", "shop2Db"));
        System.out.println(init("--url", "jdbc:postgresql://localhost:1/none", "--user", "sa", "--table", "outbox", "--output", "-"));
    }
}
