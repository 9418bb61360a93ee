package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.docs.DocsPage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings of docs/recipes/sql-upsert.md for a route that writes into another database. */
class SecondDatabaseIT {
    @TempDir
    Path folder;

    @Test
    void a_step_writes_into_the_database_that_it_names_and_only_if_it_is_told_to_send() throws Exception {
        try (TestOutbox outbox = TestOutbox.create();
                TestOutbox warehouse = TestOutbox.create()) {
            outbox.execute("create table sold (id text)");
            warehouse.execute("create table sold (id text)");
            Path routes = Files.createDirectory(folder.resolve("routes"));
            Path file = Files.writeString(routes.resolve("sales.camel.yaml"), """
                    - route:
                        id: sales
                        from:
                          uri: outbox:sales
                          steps:
                            - to: {uri: "sql:insert into sold values ('here')"}
                            - to: {uri: "sql:insert into sold values ('there')", parameters: {dataSource: "#bean:warehouse"}}
                    """);
            warehouse.execute("create table notices (setting text)");
            warehouse.execute("create function noted() returns trigger language plpgsql as $$ begin"
                    + " insert into notices values (current_setting('client_min_messages')); return new; end $$");
            warehouse.execute("create trigger noted before insert on sold for each row execute function noted()");
            String config = CommandRun.config(folder, outbox, settings(warehouse));

            attempt(file, config);
            assertThat(outbox.number("select count(*) from sold")).isZero();
            assertThat(warehouse.number("select count(*) from sold")).isZero();

            attempt(file, config, "--send");
            assertThat(outbox.text("select string_agg(id, ' ') from sold")).isEqualTo("here");
            assertThat(warehouse.text("select string_agg(id, ' ') from sold")).isEqualTo("there");
            assertThat(warehouse.text("select setting from notices")).isEqualTo("error");
        }
    }

    @Test
    void a_database_that_does_not_answer_ends_the_attempt() throws Exception {
        try (TestOutbox outbox = TestOutbox.create();
                TestOutbox warehouse = TestOutbox.create();
                Connection locking = warehouse.dataSource().getConnection()) {
            warehouse.execute("create table sold (id text)");
            Path file = Files.writeString(
                    Files.createDirectory(folder.resolve("routes")).resolve("sales.camel.yaml"), """
                    - route:
                        id: sales
                        from:
                          uri: outbox:sales
                          steps:
                            - to: {uri: "sql:insert into sold values ('there')", parameters: {dataSource: "#bean:warehouse"}}
                    """);
            String config = CommandRun.config(
                    folder, outbox, settings(warehouse).replace("socketTimeout]=60", "socketTimeout]=1"));
            locking.setAutoCommit(false);
            locking.createStatement().execute("lock table sold");

            CommandRun run = CommandRun.of(
                    "try",
                    file.toString(),
                    "--config",
                    config,
                    "--type=order.paid",
                    "--key=order/1",
                    "--payload={}",
                    "--send");

            assertThat(run.out() + run.err()).contains("Read timed out");
        }
    }

    private static void attempt(Path file, String config, String... options) {
        CommandRun run = CommandRun.of(
                List.of(
                        "try",
                        file.toString(),
                        "--config",
                        config,
                        "--type=order.paid",
                        "--key=order/1",
                        "--payload={}"),
                options);

        assertThat(run.err()).isEmpty();
        run.assertDone("insert into sold values ('here')", "insert into sold values ('there')");
    }

    private static String settings(TestOutbox warehouse) {
        return DocsPage.read("docs/recipes/sql-upsert.md")
                .blocks("properties")
                .get(0)
                .replaceFirst("jdbcUrl=.*", "jdbcUrl=" + warehouse.url())
                .replaceFirst("username=.*", "username=postgres")
                .replaceFirst("password=.*", "password=postgres");
    }
}
