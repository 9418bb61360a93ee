package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.outbox.TestOutbox;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaCommandTest {
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
}
