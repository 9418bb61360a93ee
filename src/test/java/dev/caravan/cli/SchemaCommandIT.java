package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaCommandIT {
    @TempDir
    Path folder;

    @Test
    void apply_makes_tables_and_partitions_and_may_be_repeated() throws Exception {
        TestOutbox database = TestOutbox.withoutTables();
        String config = CommandRun.config(folder, database);

        CommandRun first = CommandRun.of("schema", "apply", "--config", config);
        CommandRun second = CommandRun.of("schema", "apply", "--config", config);

        assertThat(first.assertDone().out())
                .containsPattern("Applied 1 migration\\.")
                .contains("Created 2 partitions ahead of use.");
        assertThat(second.assertDone("up to date").out()).doesNotContain("Made");
    }

    @Test
    void what_print_prints_makes_the_same_tables() throws Exception {
        TestOutbox database = TestOutbox.withoutTables();

        database.execute(CommandRun.of("schema", "print").out());

        CommandRun apply = CommandRun.of("schema", "apply", "--config", CommandRun.config(folder, database));
        assertThat(apply.out()).contains("up to date");
    }

    @Test
    @Tag("long")
    void a_schema_with_any_name_is_created_and_used_by_all_commands() throws Exception {
        TestOutbox database = TestOutbox.withoutTables();
        String config = CommandRun.config(folder, database, "caravan.schema=Caravan ä-1, two");
        CommandRun.of("status", "--config", config)
                .assertFailed("schema \"Caravan ä-1, two\" does not exist", "./caravan schema apply", "CARAVAN_SCHEMA");

        CommandRun.of("schema", "apply", "--config", config).assertDone();

        CommandRun.of("subscriptions", "list", "--config", config).assertDone();
        assertThat(CommandRun.of("partitions", "list", "--config", config).out())
                .contains("outbox_from_1000000");
        assertThat(database.number("select count(*) from pg_class where relnamespace = 'public'::regnamespace"))
                .isZero();
    }

    @Test
    void a_role_that_may_not_use_the_schema_gets_an_error_that_says_so() throws Exception {
        TestOutbox database = TestOutbox.withoutTables();
        database.execute("create schema hidden");
        String role = database.role("stranger");
        String config = CommandRun.config(
                folder,
                database.url(),
                role,
                "caravan.db.password=" + TestOutbox.PASSWORD_OF_ROLES,
                "caravan.schema=hidden");

        for (String command : List.of("status", "schema apply")) {
            CommandRun.of(List.of(command.split(" ")), "--config", config)
                    .assertFailed("role " + role + " has no USAGE on schema hidden", "Grant the privilege");
        }
    }

    @Test
    @Tag("long")
    void a_name_that_cannot_be_a_schema_is_refused() throws Exception {
        for (String name : List.of("pg_caravan", "information_schema", "$user", "a\"b", "n".repeat(64))) {
            String config = CommandRun.config(folder, TestOutbox.withoutTables(), "caravan.schema=" + name);

            CommandRun.of("schema", "apply", "--config", config)
                    .assertWrongUse("caravan.schema (CARAVAN_SCHEMA) must", name);
        }
    }

    @Test
    void an_outbox_of_another_program_is_refused_with_what_to_do() throws Exception {
        TestOutbox database = TestOutbox.withoutTables();
        database.execute("create table outbox (id uuid primary key)");

        CommandRun.of("schema", "apply", "--config", CommandRun.config(folder, database))
                .assertFailed(
                        "a table outbox of another program",
                        "Set caravan.schema (CARAVAN_SCHEMA)",
                        "Nothing was changed");
    }
}
