package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestMariaDb;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import dev.caravan.lab.servers.MariaDbServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Drafts and checks of intakes of a real MariaDB, with its driver and with that of MySQL. */
@Tag("long")
class IntakeMariaDbIT {
    private static final String OUTBOX = """
            create table outbox (
                id bigint auto_increment primary key,
                `key` varchar(100) not null,
                topic varchar(100) not null,
                headers json,
                data mediumblob not null,
                state tinyint default 0 not null,
                created_on datetime(6) default current_timestamp(6) not null,
                processed_on datetime(6))""";

    @TempDir
    private Path folder;

    private TestOutbox outbox;
    private MariaDbServer server;
    private String name;
    private Connection source;

    @BeforeEach
    void open() throws Exception {
        outbox = TestOutbox.create();
        server = TestMariaDb.server();
        name = server.createDatabase();
        source = server.connect(name);
    }

    @AfterEach
    void close() throws Exception {
        source.close();
        outbox.close();
    }

    private void execute(String... statements) throws Exception {
        for (String sql : statements) {
            Sql.execute(source, sql);
        }
    }

    private CommandRun run(String url, String... args) throws Exception {
        String config = CommandRun.config(
                folder,
                outbox,
                "caravan.intakes=" + folder.resolve("intakes"),
                "camel.beans.shopDb=#class:com.zaxxer.hikari.HikariDataSource",
                "camel.beans.shopDb.jdbcUrl=" + url,
                "camel.beans.shopDb.username=" + server.user(),
                "camel.beans.shopDb.password=" + server.password(),
                "camel.beans.shopDb.maximumPoolSize=1");
        List<String> all = new ArrayList<>(List.of("intake"));
        all.addAll(Arrays.asList(args));
        all.addAll(List.of("--config", config));
        return CommandRun.of(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void a_draft_passes_the_check_with_each_driver(String driver) throws Exception {
        execute(OUTBOX, "insert into outbox (`key`, topic, data) values ('7', 'order.placed', '{}')");
        String url = driver.equals("mysql") ? server.mysqlUrl(name) : server.url(name);

        CommandRun drafted = run(url, "init", "--data-source", "shopDb", "--table", "outbox");
        CommandRun checked = run(url, "check", "--try-mark", "--statements");

        assertThat(drafted.exit()).as(drafted.err()).isZero();
        assertThat(folder.resolve("intakes/outbox.yaml"))
                .content()
                .contains(
                        "pending: \"state = 0\"",
                        "mark: \"state = 1, processed_on = current_timestamp\"",
                        "aggregateId: \"`key`\"",
                        "type: topic",
                        "payload: data");
        checked.assertDone(
                "1 pending row would become messages; the mark of the row [1] ends pending",
                "Run: create index outbox_pending on outbox (state, `id`)",
                "plan of read:\n  id=1, select_type=SIMPLE, table=outbox");
        execute("create index caravan_pending on outbox (state, id)");
        assertThat(run(url, "check").out()).doesNotContain("create index");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void a_table_without_transactions_is_a_hint_and_its_mark_is_not_tried(String driver) throws Exception {
        execute(
                "create table `Out``box` (`id` int primary key, `sent_at` datetime, `order` int, payload text) engine = MyISAM",
                "insert into `Out``box` values (1, null, 1, '{}')");
        String url = driver.equals("mysql") ? server.mysqlUrl(name) : server.url(name);
        assertThat(run(url, "init", "--data-source", "shopDb", "--table", "`Out``box`", "--name", "shop")
                        .err())
                .isEmpty();

        run(url, "check", "--try-mark")
                .assertDone(
                        "is a table of MyISAM, which has no transactions",
                        "Run: alter table `Out``box` engine = InnoDB",
                        "was not tried, because the table has no transactions");
        assertThat(Sql.rows(source, "select sent_at from `Out``box`", row -> row.getString(1)))
                .containsOnlyNulls();
    }

    @Test
    void flags_without_booleans_are_compared_with_numbers() throws Exception {
        execute(
                "create table a (id int primary key, is_published tinyint(1) default 0, payload text)",
                "create table b (id int primary key, processed smallint default 0, payload text)");

        for (String table : List.of("a", "b")) {
            run(server.url(name), "init", "--data-source", "shopDb", "--table", table);
            execute("insert into " + table + " (id, payload) values (1, '{}')");
            run(server.url(name), "check", "--try-mark")
                    .assertDone("table " + table + " of shopDb; 1 pending row would become messages; the mark of");
        }
        assertThat(folder.resolve("intakes/b.yaml"))
                .content()
                .contains("pending: \"processed = 0\"", "mark: \"processed = 1\"");
    }

    @Test
    void a_wrong_statement_is_named_with_its_line() throws Exception {
        execute(OUTBOX);
        run(
                server.url(name),
                "init",
                "--data-source",
                "shopDb",
                "--table",
                name + ".outbox",
                "--name",
                "shop",
                "--pending",
                "state = 0 and stat = 0");

        assertThat(run(server.url(name), "check").assertFailed().out())
                .containsPattern("shop.yaml:\\d+: pending fails: .*Unknown column 'stat'");
    }
}
