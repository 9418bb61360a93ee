package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server of the tests has fsync off, so each report has a critical finding. */
class DoctorCommandIT {
    private static TestOutbox database;

    @TempDir
    Path folder;

    @BeforeAll
    static void prepare() throws Exception {
        database = TestOutbox.withoutTables();
        database.execute(
                "create table email_outbox (id serial primary key, recipient text, payload jsonb, sent boolean default false,"
                        + " created_at timestamptz);"
                        + " insert into email_outbox (recipient, payload, created_at)"
                        + " values ('secret@example.org', '{\"a\": \"secret\"}', now() - interval '2 days')");
    }

    @Test
    void the_report_begins_with_what_was_examined_and_a_summary() throws Exception {
        CommandRun run = run("--table", "email_outbox");

        assertThat(run.assertFailed().out())
                .containsPattern("(?m)^Table +public.email_outbox: about \\d+ rows?, ")
                .containsPattern("(?m)^Pending +not sent \\(by column sent\\)$")
                .containsPattern("(?m)^\\d critical, \\d warnings?, 4 notes$")
                .containsPattern("(?m)^SEVERITY +FINDING +FIGURE$")
                .containsPattern("(?m)^critical +nothing-published +message 1 has waited for 2d, 1 pending$")
                .containsPattern("(?m)^NOTE  jsonb-payload$")
                .contains("    alter table public.email_outbox alter payload type json;")
                .containsPattern("(?m)^NOT EXAMINED$")
                .doesNotContain("secret");
        assertThat(run.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
    }

    @Test
    void json_has_the_same_facts() throws Exception {
        CommandRun run = run("--table", "email_outbox", "--output", "json");

        var report = run.json();
        run.assertFailed();
        assertThat(report.get("facts").get("Pending").asText()).isEqualTo("not sent (by column sent)");
        assertThat(report.get("note").asInt()).isEqualTo(4);
        assertThat(report.get("findings").findValuesAsText("id"))
                .contains("fsync-off", "nothing-published", "jsonb-payload", "narrow-ids", "timestamp-without-default");
        var jsonb = report.get("findings")
                .get(report.get("findings").findValuesAsText("id").indexOf("jsonb-payload"));
        assertThat(jsonb.properties().stream().map(field -> field.getKey()))
                .containsExactly("id", "severity", "about", "figure", "why", "fix", "sql");
        assertThat(report.get("notExamined").findValuesAsText("subject")).contains("statements of pollers");
        assertThat(run.out()).doesNotContain("secret");
    }

    @Test
    void a_wrong_table_or_option_is_wrong_use() throws Exception {
        CommandRun table = run("--table", "email_outbux");
        CommandRun order = run("--table", "email_outbox", "--order", "sant");

        table.assertWrongUse("no table email_outbux", "Did you mean public.email_outbox?");
        order.assertWrongUse("no column sant", ", did you mean sent?");
    }

    @Test
    @Tag("long")
    void a_table_is_examined_before_the_schema_of_caravan_exists() throws Exception {
        String config = CommandRun.config(folder, database, "caravan.schema=caravan");

        CommandRun run = CommandRun.of("doctor", "--table", "email_outbox", "--config", config);

        assertThat(run.out()).containsPattern("(?m)^Table +public.email_outbox");
    }

    @Test
    void the_password_is_not_shown() throws Exception {
        String config = CommandRun.config(folder, database.url(), "postgres");

        CommandRun run = CommandRun.of("doctor", "--verbose", "--config", config);

        assertThat(run.out() + run.err()).doesNotContain("password").contains("public.email_outbox; name one");
    }

    @Test
    @Tag("long")
    void tables_outside_of_the_schema_of_caravan_are_found() throws Exception {
        TestOutbox other = TestOutbox.withoutTables();
        other.execute("create table outbox (id bigserial primary key, published_at timestamptz)");
        String config = CommandRun.config(folder, other, "caravan.schema=relay");

        CommandRun foreign = CommandRun.of("doctor", "--config", config);
        assertThat(foreign.out())
                .contains("public.outbox: about", "published_at is null")
                .doesNotContain("caravan-condition");

        CommandRun.of("schema", "apply", "--config", config);
        CommandRun own = CommandRun.of("doctor", "--config", config);
        assertThat(own.out()).contains("relay.outbox, the outbox of Caravan").doesNotContain("caravan-condition");
        CommandRun wrong =
                CommandRun.of("doctor", "--config", CommandRun.config(folder, other), "--table", "relay.outbox");
        assertThat(wrong.out()).contains("names a schema other than relay");
    }

    private CommandRun run(String... args) throws Exception {
        return CommandRun.of(List.of("doctor", "--config", CommandRun.config(folder, database)), args);
    }
}
