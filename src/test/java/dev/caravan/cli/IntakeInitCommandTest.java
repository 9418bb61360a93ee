package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.intake.Intake;
import dev.caravan.adopt.intake.IntakeFile;
import dev.caravan.database.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Drafts of intakes of tables in H2. The outbox is not needed. */
class IntakeInitCommandTest {
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

    private void execute(String... statements) throws Exception {
        for (String sql : statements) {
            Sql.execute(database, sql);
        }
    }

    private Path intakes() {
        return folder.resolve("intakes");
    }

    private CommandRun run(String... args) throws IOException {
        Path file = folder.resolve("test.properties");
        Files.writeString(
                file,
                String.join(
                        "\n",
                        "caravan.db.url=jdbc:postgresql://localhost:1/none",
                        "caravan.intakes=" + intakes(),
                        "camel.beans.shopDb=#class:com.zaxxer.hikari.HikariDataSource",
                        "camel.beans.shopDb.jdbcUrl=" + url,
                        "camel.beans.shopDb.username=sa",
                        "camel.beans.shopDb.password=secret-of-h2"));
        return CommandRun.of(List.of("intake", "init", "--config", file.toString()), args);
    }

    private String drafted(String table, String... more) throws IOException {
        List<String> args = new ArrayList<>(List.of("--data-source", "shopDb", "--table", table, "--output", "-"));
        args.addAll(List.of(more));
        CommandRun run = run(args.toArray(String[]::new));
        assertThat(run.err()).isEmpty();
        return run.out();
    }

    /** The draft as a relay reads it. */
    private Intake intake(String draft) throws IOException {
        List<FileProblem> problems = new ArrayList<>();
        String name = draft.replaceFirst("(?s).*\\nintake: (\\S+)\\n.*", "$1");
        Optional<Intake> intake = IntakeFile.read(Files.writeString(folder.resolve(name + ".yaml"), draft), problems);
        assertThat(problems).isEmpty();
        return intake.orElseThrow();
    }

    @Test
    void a_usual_table_is_understood() throws Exception {
        execute(
                IntakeCommands.OUTBOX,
                "insert into outbox (msg_key, topic, data, state) values ('7', 'orders', '{\"secret\": 1}', 0), ('7', 'orders', '[1]', 1)");

        String draft = drafted("outbox", "--name", "shop");

        Intake intake = intake(draft);
        assertThat(intake.pending()).isEqualTo("state = 0");
        assertThat(intake.mark()).contains("state = 1, processed_on = current_timestamp");
        assertThat(intake.message().aggregateId()).isEqualTo("msg_key");
        assertThat(intake.message().type()).isEqualTo("topic");
        assertThat(intake.message().headers()).isEqualTo(Map.of("topic", "topic"));
        assertThat(intake.message().payload()).isEqualTo(new Intake.Payload(Intake.Payload.Kind.JSON, List.of("data")));
        assertThat(intake.key()).isEmpty();
        assertThat(draft)
                .contains(
                        "# key: id, the primary key",
                        "# values of state: 0, 1 (",
                        "CHECK: by the default of column STATE",
                        "# outcome:\n#   subscription: orders\n",
                        "#   dead: \"error = :error, number_of_attempts = :attempts\"")
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id uuid primary key, status varchar(10) default 'NEW', body varchar(100) | status = 'NEW' | status = 'SENT'",
                "id int primary key, published boolean default false not null, body json | \"published\" = false | published = true",
                "id int primary key, sent_at timestamp, body json | sent_at is null | sent_at = current_timestamp",
                "id int primary key, state int, sent_at timestamp, body json | sent_at is null | sent_at = current_timestamp",
            })
    void what_is_pending_is_guessed_from_a_status_a_flag_or_a_time(String columns, String pending, String mark)
            throws Exception {
        execute("create table jobs (" + columns + ")");

        Intake intake = intake(drafted("jobs"));

        assertThat(intake.pending()).isEqualTo(pending.replace("\"", ""));
        assertThat(intake.mark()).contains(mark);
    }

    @Test
    void a_status_whose_values_tell_is_preferred_to_a_time() throws Exception {
        execute(
                "create table jobs (id int primary key, status varchar(10), processed_at timestamp, attempts int, body json)",
                "insert into jobs values (1, 'Done', now(), 1, null), (2, 'Pending', null, 0, null), (3, 'Failed', null, 3, null)");

        String draft = drafted("jobs");

        assertThat(intake(draft).pending()).isEqualTo("status = 'Pending'");
        assertThat(intake(draft).mark()).contains("status = 'Done', processed_at = current_timestamp");
        assertThat(draft).contains("#   dead: \"status = 'Failed', attempts = :attempts\"");
    }

    @Test
    void a_given_condition_is_used_with_a_mark_that_fits_it() throws Exception {
        execute("create table jobs (id int primary key, state int default 0, sent_at timestamp, body json)");

        assertThat(intake(drafted("jobs", "--pending", "state = 4 and sent_at is null"))
                        .mark())
                .contains("state = 5, sent_at = current_timestamp");
        assertThat(intake(drafted("jobs", "--pending", "sent_at is null")).mark())
                .contains("sent_at = current_timestamp");
    }

    @Test
    void a_payload_that_is_not_json_is_sent_as_bytes() throws Exception {
        execute(
                "create table jobs (id int primary key, sent_at timestamp, payload blob)",
                "insert into jobs values (1, null, X'0A0B')");

        assertThat(intake(drafted("jobs")).message().payload())
                .isEqualTo(new Intake.Payload(Intake.Payload.Kind.BYTES, List.of("payload")));
    }

    @Test
    void a_text_that_is_not_json_is_sent_with_its_row_and_a_subject_is_no_type() throws Exception {
        execute(
                "create table EmailOutbox (Id uuid primary key, Recipient varchar(320), Subject varchar(200), Body varchar(1000), Sent boolean"
                        + " default false not null, SentAt timestamp, Attempts int, Error varchar(100), CreatedAt timestamp)",
                "insert into EmailOutbox (Id, Body) values (random_uuid(), 'Dear Anna')");

        Intake intake = intake(drafted("EmailOutbox"));

        assertThat(intake.pending()).isEqualTo("sentat is null");
        assertThat(intake.mark()).contains("sent = true, sentat = current_timestamp");
        assertThat(intake.message().type()).isEqualTo("'email.created'");
        assertThat(intake.message().aggregateId()).isEqualTo("id");
        assertThat(intake.message().payload().kind()).isEqualTo(Intake.Payload.Kind.ROW);
        assertThat(intake.message().headers()).isEmpty();
        assertThat(intake.order()).containsExactly("createdat", "id");
    }

    @Test
    void columns_in_the_layout_of_debezium_are_recognized() throws Exception {
        execute(
                "create table outbox_event (id uuid primary key, aggregatetype varchar(50), aggregateid varchar(50), type varchar(50),"
                        + " payload json, tenant_id int, occurred_at timestamp, published_at timestamp)");

        Intake intake = intake(drafted("outbox_event"));

        assertThat(intake.message().id()).contains("id");
        assertThat(intake.message().aggregateType()).isEqualTo("aggregatetype");
        assertThat(intake.message().aggregateId()).isEqualTo("aggregateid");
        assertThat(intake.message().type()).isEqualTo("type");
        assertThat(intake.message().headers()).isEqualTo(Map.of("tenant_id", "tenant_id"));
        assertThat(intake.order()).containsExactly("occurred_at", "id");
    }

    @Test
    void names_are_quoted_as_the_database_needs_it_and_cannot_leave_their_comment() throws Exception {
        execute(
                "create table \"My \"\"Out'box\" (\"key\" varchar(10) not null unique, \"order\" int, \"topic\" varchar(10),"
                        + " \"Weird: #\n} name\" varchar(10), \"pay: load\" varchar(1000), \"is_sent\" boolean)");

        String draft = drafted("\"My \"\"Out'box\"");

        Intake intake = intake(draft);
        assertThat(intake.name()).isEqualTo("my-out-box");
        assertThat(intake.table()).isEqualTo("\"My \"\"Out'box\"");
        assertThat(intake.key()).containsExactly("\"key\"");
        assertThat(intake.pending()).isEqualTo("\"is_sent\" = false");
        assertThat(intake.message().aggregateId()).isEqualTo("\"key\"");
        assertThat(intake.message().aggregateType()).isEqualTo("'my_out_box'");
        assertThat(intake.message().headers()).isEqualTo(Map.of("topic", "\"topic\""));
        assertThat(draft).contains("the columns of a unique index; the table has no primary key");
    }

    @Test
    void without_a_key_and_a_sign_of_pending_rows_the_draft_says_what_a_person_must_write() throws Exception {
        execute("create table log (line varchar(100))");

        String draft = drafted("log");

        assertThat(draft)
                .contains(
                        "CHECK: the table has neither a primary key nor a unique index",
                        "CHECK: no column shows which rows are pending",
                        "# - pending: \"1 = 1\", and mark: delete")
                .doesNotContain("\npending:", "\nmark:");
    }

    @Test
    void it_is_written_once_into_the_folder_of_the_intakes() throws Exception {
        execute(IntakeCommands.OUTBOX);

        CommandRun first = run("--data-source", "shopDb", "--table", "outbox", "--name", "shop");

        Path file = intakes().resolve("shop.yaml");
        assertThat(first.out())
                .contains("Wrote " + file + ".", "Then run: ./caravan intake check " + file, "when it starts");
        Files.writeString(file, "mine");
        CommandRun second = run("--data-source", "shopDb", "--table", "outbox", "--output", file.toString());
        assertThat(second).returns(1, CommandRun::exit);
        assertThat(second.err()).contains("shop.yaml already exists. Nothing was written.");
        assertThat(file).hasContent("mine");
    }

    @Test
    void a_first_look_needs_no_settings_and_prints_those_to_write_without_the_password() throws Exception {
        execute(IntakeCommands.OUTBOX);

        CommandRun run = run(
                "--url",
                url,
                "--user",
                "sa",
                "--password",
                "secret-of-h2",
                "--table",
                "outbox",
                "--data-source",
                "newDb");

        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("camel.beans.newDb=#class:com.zaxxer.hikari.HikariDataSource\ncamel.beans.newDb.jdbcUrl="
                        + url + "\ncamel.beans.newDb.username=sa\ncamel.beans.newDb.password={{env:NEW_DB_PASSWORD}}\n")
                .doesNotContain("secret-of-h2");
        Path secret = Files.writeString(folder.resolve("secret"), "secret-of-h2\n");
        assertThat(run(
                        "--url",
                        url,
                        "--user",
                        "sa",
                        "--password",
                        "file:" + secret,
                        "--table",
                        "outbox",
                        "--output",
                        "-"))
                .returns(0, CommandRun::exit)
                .extracting(CommandRun::err)
                .asString()
                .contains("camel.beans.sourceDb.jdbcUrl=");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--data-source shopDb --table outbux | 1 | Could not read the table outbux: Table \"OUTBUX\" not found",
                "--data-source shopDb --table a..b | 1 | Could not read the table a..b: Syntax error",
                "--data-source shopDB --table outbox | 2 | There is no data source shopDB in the settings, did you mean shopDb?",
                "--data-source shop.Db --table outbox | 2 | --data-source must be the name of a bean",
                "--table outbox | 2 | Name the database: --data-source BEAN",
                "--data-source shopDb --user sa --table outbox | 2 | --user and --password need --url",
                "--data-source shopDb --table outbox --name Shop | 2 | --name must have 1 to 50 lower-case letters",
                "--data-source shopDb --table outbox --output Shop.yaml | 2 | --output must be a file NAME.yaml",
                "--data-source shopDb --table outbox --output a.yaml --name b | 2 | --name must be the name of the file of --output, a, got b",
                "--url mysql://localhost/shop --table outbox | 2 | --url must be a JDBC URL",
                "--url jdbc:mysql://anna:tiger@localhost/shop --table outbox | 2 | --url must not contain a user or a password",
                "--url jdbc:sqlserver://localhost;password=tiger --table outbox | 2 | --url must not contain a user or a password",
                "--url jdbc:oracle:thin:@localhost:1/shop --table outbox | 2 | ./caravan component add com.oracle.database.jdbc:ojdbc11",
                "--url jdbc:postgresql://localhost:1/shop --table outbox | 1 | Could not look at the table outbox: Could not connect to the database of the data source sourceDb: Connection to localhost:1 refused",
            })
    void what_is_wrong_is_named_and_nothing_is_written(String args, int exit, String text) throws Exception {
        execute(IntakeCommands.OUTBOX);

        CommandRun run = run(args.split(" "));

        assertThat(run.exit()).isEqualTo(exit);
        assertThat(run.err()).contains(text).doesNotContain("tiger", "caravan.db.url", "\tat ");
        assertThat(intakes()).doesNotExist();
    }
}
