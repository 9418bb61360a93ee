package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check of intakes, and what people see of them and change. */
class IntakeCommandIT extends IntakeCommands {
    private static final String ONE_ROW =
            "insert into outbox (msg_key, topic, data) values ('7', 'order.placed', '{}')";

    @Test
    void a_draft_passes_the_check_and_its_mark_is_proved_without_a_change() throws Exception {
        execute(OUTBOX, ONE_ROW);
        run("init", "--data-source", "shopDb", "--table", "outbox").assertDone();

        CommandRun run = run("check", "--try-mark");

        run.assertDone(
                "table outbox of shopDb; 1 pending row would become messages; the mark of the row [1] ends pending; it was"
                        + " rolled back",
                "Run: create index outbox_pending on outbox (state, \"ID\")",
                "No problems found. 1 hint.");
        assertThat(number("select count(*) from outbox where state = 0 and processed_on is null"))
                .isEqualTo(1);
        execute("create index pending_rows on outbox (state, id)");
        assertThat(run("check").out()).doesNotContain("create index").contains("No problems found.\n");
    }

    @Test
    void the_statements_are_shown_with_the_plan_also_as_json() throws Exception {
        execute(OUTBOX);
        write("shop", SHOP);

        assertThat(run("check").out()).doesNotContain("update outbox");
        assertThat(run("check", "--statements").out())
                .contains(
                        "shop, read:\n  select \"ID\" as caravan_1",
                        "shop, mark:\n  update outbox set state = 1, processed_on = current_timestamp where (\"ID\" = ?) and (state = 0)",
                        "shop, plan of read:\n  SELECT");
        JsonNode json = run("check", "--statements", "--output", "json").json();
        assertThat(json.at("/ok").booleanValue()).isTrue();
        assertThat(json.at("/findings/1/text").textValue()).isEqualTo("table outbox of shopDb; no row is pending");
        assertThat(json.at("/statements/0/statements/mark").textValue()).startsWith("update outbox set");
        assertThat(json.at("/statements/0/plan")).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "state = 0 | stat = 0 | :4: pending fails: Column \"STAT\" not found",
                "table: outbox | table: outbux | :3: table fails: Table \"OUTBUX\" not found",
                "msg_key | key_of_msg | message.aggregateId fails: Column \"KEY_OF_MSG\" not found",
                "shopDb | shopDB | :2: There is no data source shopDB in the settings, did you mean shopDb?",
                "intake: shop | intake: shops | :1: intake must be the name of the file, shop, got shops",
            })
    void what_does_not_fit_is_named_with_its_line(String right, String wrong, String problem) throws Exception {
        execute(OUTBOX, ONE_ROW);
        Path file = write("shop", SHOP.replaceFirst(right, wrong));

        run("check", file.toString()).assertEnded(1, "PROBLEM  intakes       shop: " + file, problem);
    }

    @Test
    void all_problems_of_all_files_are_reported_at_once() throws Exception {
        execute(OUTBOX, ONE_ROW);
        write(
                "shop",
                SHOP.replace("state = 0", "stat = 0")
                        + "outcome:\n  subscription: orders\n  delivered: sent = 1\n  dead: error = :error, tries = :attempts\n");
        write("billing", SHOP.replace("mark", "marks").replace("shop\n", "billing\n"));
        write(
                "stock",
                SHOP.replace("intake: shop", "intake: stock")
                        + "outcome:\n  subscription: orders\n  delivered: state = 2\n");

        CommandRun run = run("check");

        assertThat(run.out())
                .contains(
                        "billing.yaml:5: unknown field marks",
                        "shop.yaml:4: pending fails",
                        "shop.yaml:13: outcome.delivered fails: Column \"SENT\" not found",
                        "shop.yaml:14: outcome.dead fails: Column \"TRIES\" not found",
                        "ok       intakes       stock",
                        "hint     intakes       stock: reads the same table as shop.",
                        "hint     intakes       stock: the subscription orders of its outcome does not exist yet");
    }

    @Test
    void a_mark_that_does_not_end_pending_is_a_problem() throws Exception {
        execute(OUTBOX, ONE_ROW);
        write("shop", SHOP.replace("state = 1, ", ""));

        run("check", "shop").assertDone();
        run("check", "--try-mark")
                .assertEnded(1, "shop.yaml:5: mark does not end pending: the row [1] is still pending after it");
        assertThat(number("select count(*) from outbox where processed_on is null"))
                .isEqualTo(1);
    }

    @Test
    void a_mark_that_deletes_is_tried_too_and_without_a_row_nothing_is() throws Exception {
        execute(OUTBOX);
        write("shop", SHOP.replaceFirst("mark: .*", "mark: delete"));
        assertThat(run("check", "--try-mark").out()).contains("the mark was not tried, because no row is pending");
        execute(ONE_ROW);

        assertThat(run("check", "--try-mark").out()).contains("the mark of the row [1] ends pending");
        assertThat(number("select count(*) from outbox")).isEqualTo(1);
    }

    @Test
    void rows_that_would_become_dead_letters_are_a_hint() throws Exception {
        execute(OUTBOX, ONE_ROW, ONE_ROW.replace("{}", "no json, but a secret"), ONE_ROW.replace("'7'", "''"));
        write("shop", SHOP);

        assertThat(run("check")
                        .assertDone(
                                "2 of 3 pending rows would become dead letters, the first one with the key [2]:",
                                "table outbox of shopDb\n")
                        .out())
                .doesNotContain("a secret");
    }

    @Test
    void a_missing_driver_or_a_wrong_login_is_a_problem_of_its_intake_only() throws Exception {
        execute(OUTBOX);
        config = config(
                database,
                "postgres",
                "camel.beans.oracleDb=#class:com.zaxxer.hikari.HikariDataSource",
                "camel.beans.oracleDb.jdbcUrl=jdbc:oracle:thin:scott/tiger@localhost:1/shop",
                "camel.beans.wrongDb=#class:com.zaxxer.hikari.HikariDataSource",
                "camel.beans.wrongDb.jdbcUrl=" + url(),
                "camel.beans.wrongDb.username=nobody");
        write("oracle", SHOP.replace("shop\n", "oracle\n").replace("shopDb", "oracleDb"));
        write("shop", SHOP);
        write("wrong", SHOP.replace("shop\n", "wrong\n").replace("shopDb", "wrongDb"));

        assertThat(run("check")
                        .assertEnded(
                                1,
                                "oracle.yaml:2: No JDBC driver was found for the data source oracleDb (jdbc:oracle:)",
                                "./caravan component add com.oracle.database.jdbc:ojdbc11:",
                                "ok       intakes       shop",
                                "wrong.yaml:2: Could not connect to the database of the data source wrongDb: Wrong user name",
                                "Check the settings camel.beans.wrongDb.")
                        .out())
                .doesNotContain("tiger", "caravan.db.user");
    }

    @Test
    void the_role_of_the_relay_needs_rights_that_only_intakes_need() throws Exception {
        execute(OUTBOX);
        write("shop", SHOP);
        String role = database.roleWithGrants();
        database.execute(
                "revoke insert, update on outbox_intake from " + role + "; revoke insert on outbox from " + role);
        config = CommandRun.config(folder, database.url(), role);
        Files.writeString(
                Path.of(config),
                Files.readString(Path.of(config(database, role)))
                        .replace("db.password=postgres", "db.password=" + TestOutbox.PASSWORD_OF_ROLES));

        run("check")
                .assertEnded(
                        1,
                        "Role " + role
                                + " lacks insert on outbox, which intakes need. Run as its owner: grant insert on outbox to "
                                + role,
                        "lacks update, insert on outbox_intake");
    }

    @Test
    void an_outbox_that_is_away_is_reported_beside_what_the_sources_say() throws Exception {
        execute(OUTBOX);
        write("shop", SHOP);
        Files.writeString(
                Path.of(config),
                Files.readString(Path.of(config))
                        .replaceFirst("db.url=.*", "db.url=jdbc:postgresql://localhost:1/none"));

        run("check")
                .assertEnded(1, "ok       intakes       shop", "PROBLEM  database      connection: Could not connect");
    }

    @Test
    void without_files_there_is_nothing_to_check() {
        run("check").assertFailed("There is no file *.yaml in " + folder.resolve("intakes"));
    }

    @Test
    void a_hostile_table_of_postgres_is_drafted_and_checked() throws Exception {
        database.execute(
                "create table \"Out\"\"box\" (other int primary key); create schema \"Shop.1\"; create table \"Shop.1\".\"Out\"\"box\" (\"key\" text, \"Order\" bigint generated always as"
                        + " identity, \"user\" text, \"Select\" jsonb, \"done\" boolean default false, primary key (\"key\", \"user\"));"
                        + " insert into \"Shop.1\".\"Out\"\"box\" (\"key\", \"user\", \"Select\") values ('it''s', 'b', '{}')");
        config = config(
                database,
                "postgres",
                "camel.beans.pgDb=#class:org.postgresql.ds.PGSimpleDataSource",
                "camel.beans.pgDb.url=" + database.url(),
                "camel.beans.pgDb.user=postgres",
                "camel.beans.pgDb.password=postgres");

        CommandRun drafted =
                run("init", "--data-source", "pgDb", "--table", "\"Shop.1\".\"Out\"\"box\"", "--name", "hostile");
        CommandRun checked = run("check", "--try-mark");

        assertThat(drafted.exit()).as(drafted.err()).isZero();
        checked.assertDone(
                "1 pending row would become messages; the mark of the row [\"it's\",\"b\"] ends pending",
                "Run: create index out_box_pending on \"Shop.1\".\"Out\"\"box\" (\"Order\") where done = false");
        database.execute("create index on \"Shop.1\".\"Out\"\"box\" (\"Order\") where done = false");
        assertThat(run("check").out()).doesNotContain("create index");
    }

    @Test
    void the_check_of_everything_includes_intakes_with_data_sources_of_route_files() throws Exception {
        execute(OUTBOX, ONE_ROW);
        Path routes = Files.createDirectories(folder.resolve("routes"));
        Files.writeString(routes.resolve("beans.camel.yaml"), """
                - beans:
                    - name: routeDb
                      type: org.h2.jdbcx.JdbcDataSource
                      properties:
                        url: "%s"
                        user: sa
                        password: secret-of-h2
                """.formatted(url()));
        config = config(database, "postgres", "caravan.routes=" + routes);
        write("shop", SHOP);
        write("routes", SHOP.replace("shop\n", "routes\n").replace("shopDb", "routeDb"));

        command("check")
                .assertDone(
                        "ok       intakes       routes: table outbox of routeDb; 1 pending row would become messages",
                        "ok       intakes       shop: table outbox of shopDb; 1 pending row would become messages");
        write("shop", SHOP.replace("state = 0", "stat = 0"));
        command("check").assertEnded(1, "PROBLEM  intakes       shop: ", "shop.yaml:4: pending fails");
        assertThat(command("check", "--no-routes").out()).doesNotContain("intakes");
    }

    @Test
    void a_relay_needs_no_route_file_if_it_has_intakes() throws Exception {
        execute(OUTBOX, ONE_ROW);
        config = config(database, "postgres", "caravan.routes=" + Files.createDirectories(folder.resolve("routes")));

        command("check").assertEnded(2, "contains no route file");

        write("shop", SHOP);

        command("check").assertDone("and only work its intakes");
    }

    @Test
    void intakes_are_listed_with_what_a_person_has_to_do() throws Exception {
        assertThat(run("list").out()).isEqualTo("No relay has worked an intake yet.\n");
        database.execute(
                "insert into outbox_intake (intake, source, relay, lease_until, copied) values ('shop', 'shopDb.outbox',"
                        + " 'relay-1', clock_timestamp() + interval '1 minute', 7)");
        database.execute(
                "insert into outbox_intake (intake, source, halted, error) values ('billing', 'billDb.outbox', true, 'the mark"
                        + " does not end pending')");
        database.execute(
                "insert into outbox_intake (intake, source, failing_since, error) values ('stock', 'stockDb.outbox',"
                        + " clock_timestamp() - interval '5 minutes', 'connection refused')");

        assertThat(run("list").out())
                .contains("INTAKE", "shopDb.outbox", "relay-1", "running", "halted", "failing")
                .contains(
                        "Intake billing is halted: the mark does not end pending\nWhen that is corrected, run: ./caravan intake resume"
                                + " billing")
                .contains("failing 5m", "Intake stock fails: connection refused");
        assertThat(run("list", "--output", "json").json().findValuesAsText("intake"))
                .containsExactly("billing", "shop", "stock");
    }

    @Test
    void an_intake_is_paused_resumed_and_removed() throws Exception {
        database.execute(
                "insert into outbox_intake (intake, source, relay, lease_until) values ('shop', 'shopDb.outbox', 'relay-1',"
                        + " clock_timestamp() + interval '1 minute')");

        assertThat(run("pause", "shop", "--who", "anna").out()).contains("Paused shop. Its relay stops reading");
        assertThat(run("pause", "shop").out()).contains("shop is already paused.");
        assertThat(run("resume", "shop").out()).contains("Resumed shop.");
        assertThat(run("resume", "shop").out()).contains("shop is neither paused nor halted.");
        assertThat(run("remove", "shop").err()).contains("relay relay-1 works it. Nothing was changed.");
        assertThat(run("pause", "shpo").err())
                .contains(
                        "There is no intake shpo, did you mean shop? Nothing was changed. See: ./caravan intake list");
        assertThat(database.text("select string_agg(action, ',' order by id) from outbox_audit"))
                .isEqualTo("pause,resume");

        database.execute("update outbox_intake set relay = null, lease_until = null");
        write("shop", SHOP);
        run("remove", "shop")
                .assertDone("Removed intake shop. Its file " + folder.resolve("intakes/shop.yaml")
                        + " still exists: a relay that");
        assertThat(run("remove", "shop").err()).contains("There is no intake shop");
    }

    @Test
    void an_intake_with_marks_that_are_not_confirmed_is_removed_only_with_a_confirmation() throws Exception {
        database.execute(
                "insert into outbox_intake (intake, source, batch) values ('shop', 'shopDb.outbox', '[[1],[2]]')");

        run("remove", "shop")
                .assertWrongUse(
                        "Remove intake shop and lose 0 waiting rows, 0 dead letters and 2 rows whose mark in the source is not");
        assertThat(run("remove", "shop", "--yes").out()).contains("Removed intake shop with 0 waiting rows");
    }
}
