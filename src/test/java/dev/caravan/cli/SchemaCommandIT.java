package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Path;
import java.util.ArrayList;
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

        assertThat(first.exit()).isZero();
        assertThat(first.out())
                .containsPattern("Applied 1 migration\\.")
                .contains("Created 2 partitions ahead of use.");
        assertThat(second.exit()).isZero();
        assertThat(second.out()).contains("up to date").doesNotContain("Made");
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
        assertThat(CommandRun.of("status", "--config", config))
                .returns(1, CommandRun::exit)
                .extracting(CommandRun::err)
                .asString()
                .contains("schema \"Caravan ä-1, two\" does not exist", "./caravan schema apply", "CARAVAN_SCHEMA");

        assertThat(CommandRun.of("schema", "apply", "--config", config).exit()).isZero();

        assertThat(CommandRun.of("subscriptions", "list", "--config", config).exit())
                .isZero();
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
            List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
            arguments.addAll(List.of("--config", config));
            assertThat(CommandRun.of(arguments.toArray(String[]::new)))
                    .returns(1, CommandRun::exit)
                    .extracting(CommandRun::err)
                    .asString()
                    .contains("role " + role + " has no USAGE on schema hidden", "Grant the privilege");
        }
    }

    @Test
    @Tag("long")
    void a_name_that_cannot_be_a_schema_is_refused() throws Exception {
        for (String name : List.of("pg_caravan", "information_schema", "$user", "a\"b", "n".repeat(64))) {
            String config = CommandRun.config(folder, TestOutbox.withoutTables(), "caravan.schema=" + name);

            assertThat(CommandRun.of("schema", "apply", "--config", config))
                    .returns(2, CommandRun::exit)
                    .extracting(CommandRun::err)
                    .asString()
                    .contains("caravan.schema (CARAVAN_SCHEMA) must", name);
        }
    }

    @Test
    void an_outbox_of_another_program_is_refused_with_what_to_do() throws Exception {
        TestOutbox database = TestOutbox.withoutTables();
        database.execute("create table outbox (id uuid primary key)");

        assertThat(CommandRun.of("schema", "apply", "--config", CommandRun.config(folder, database)))
                .returns(1, CommandRun::exit)
                .extracting(CommandRun::err)
                .asString()
                .contains(
                        "a table outbox of another program",
                        "Set caravan.schema (CARAVAN_SCHEMA)",
                        "Nothing was changed");
    }
}
